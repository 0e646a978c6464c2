import type { WebConfig } from '../../config/index.js';
import type { Clock } from '../../shared/clock.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { Log } from '../../shared/log.js';
import type { Hints } from '../../shared/queue/hints.js';
import type { CustomerRepository } from '../../shared/store/customer.repository.js';
import type { DeliveryRepository } from '../../shared/store/delivery.repository.js';
import type { MerchantRepository } from '../../shared/store/merchant.repository.js';
import type { MerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';
import type { PaymentRepository } from '../../shared/store/payment.repository.js';
import type { PaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import type { PaymentQueries } from '../../shared/store/payment-queries.repository.js';
import type { Vault } from '../../shared/vault/vault.js';
import type { Idempotency } from '../http/define-endpoint.js';
import type { ReferenceGuard } from '../limits/reference-guard.js';
import type { WalletTokenDeps } from '../wallets/wallet-token-deps.js';
import type { OutcomeWaiter } from './await-outcome.js';
import type { WaitingRoom } from './waiting-room.js';

/** What the payment flows are given. */
export interface PaymentDeps {
  readonly config: WebConfig;
  readonly clock: Clock;
  readonly merchants: Pick<MerchantRepository, 'findMerchant'>;
  readonly methods: Pick<MerchantPaymentMethodRepository, 'findPaymentMethod'>;
  readonly customers: Pick<CustomerRepository, 'find'>;
  readonly payments: PaymentRepository;
  readonly queries: PaymentQueries;
  readonly deliveries: Pick<DeliveryRepository, 'findByPayment' | 'replay'>;
  readonly instruments: Pick<PaymentInstrumentRepository, 'find'>;
  readonly vault: Vault;
  readonly hints: Hints;
  readonly outcomes: OutcomeWaiter;
  readonly waitingRoom: WaitingRoom;
  readonly references: ReferenceGuard;
  /** For sources that are wallet tokens. */
  readonly wallets: WalletTokenDeps;
}

/** Who calls, and what ends with the answer. */
export interface Caller {
  readonly principal: Principal;
  readonly traceId: string;
  /** Set when the caller may send the request again: what its ids are made from. */
  readonly idempotency?: Idempotency | undefined;
  readonly log: Log;
  /** Called once; true when the whole answer was handed to the network. */
  onFlushed(callback: (flushed: boolean) => void): void;
}
