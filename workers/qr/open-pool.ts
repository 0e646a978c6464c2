/** The pool of bank transfers. */
import { createProcessors } from '../../shared/processors/registry.js';
import { createMerchantRepository } from '../../shared/store/merchant.repository.js';
import { createMerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';
import type { Pool } from '../define-worker.js';
import { closingToo, forPayments, type Shared } from '../pool-deps.js';
import { createQrPool } from './qr-pool.js';

export function openPool({ config, redis, ...shared }: Shared<'qr'>): Pool {
  const processors = createProcessors(config, shared.log, shared.database);
  const pool = createQrPool({
    ...shared,
    processors,
    merchants: createMerchantRepository(shared.database, shared.clock),
    methods: createMerchantPaymentMethodRepository(shared.database, shared.clock),
    ...forPayments({ config, redis }),
  });
  return closingToo(pool, processors);
}
