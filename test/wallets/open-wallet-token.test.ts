import { openWallet } from '../../api/wallets/open-wallet-token.js';
import { limits } from '../../config/limits.js';

test('a token that takes long to be opened is checked less and less often', async () => {
  const startedMs = performance.now();
  const asked: number[] = [];
  const deps = {
    walletIntegrations: { find: async () => ({ enabled: true, mode: 'both', status: 'active' }) },
    vault: { seal: async () => ({}), open: async () => Buffer.from('{"kind":"pan-only"}') },
    clock: { now: () => new Date() },
    nudges: { add: async () => true },
    walletOpenings: {
      insert: async () => undefined,
      remove: async () => undefined,
      find: async () => {
        asked.push(performance.now() - startedMs);
        return performance.now() - startedMs < 1_500 ? { status: 'waiting' } : { status: 'opened', credential: {} };
      },
    },
  } as unknown as Parameters<typeof openWallet>[0];
  const caller = { principal: { clientId: 'cli_1', keyId: 'key_1', merchants: 'all' as const }, traceId: 'trace' };
  const request = { merchantId: 1001, walletType: 'wallet-a-pay' as const, token: 'x' };
  expect(await openWallet(deps, request, caller)).toEqual({ kind: 'pan-only' });
  expect(asked.length).toBeGreaterThanOrEqual(3);
  expect(asked.length).toBeLessThan(1_500 / limits.walletPollMs / 4);
});
