/** What time alone decides: deadlines of payments, destruction of sealed data and of its keys. Driven by its sweep only. */
import { limits } from '../../config/limits.js';
import type { PaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import type { Vault } from '../../shared/vault/vault.js';
import type { Pool } from '../define-worker.js';
import { type DeadlineDeps, settleDeadlines } from './settle-deadlines.handler.js';
import { type CertificateDeps, createCertificateWatch } from './watch-certificates.js';

export interface ExpiryPoolDeps extends DeadlineDeps, CertificateDeps {
  /** Ends sessions that are due; answers how many it looked at. */
  readonly settleSessions: () => Promise<number>;
  /** Ends payment links that are due; answers how many it looked at. */
  readonly settleLinks: () => Promise<number>;
  readonly vault: Pick<Vault, 'destroyExpiredKeys'>;
  readonly instruments: Pick<PaymentInstrumentRepository, 'destroyDueCards'>;
}

/** Data keys live for hours: asking every few minutes is enough. */
const KEY_SWEEP_MS = 5 * 60_000;

export function createExpiryPool(deps: ExpiryPoolDeps): Pool {
  let keysSweptAt = 0;
  const watchCertificates = createCertificateWatch(deps);

  const destroyKeys = async (now: Date) => {
    if (now.getTime() - keysSweptAt < KEY_SWEEP_MS) return;
    keysSweptAt = now.getTime();
    const count = await deps.vault.destroyExpiredKeys(now);
    if (count > 0) deps.log.info('vault.keys-destroyed', { count });
  };

  return {
    name: 'expiry',
    jobs: [],
    async sweep() {
      const now = deps.clock.now();
      const started = await settleDeadlines(deps);
      const settled = await deps.settleSessions();
      const links = await deps.settleLinks();
      const destroyed = (await deps.payments.destroyDueEnvelopes(now)) + (await deps.instruments.destroyDueCards(now));
      if (destroyed > 0) deps.log.info('vault.envelopes-destroyed', { count: destroyed });
      await destroyKeys(now);
      await watchCertificates(now);
      const more = started === limits.sweepPageMax || [settled, links].includes(limits.sweepPageMax);
      return { found: started + settled + links + destroyed, more };
    },
    close: async () => undefined,
  };
}
