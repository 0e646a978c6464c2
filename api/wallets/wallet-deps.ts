import type { Config } from '../../config/index.js';
import type { Clock } from '../../shared/clock.js';
import type { AuditRepository } from '../../shared/store/audit.repository.js';
import type { MerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';
import type { WalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import type { Vault } from '../../shared/vault/vault.js';
import type { AuthJwtKey } from './auth-jwt.js';

/** What the flows about wallet integrations are given. */
export interface WalletDeps {
  readonly config: Pick<
    Config,
    | 'environment'
    | 'walletAGatewayName'
    | 'walletAMerchantId'
    | 'walletARootKeysFile'
    | 'walletARecipientKeysFile'
    | 'walletBRootCertificatesFile'
  >;
  readonly clock: Clock;
  readonly integrations: WalletIntegrationRepository;
  readonly methods: Pick<MerchantPaymentMethodRepository, 'findPaymentMethodsOf'>;
  readonly vault: Pick<Vault, 'seal'>;
  readonly audit: Pick<AuditRepository, 'append'>;
  /** Newest first. */
  readonly authJwtKeys: readonly AuthJwtKey[];
}
