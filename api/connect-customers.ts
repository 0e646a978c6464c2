/** Builds the customer flows of an API process, and what its idempotent endpoints remember requests by. */
import type { WebConfig } from '../config/index.js';
import { limits } from '../config/limits.js';
import type { Clock } from '../shared/clock.js';
import type { CustomerRepository } from '../shared/store/customer.repository.js';
import type { Database } from '../shared/store/database.js';
import { createIdempotencyRepository } from '../shared/store/idempotency.repository.js';
import { createPaymentInstrumentRepository } from '../shared/store/payment-instrument.repository.js';
import { makeCustomerUseCases } from './customers/customers.js';
import type { IdempotencyDeps } from './deps.js';
import type { ReferenceGuard } from './limits/reference-guard.js';
import { digestBody } from './payments/body-digest.js';

export function connectCustomers(given: {
  readonly config: WebConfig;
  readonly clock: Clock;
  readonly database: Database;
  readonly customers: CustomerRepository;
  readonly references: ReferenceGuard;
}) {
  const { config, clock, database, customers, references } = given;
  return makeCustomerUseCases({
    customers,
    instruments: createPaymentInstrumentRepository(database),
    references,
    digestKey: config.digestKey,
    clock,
  });
}

export function connectIdempotency(config: WebConfig, database: Database, references: ReferenceGuard): IdempotencyDeps {
  return {
    references,
    rows: createIdempotencyRepository(database),
    digest: (body) => digestBody(config.digestKey, body),
    // No call runs longer than its wait for an outcome and a moment.
    leaseMs: Math.max(limits.idempotencyLeaseMs, config.responseWaitMs + limits.idempotencyMarginMs),
  };
}
