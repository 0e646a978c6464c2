import type { Config } from '../../config/index.js';
import type { Clock } from '../../shared/clock.js';
import type { AuditRepository } from '../../shared/store/audit.repository.js';
import type { MerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';
import type { PaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import type { ThreeDsSessionRepository } from '../../shared/store/threeds-session.repository.js';
import type { ProviderCatalogue } from './provider-catalogue.js';

/** What the flows about 3D Secure are given. */
export interface ThreeDsDeps {
  readonly config: Pick<Config, 'environment'>;
  readonly clock: Clock;
  readonly catalogue: ProviderCatalogue;
  readonly methods: Pick<MerchantPaymentMethodRepository, 'readPaymentMethod' | 'findPaymentMethod' | 'saveThreeDs'>;
  readonly instruments: Pick<PaymentInstrumentRepository, 'find'>;
  readonly sessions: ThreeDsSessionRepository;
  readonly audit: Pick<AuditRepository, 'append'>;
}
