import type { Config } from '../../config/index.js';
import type { Clock } from '../../shared/clock.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { Log } from '../../shared/log.js';
import type { AuditRepository } from '../../shared/store/audit.repository.js';
import type { MerchantRepository } from '../../shared/store/merchant.repository.js';
import type { MerchantLogoRepository } from '../../shared/store/merchant-logo.repository.js';
import type { MerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';

/** What the flows about merchants and their configuration are given. */
export interface MerchantDeps {
  readonly config: Pick<Config, 'environment'>;
  readonly clock: Clock;
  readonly merchants: Pick<MerchantRepository, 'readMerchant' | 'pageMerchants' | 'setLogo'>;
  readonly methods: Omit<MerchantPaymentMethodRepository, 'findPaymentMethod' | 'savePaymentMethod'>;
  readonly logos: MerchantLogoRepository;
  readonly audit: Pick<AuditRepository, 'append'>;
}

/** Who changes a configuration: what its entry in the audit is made of. */
export interface Changer {
  readonly principal: Principal;
  readonly traceId: string;
  readonly log: Log;
}
