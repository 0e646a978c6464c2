/** The thread that opens wallet tokens: what counts as the time of a token, and how the thread ends. */
import { forgeWalletA } from '../../api/testing/forge/forge-wallet-a.js';
import type { WalletOrder } from '../../api/testing/forge/order.js';
import { testRecipientKeys, testRootCertificate, testRootKeys, testWalletB } from '../../shared/wallets/test-keys.js';
import { createTokenThread, type TokenThread } from '../../workers/wallet/token-thread.js';

const trust = {
  walletA: { rootKeys: testRootKeys, recipientKeys: testRecipientKeys, gatewayName: 'gw' },
  walletB: { roots: testRootCertificate, signingWindowMs: 60_000 },
};
const request = (more: Partial<WalletOrder> = {}) => {
  const order = { merchantId: 1001, card: '4242424242424242', expMonth: 12, expYear: 2034, auth: 'PAN_ONLY' as const };
  const token = forgeWalletA({ ...order, ...more }, 'gw', new Date());
  return { walletType: 'wallet-a-pay' as const, token, merchantId: 1001, nowMs: Date.now(), keys: [] };
};
/** Keeps the thread busy far longer than any time limit here: it reads its keys first, and the list repeats one key millions of times. */
const key = {
  publicKeyHash: '',
  privateKey: testWalletB.signer.export({ format: 'der', type: 'pkcs8' }),
  merchantIdentifier: 'merchant.test',
  expiresAtMs: Date.now(),
};
const longRequest = { ...request(), walletType: 'wallet-b-pay' as const, keys: new Array(3_000_000).fill(key) };

let thread: TokenThread | undefined;
afterEach(() => thread?.close());

test('each token gets its own answer, in the order of the tokens', async () => {
  thread = createTokenThread(trust, { startMs: 30_000, openMs: 30_000 });
  const kinds = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const opened = await thread?.open(request(at % 3 === 0 ? { broken: 'bad-signature' } : {}));
      return opened?.kind;
    }),
  );
  expect(kinds).toEqual(kinds.map((_, at) => (at % 3 === 0 ? 'refused' : 'opened')));
});

test('a token that takes too long is refused; the token behind it has its own time, on another thread', async () => {
  thread = createTokenThread(trust, { startMs: 30_000, openMs: 2_000 });
  const [late, next] = await Promise.all([thread.open(longRequest), thread.open(request())]);
  expect(late).toEqual({ kind: 'refused', reason: 'unverifiable', fault: 'it took too long' });
  expect(next.kind).toBe('opened');
});

test('a thread that does not start in time fails the opening, but refuses no token', async () => {
  thread = createTokenThread(trust, { startMs: 1, openMs: 4_000 });
  await expect(thread.open(request())).rejects.toThrow('did not start in time');
});

test('tokens that wait when the pool ends are not refused either', async () => {
  thread = createTokenThread(trust);
  const opened = [thread.open(request()), thread.open(request())];
  const settled = Promise.allSettled(opened);
  await thread.close();
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a thread that dies fails its token at once, and the next token starts a new thread', async () => {
  thread = createTokenThread({ walletA: { ...trust.walletA, rootKeys: 'no keys' } });
  const died = await thread.open(request()).catch((error: Error) => error);
  expect(died).toBeInstanceOf(Error);
  expect(String(died)).not.toMatch('did not start');
  thread.replaceTrust(trust);
  expect((await thread.open(request())).kind).toBe('opened');
});

test.each([
  ['that no parser takes', { token: '%' }, { reason: 'malformed' }],
  [
    'whose key is none',
    { walletType: 'wallet-b-pay', keys: [{ ...key, privateKey: Buffer.alloc(1) }] },
    // The place where it threw, without the message.
    { reason: 'unverifiable', fault: expect.stringMatching(/^Error at .*createPrivateKey \S+$/) },
  ],
] as const)('a token %s is refused, and the thread keeps working', async (_what, more, why) => {
  thread = createTokenThread(trust);
  expect(await thread.open({ ...request(), ...more })).toEqual({ kind: 'refused', ...why });
  expect((await thread.open(request())).kind).toBe('opened');
});
