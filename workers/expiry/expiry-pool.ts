/**
 * Does what depends on time alone: settles deadlines of payments, sessions and payment links, destroys sealed data and its keys, and warns
 * the operator of certificates that end and of documents of a newer release. Only its sweep drives it.
 */
import { limits } from '../../config/limits.js';
import { longAgo, msBetween } from '../../shared/domain/time.js';
import { createDataKeyRepository } from '../../shared/store/data-key.repository.js';
import { countNewer } from '../../shared/store/newer-documents.js';
import {
  createPaymentInstrumentRepository,
  type PaymentInstrumentRepository,
} from '../../shared/store/payment-instrument.repository.js';
import { createPaymentLinkRepository } from '../../shared/store/payment-link.repository.js';
import { createSessionRepository } from '../../shared/store/session.repository.js';
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import { destroyExpiredKeys } from '../../shared/vault/data-keys.js';
import type { Vault } from '../../shared/vault/vault.js';
import type { ChangeDeps } from '../payment-work.js';
import type { Opening, Pool } from '../pool.js';
import { sweepParts } from '../sweep-parts.js';
import { settleDeadlines } from './settle-deadlines.handler.js';
import { settleLinks } from './settle-links.handler.js';
import { settleSessions } from './settle-sessions.handler.js';
import { type CertificateDeps, createCertificateWatch } from './watch-certificates.js';

export interface ExpiryPoolDeps extends ChangeDeps, CertificateDeps {
  /** Ends sessions that are due; returns how many it checked. */
  readonly settleSessions: () => Promise<number>;
  /** Ends payment links that are due; returns how many it checked. */
  readonly settleLinks: () => Promise<number>;
  readonly vault: Pick<Vault, 'destroyExpiredKeys'>;
  readonly instruments: Pick<PaymentInstrumentRepository, 'destroyDueCards'>;
  /** Why no operation may begin; `undefined`: operations may begin (`Opening`). */
  readonly restored?: () => string | undefined;
  /** Counts the documents of a newer release, by collection. */
  readonly countNewer: () => Promise<readonly (readonly [collection: string, count: number])[]>;
}

/** Reports documents that only a process of a newer release can work on to the operator, at most once a minute. */
function createNewerWatch({ countNewer, log, metrics }: Pick<ExpiryPoolDeps, 'countNewer' | 'log' | 'metrics'>) {
  let countedMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - countedMs < limits.unknownWorkLookMs) return 0;
    countedMs = performance.now();
    for (const [kind, count] of await countNewer()) {
      metrics.event('document-newer', count);
      log.error('document.newer', { kind, count });
    }
    return 0;
  };
}

export function createExpiryPool(deps: ExpiryPoolDeps): Pool {
  let keysSweptAt = longAgo;
  const watchCertificates = createCertificateWatch(deps);
  const watchNewer = createNewerWatch(deps);

  const destroyKeys = async (now: Date) => {
    if (msBetween(keysSweptAt, now) < limits.dataKeySweepMs) return 0;
    keysSweptAt = now;
    const count = await deps.vault.destroyExpiredKeys(now);
    if (count > 0) deps.log.info('vault.keys-destroyed', { count });
    return count;
  };

  return {
    name: 'expiry',
    jobs: [],
    async sweep() {
      const now = deps.clock.now();
      const { deadlines, sessions, links, cvcs, cards } = await sweepParts(deps, {
        cvcs: () => deps.payments.destroyDueEnvelopes(now),
        cards: () => deps.instruments.destroyDueCards(now),
        keys: () => destroyKeys(now),
        // After a restore sealed data is still destroyed in time; work that a deadline begins waits.
        deadlines: async () => (deps.restored?.() ? 0 : settleDeadlines(deps)),
        sessions: deps.settleSessions,
        links: deps.settleLinks,
        certificates: () => watchCertificates(now),
        newer: watchNewer,
      });
      const destroyed = cvcs + cards;
      if (destroyed > 0) deps.log.info('vault.envelopes-destroyed', { count: destroyed });
      const more = [deadlines, sessions, links].includes(limits.sweepPageMax) || destroyed >= limits.dueChangedMax;
      return { found: deadlines + sessions + links + destroyed, more };
    },
    close: async () => undefined,
  };
}

export function openPool(given: Opening<'expiry'>): Pool {
  const { database } = given;
  const instruments = createPaymentInstrumentRepository(database);
  const dataKeys = createDataKeyRepository(database);
  const sessions = createSessionRepository(database);
  const links = createPaymentLinkRepository(database);
  return createExpiryPool({
    ...given,
    // Destroying keys needs no master key, and this pool has none.
    vault: { destroyExpiredKeys: (now) => destroyExpiredKeys(dataKeys, now) },
    instruments,
    countNewer: () => countNewer(database),
    walletIntegrations: createWalletIntegrationRepository(database),
    settleLinks: () => settleLinks({ ...given, links }),
    settleSessions: () => settleSessions({ ...given, instruments, sessions }),
  });
}
