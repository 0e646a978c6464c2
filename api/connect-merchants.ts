/** Builds the flows about merchants of an API process. */
import type { WebConfig } from '../config/index.js';
import type { Clock } from '../shared/clock.js';
import type { AuditRepository } from '../shared/store/audit.repository.js';
import type { Database } from '../shared/store/database.js';
import type { MerchantRepository } from '../shared/store/merchant.repository.js';
import { createMerchantLogoRepository } from '../shared/store/merchant-logo.repository.js';
import type { MerchantPaymentMethodRepository } from '../shared/store/merchant-payment-method.repository.js';
import { makeMerchantUseCases } from './merchants/merchant-usecases.js';

export function connectMerchants(given: {
  readonly config: WebConfig;
  readonly clock: Clock;
  readonly audit: AuditRepository;
  readonly database: Database;
  readonly merchants: MerchantRepository;
  /** Shared with the payment flows, so that this process charges by a change at once. */
  readonly methods: MerchantPaymentMethodRepository;
}) {
  const { audit, config, clock, database, merchants, methods } = given;
  return makeMerchantUseCases({
    config,
    clock,
    merchants,
    methods,
    logos: createMerchantLogoRepository(database),
    audit,
  });
}
