/** The pool that opens wallet tokens. */
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import { createWalletOpeningRepository } from '../../shared/store/wallet-opening.repository.js';
import { createWalletUseRepository } from '../../shared/store/wallet-use.repository.js';
import { loadTrust } from '../../shared/wallets/load-trust.js';
import type { Pool } from '../define-worker.js';
import type { Shared } from '../pool-deps.js';
import { createTrustRefresh } from './refresh-trust.js';
import { createTokenThread } from './token-thread.js';
import { createWalletPool } from './wallet-pool.js';

export async function openPool({ config, database, vaultOf, ...shared }: Shared<'wallet'>): Promise<Pool> {
  const trust = loadTrust(config);
  const thread = createTokenThread(trust);
  return createWalletPool({
    ...shared,
    vault: await vaultOf(config),
    openings: createWalletOpeningRepository(database),
    uses: createWalletUseRepository(database),
    integrations: createWalletIntegrationRepository(database),
    thread,
    refreshTrust: createTrustRefresh({ ...shared, config, thread }, trust),
  });
}
