import type { BinTable } from '../../shared/store/bin-range.repository.js';
import type { MerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';
import type { PaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import type { PaymentLinkRepository } from '../../shared/store/payment-link.repository.js';
import type { ReferenceReservations } from '../../shared/store/reference-reservation.repository.js';
import type { SessionRepository } from '../../shared/store/session.repository.js';
import type { PaymentDeps } from '../payments/payment-deps.js';
import type { WalletConfigurationDeps } from '../wallets/wallet-configuration.js';
import type { SessionTokens } from './session-token.js';

/** What the flows of sessions are given beyond those of payments. */
export interface SessionDeps extends PaymentDeps {
  readonly methods: Pick<MerchantPaymentMethodRepository, 'findPaymentMethod' | 'findPaymentMethodsOf'>;
  readonly sessions: SessionRepository;
  readonly reservations: ReferenceReservations;
  readonly sessionTokens: SessionTokens;
  readonly links: PaymentLinkRepository;
  readonly bins: Pick<BinTable, 'find'>;
  /** For the page that shows wallet-a. */
  readonly walletPage: Pick<WalletConfigurationDeps, 'methods' | 'authJwtKeys'>;
  readonly instruments: Pick<PaymentInstrumentRepository, 'find' | 'insert' | 'listByCustomer' | 'remove'>;
}
