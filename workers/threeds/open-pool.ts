/** The pool that authenticates payers. */
import { createMerchantRepository } from '../../shared/store/merchant.repository.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { createThreeDsProviders } from '../../shared/threeds-providers/registry.js';
import type { Pool } from '../define-worker.js';
import { closingToo, forPayments, type Shared } from '../pool-deps.js';
import { createThreeDsPool } from './threeds-pool.js';

export async function openPool({ config, redis, vaultOf, ...shared }: Shared<'threeds'>): Promise<Pool> {
  const providers = createThreeDsProviders(config);
  const pool = createThreeDsPool({
    ...shared,
    vault: await vaultOf(config),
    providers,
    merchants: createMerchantRepository(shared.database, shared.clock),
    instruments: createPaymentInstrumentRepository(shared.database),
    ...forPayments({ config, redis }),
    publicBaseUrl: config.publicBaseUrl,
  });
  return closingToo(pool, providers);
}
