/** The pool that opens wallet tokens: claims one, opens its envelope, lets the thread verify and decrypt, seals what comes out. */
import { limits } from '../../config/limits.js';
import { after } from '../../shared/domain/time.js';
import { certificateRecordId } from '../../shared/domain/wallet/integration.js';
import { openingBinding, type WalletOpening } from '../../shared/domain/wallet/opening.js';
import { openWalletToken } from '../../shared/queue/open-wallet-token.job.js';
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import { createWalletOpeningRepository } from '../../shared/store/wallet-opening.repository.js';
import { createWalletUseRepository } from '../../shared/store/wallet-use.repository.js';
import { loadTrust } from '../../shared/wallets/load-trust.js';
import { type Opening, onJob, type Pool, type PoolDeps } from '../pool.js';
import { createTrustRefresh } from './refresh-trust.js';
import type { ThreadRequest } from './thread-protocol.js';
import { createTokenThread, type TokenThread } from './token-thread.js';

interface WalletDeps extends Pick<PoolDeps, 'walletOpenings' | 'walletIntegrations' | 'vault'> {
  readonly thread: Pick<TokenThread, 'open'>;
}

async function processingKeys(deps: WalletDeps, { merchantId, clientId, walletType }: WalletOpening) {
  if (walletType !== 'wallet-b-pay') return [];
  const integration = await deps.walletIntegrations.find(merchantId, walletType);
  return Promise.all(
    (integration?.certificates ?? []).map(async (certificate): Promise<ThreadRequest['keys'][number]> => {
      const { publicKeyHash, merchantIdentifier, expiresAt } = certificate;
      const recordId = certificateRecordId(merchantId, publicKeyHash);
      const privateKey = await deps.vault.open(certificate.privateKey, { recordId, field: 'privateKey', clientId });
      return { publicKeyHash, merchantIdentifier, privateKey, expiresAtMs: expiresAt.getTime() };
    }),
  );
}

async function openOne(deps: WalletDeps, opening: WalletOpening, now: Date): Promise<string> {
  const { _id, walletType, merchantId } = opening;
  const token = (await deps.vault.open(opening.payload, openingBinding(opening, 'payload'))).toString('utf8');
  const keys = await processingKeys(deps, opening);
  const result = await deps.thread.open({ walletType, token, merchantId, nowMs: now.getTime(), keys });
  if (result.kind === 'refused') {
    await deps.walletOpenings.settle(_id, { status: 'refused', reason: result.reason });
    return result.reason;
  }
  const plaintext = JSON.stringify(result.credential);
  const credential = await deps.vault.seal('cvc', plaintext, openingBinding(opening, 'credential'));
  await deps.walletOpenings.settle(_id, { status: 'opened', credential });
  return 'opened';
}

export async function openPool({ config, database, vaultOf, ...given }: Opening<'wallet'>): Promise<Pool> {
  const { clock, log, metrics } = given;
  const trust = loadTrust(config);
  const thread = createTokenThread(trust);
  const refreshTrust = createTrustRefresh({ log, metrics, config, thread }, trust);
  const openings = createWalletOpeningRepository(database);
  const uses = createWalletUseRepository(database);
  const deps = {
    walletOpenings: openings,
    walletIntegrations: createWalletIntegrationRepository(database),
    vault: await vaultOf(config),
    thread,
  };

  const work = async (openingId: string): Promise<void> => {
    const startedMs = performance.now();
    const opening = await openings.claim(openingId, clock.now());
    if (!opening) return;
    try {
      const outcome = await openOne(deps, opening, clock.now());
      const labels = { pool: 'wallet', job: openWalletToken.name, outcome };
      metrics.step(labels, (performance.now() - startedMs) / 1000);
    } catch (error) {
      // The lease runs out, and the sweep retries while a caller may still wait.
      log.error('wallet-token.not-opened', { merchantId: opening.merchantId, error });
    }
  };

  return {
    name: 'wallet',
    jobs: [onJob(openWalletToken, ({ openingId }) => work(openingId))],
    async sweep() {
      const now = clock.now();
      refreshTrust(now);
      const due = await openings.findWaiting(after(now, -limits.walletNudgeFreshMs), now, limits.sweepPageMax);
      await Promise.all(due.map(work));
      await openings.removeDue(now);
      await uses.removeDue(now);
      return { found: due.length, more: due.length === limits.sweepPageMax };
    },
    close: () => thread.close(),
  };
}
