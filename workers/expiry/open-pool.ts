/** The pool of deadlines. */
import { createDataKeyRepository } from '../../shared/store/data-key.repository.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { createPaymentLinkRepository } from '../../shared/store/payment-link.repository.js';
import { createSessionRepository } from '../../shared/store/session.repository.js';
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import { destroyExpiredKeys } from '../../shared/vault/data-keys.js';
import type { Pool } from '../define-worker.js';
import type { Shared } from '../pool-deps.js';
import { createExpiryPool } from './expiry-pool.js';
import { settleLinks } from './settle-links.handler.js';
import { settleSessions } from './settle-sessions.handler.js';

export function openPool(shared: Shared<'expiry'>): Pool {
  const instruments = createPaymentInstrumentRepository(shared.database);
  const dataKeys = createDataKeyRepository(shared.database);
  const sessions = createSessionRepository(shared.database);
  return createExpiryPool({
    ...shared,
    // To destroy keys needs no master key, and this pool has none.
    vault: { destroyExpiredKeys: (now) => destroyExpiredKeys(dataKeys, now) },
    instruments,
    integrations: createWalletIntegrationRepository(shared.database),
    settleLinks: () => settleLinks({ ...shared, links: createPaymentLinkRepository(shared.database) }),
    settleSessions: () => settleSessions({ ...shared, instruments, sessions }),
  });
}
