/** The pool that calls acquirers. */
import type { Processor } from '../../shared/processors/processor.js';
import { createProcessors, type Processors } from '../../shared/processors/registry.js';
import { createBinTable } from '../../shared/store/bin-range.repository.js';
import { createCardDeclineRepository } from '../../shared/store/card-decline.repository.js';
import { createCustomerRepository } from '../../shared/store/customer.repository.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { createProcessorCredentialsRepository } from '../../shared/store/processor-credentials.repository.js';
import type { Pool } from '../define-worker.js';
import { closingToo, forPayments, type Shared } from '../pool-deps.js';
import { createCardTesting, noCardTesting } from './card-testing.js';
import { createProcessorPool } from './processor-pool.js';
import { withCredentials } from './with-credentials.js';

/** The adapters of the installation, each with what it is given of a merchant. */
function credentialed(processors: Processors, deps: Parameters<typeof withCredentials>[0]): Pick<Processors, 'get'> {
  const made = new Map(
    processors.codes.map((code) => [code, withCredentials(deps, processors.get(code) as Processor)] as const),
  );
  return { get: (code) => made.get(code) };
}

export async function openPool({ config, redis, vaultOf, ...shared }: Shared<'processor'>): Promise<Pool> {
  const processors = createProcessors(config, shared.log);
  const credentials = createProcessorCredentialsRepository(shared.database);
  const { cardTestingThrottles: wanted, environment } = config;
  const throttles = wanted === 'on' || (wanted === 'auto' && environment === 'production');
  const instruments = createPaymentInstrumentRepository(shared.database);
  const vault = await vaultOf(config);
  const pool = createProcessorPool({
    ...shared,
    vault,
    processors: credentialed(processors, { credentials, vault }),
    instruments,
    customers: createCustomerRepository(shared.database),
    bins: createBinTable(shared.database),
    cardTesting: throttles
      ? createCardTesting({ ...shared, vault, instruments, declines: createCardDeclineRepository(shared.database) })
      : noCardTesting,
    ...forPayments({ config, redis }),
    concurrency: config.workerConcurrency,
  });
  return closingToo(pool, processors);
}
