/** Builds the flows about 3D Secure of an API process. */
import type { WebConfig } from '../config/index.js';
import type { Clock } from '../shared/clock.js';
import type { AuditRepository } from '../shared/store/audit.repository.js';
import type { Database } from '../shared/store/database.js';
import type { MerchantPaymentMethodRepository } from '../shared/store/merchant-payment-method.repository.js';
import { createPaymentInstrumentRepository } from '../shared/store/payment-instrument.repository.js';
import { createThreeDsSessionRepository } from '../shared/store/threeds-session.repository.js';
import { openProviderCatalogue } from './threeds/provider-catalogue.js';
import { makeThreeDsUseCases } from './threeds/threeds-usecases.js';

export function connectThreeDs(given: {
  readonly config: WebConfig;
  readonly clock: Clock;
  readonly audit: AuditRepository;
  readonly database: Database;
  /** Shared with the payment flows, so that this process authenticates by a change at once. */
  readonly methods: MerchantPaymentMethodRepository;
}) {
  const { audit, config, clock, database, methods } = given;
  return makeThreeDsUseCases({
    config,
    clock,
    methods,
    catalogue: openProviderCatalogue(config.threeDsProvidersFile, config.environment),
    instruments: createPaymentInstrumentRepository(database),
    sessions: createThreeDsSessionRepository(database),
    audit,
  });
}
