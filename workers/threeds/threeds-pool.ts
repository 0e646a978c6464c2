/** The pool that authenticates payers and hands payments on to the processor pool. */
import type { ThreeDsWorkKind } from '../../shared/domain/payment/payment.js';
import { createCustomerRepository } from '../../shared/store/customer.repository.js';
import { createMerchantRepository } from '../../shared/store/merchant.repository.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { createThreeDsProviders } from '../../shared/threeds-providers/registry.js';
import { createPaymentWork, forPayments } from '../payment-work.js';
import type { Opening, Pool, PoolDeps } from '../pool.js';
import { type AuthenticationDeps, handleAuthentication } from './authenticate-payment.handler.js';
import { handleConclusion } from './conclude-authentication.handler.js';

/** Idempotent: the provider knows the session and gives the same answer. */
const handlers = {
  authenticate: handleAuthentication,
  'await-challenge': handleConclusion,
  conclude: handleConclusion,
} as const satisfies Record<ThreeDsWorkKind, unknown>;

type ThreeDsPoolDeps = AuthenticationDeps & Pick<PoolDeps, 'batchWrites'>;

export function createThreeDsPool(deps: ThreeDsPoolDeps): Pool {
  const { jobs, sweep, idle, close } = createPaymentWork('threeds', deps, (claimed) =>
    handlers[claimed.work.kind as ThreeDsWorkKind](deps, claimed),
  );
  return { name: 'threeds', jobs, sweep, idle, close: async () => close() };
}

export async function openPool({ config, redis, vaultOf, ...given }: Opening<'threeds'>): Promise<Pool> {
  const providers = createThreeDsProviders(config);
  const pool = createThreeDsPool({
    ...given,
    ...forPayments({ config, redis, log: given.log }),
    providers,
    vault: await vaultOf(config),
    merchants: createMerchantRepository(given.database, given.clock),
    instruments: createPaymentInstrumentRepository(given.database),
    customers: createCustomerRepository(given.database),
    publicBaseUrl: config.publicBaseUrl,
  });
  return {
    ...pool,
    async close() {
      await pool.close();
      await providers.close();
    },
  };
}
