/** The pool that calls acquirers. */
import { createProcessors } from '../../shared/processors/registry.js';
import { createBinTable } from '../../shared/store/bin-range.repository.js';
import { createCardDeclineRepository } from '../../shared/store/card-decline.repository.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import type { Pool } from '../define-worker.js';
import { closingToo, forPayments, type Shared } from '../pool-deps.js';
import { createCardTesting, noCardTesting } from './card-testing.js';
import { createProcessorPool } from './processor-pool.js';

export async function openPool({ config, redis, vaultOf, ...shared }: Shared<'processor'>): Promise<Pool> {
  const processors = createProcessors(config, shared.log, shared.database);
  const { cardTestingThrottles: wanted, environment } = config;
  const throttles = wanted === 'on' || (wanted === 'auto' && environment === 'production');
  const instruments = createPaymentInstrumentRepository(shared.database);
  const vault = await vaultOf(config);
  const pool = createProcessorPool({
    ...shared,
    vault,
    processors,
    instruments,
    bins: createBinTable(shared.database),
    cardTesting: throttles
      ? createCardTesting({ ...shared, vault, instruments, declines: createCardDeclineRepository(shared.database) })
      : noCardTesting,
    ...forPayments({ config, redis }),
    concurrency: config.workerConcurrency,
  });
  return closingToo(pool, processors);
}
