/** The pool that opens wallet tokens: it claims one, opens its envelope, lets the thread verify and decrypt, and seals the result. */
import { limits } from '../../config/limits.js';
import { after } from '../../shared/domain/time.js';
import { certificateRecordId } from '../../shared/domain/wallet/integration.js';
import { openingBinding, type WalletOpening } from '../../shared/domain/wallet/opening.js';
import { openWalletToken } from '../../shared/queue/open-wallet-token.job.js';
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import { createWalletOpeningRepository } from '../../shared/store/wallet-opening.repository.js';
import { createWalletUseRepository } from '../../shared/store/wallet-use.repository.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import { loadTrust } from '../../shared/wallets/load-trust.js';
import { type Opening, onJob, type Pool, type PoolDeps } from '../pool.js';
import { sweepParts } from '../sweep-parts.js';
import { createTrustRefresh } from './refresh-trust.js';
import type { ThreadRequest } from './thread-protocol.js';
import { createTokenThread, type TokenThread } from './token-thread.js';

interface WalletDeps extends Pick<PoolDeps, 'walletOpenings' | 'walletIntegrations' | 'vault' | 'log'> {
  readonly metrics: Pick<PoolDeps['metrics'], 'event'>;
  readonly thread: Pick<TokenThread, 'open'>;
}

type ProcessingKey = ThreadRequest['keys'][number];

/** Leaves out a key whose envelope can never be opened: tokens that were made for the other keys are still opened. */
function leaveOut({ log, metrics }: WalletDeps, error: unknown): undefined {
  const isBroken = error instanceof VaultError && (error.code === 'envelope-invalid' || error.code === 'key-unknown');
  if (!isBroken) throw error;
  metrics.event('envelope-tampered');
  log.error('vault.envelope-tampered', { error });
}

/** Opens the merchant's processing keys. @throws {VaultError} when the keys of the vault are unavailable. */
async function processingKeys(deps: WalletDeps, { merchantId, clientId, walletType }: WalletOpening) {
  if (walletType !== 'wallet-b-pay') return [];
  const integration = await deps.walletIntegrations.find(merchantId, walletType);
  const keys = await Promise.all(
    (integration?.certificates ?? []).map(async (certificate): Promise<ProcessingKey | undefined> => {
      const { publicKeyHash, merchantIdentifier, expiresAt } = certificate;
      const recordId = certificateRecordId(merchantId, publicKeyHash);
      const binding = { recordId, field: 'privateKey', clientId };
      const privateKey = await deps.vault
        .open(certificate.privateKey, binding)
        .catch((error: unknown) => leaveOut(deps, error));
      return privateKey && { publicKeyHash, merchantIdentifier, privateKey, expiresAtMs: expiresAt.getTime() };
    }),
  );
  return keys.filter((key) => key !== undefined);
}

async function openOne(deps: WalletDeps, opening: WalletOpening, now: Date): Promise<string> {
  const { _id, walletType, merchantId } = opening;
  const token = (await deps.vault.open(opening.payload, openingBinding(opening, 'payload'))).toString('utf8');
  const keys = await processingKeys(deps, opening);
  const result = await deps.thread.open({ walletType, token, merchantId, nowMs: now.getTime(), keys });
  if (result.kind === 'refused') {
    if (result.fault !== undefined) {
      deps.log.warn('wallet-token.fault', { merchantId, reason: `${walletType}: ${result.fault}` });
    }
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
    log,
    metrics,
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
      const { work: found } = await sweepParts(given, {
        openings: () => openings.removeDue(now),
        uses: () => uses.removeDue(now),
        work: async () => {
          const due = await openings.findWaiting(after(now, -limits.walletNudgeFreshMs), now, limits.sweepPageMax);
          await Promise.all(due.map(work));
          return due.length;
        },
      });
      return { found, more: found === limits.sweepPageMax };
    },
    close: () => thread.close(),
  };
}
