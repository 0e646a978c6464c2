/** The pool that opens wallet tokens: claims one, opens its envelope, lets the thread verify and decrypt, seals what comes out. */
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { certificateRecordId } from '../../shared/domain/wallet/integration.js';
import { openingBinding, type WalletOpening } from '../../shared/domain/wallet/opening.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import { openWalletToken } from '../../shared/queue/open-wallet-token.job.js';
import type { WalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import type { WalletOpeningRepository } from '../../shared/store/wallet-opening.repository.js';
import type { WalletUseRepository } from '../../shared/store/wallet-use.repository.js';
import type { Vault } from '../../shared/vault/vault.js';
import { onJob, type Pool } from '../define-worker.js';
import type { ThreadRequest } from './thread-protocol.js';
import type { TokenThread } from './token-thread.js';

export interface WalletPoolDeps {
  readonly openings: WalletOpeningRepository;
  readonly uses: Pick<WalletUseRepository, 'removeDue'>;
  readonly integrations: Pick<WalletIntegrationRepository, 'find'>;
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  readonly thread: Pick<TokenThread, 'open' | 'close'>;
  /** Looks whether roots or keys were replaced. @see createTrustRefresh */
  readonly refreshTrust: (now: Date) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'step'>;
}

/** A hint younger than this is probably being worked on. */
const FRESH_MS = 500;

async function processingKeys(deps: WalletPoolDeps, { merchantId, clientId, walletType }: WalletOpening) {
  if (walletType !== 'wallet-b-pay') return [];
  const integration = await deps.integrations.find(merchantId, walletType);
  return Promise.all(
    (integration?.certificates ?? []).map(async (certificate): Promise<ThreadRequest['keys'][number]> => {
      const { publicKeyHash, merchantIdentifier, expiresAt } = certificate;
      const recordId = certificateRecordId(merchantId, publicKeyHash);
      const privateKey = await deps.vault.open(certificate.privateKey, { recordId, field: 'privateKey', clientId });
      return { publicKeyHash, merchantIdentifier, privateKey, expiresAtMs: expiresAt.getTime() };
    }),
  );
}

async function openOne(deps: WalletPoolDeps, opening: WalletOpening): Promise<string> {
  const { _id, walletType, merchantId } = opening;
  const token = (await deps.vault.open(opening.payload, openingBinding(opening, 'payload'))).toString('utf8');
  const keys = await processingKeys(deps, opening);
  const nowMs = deps.clock.now().getTime();
  const result = await deps.thread.open({ walletType, token, merchantId, nowMs, keys });
  if (result.kind === 'refused') {
    await deps.openings.settle(_id, { status: 'refused', reason: result.reason });
    return result.reason;
  }
  const plaintext = JSON.stringify(result.credential);
  const credential = await deps.vault.seal('cvc', plaintext, openingBinding(opening, 'credential'));
  await deps.openings.settle(_id, { status: 'opened', credential });
  return 'opened';
}

export function createWalletPool(deps: WalletPoolDeps): Pool {
  const work = async (openingId: string): Promise<void> => {
    const startedMs = performance.now();
    const opening = await deps.openings.claim(openingId, deps.clock.now());
    if (!opening) return;
    try {
      const outcome = await openOne(deps, opening);
      const labels = { pool: 'wallet', job: openWalletToken.name, outcome };
      deps.metrics.step(labels, (performance.now() - startedMs) / 1000);
    } catch (error) {
      // The lease runs out, and the sweep tries again while somebody may still wait.
      deps.log.error('wallet-token.not-opened', { merchantId: opening.merchantId, error });
    }
  };

  return {
    name: 'wallet',
    jobs: [onJob(openWalletToken, ({ openingId }) => work(openingId))],
    async sweep() {
      const now = deps.clock.now();
      deps.refreshTrust(now);
      const due = await deps.openings.findWaiting(new Date(now.getTime() - FRESH_MS), now, limits.sweepPageMax);
      await Promise.all(due.map(work));
      await deps.openings.removeDue(now);
      await deps.uses.removeDue(now);
      return { found: due.length, more: due.length === limits.sweepPageMax };
    },
    close: () => deps.thread.close(),
  };
}
