/** Dependencies of the API tier. */
import type { WebConfig } from '../config/index.js';
import type { Clock } from '../shared/clock.js';
import type { Principal } from '../shared/domain/principal.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';
import type { UpdateReaders } from '../shared/processors/update-readers.js';
import type { Nudges } from '../shared/queue/nudges.js';
import type { AuditRepository } from '../shared/store/audit.repository.js';
import type { BinTable } from '../shared/store/bin-range.repository.js';
import type { CustomerRepository } from '../shared/store/customer.repository.js';
import type { DeliveryRepository } from '../shared/store/delivery.repository.js';
import type { IdempotencyRepository } from '../shared/store/idempotency.repository.js';
import type { LinkSettingsRepository } from '../shared/store/link-settings.repository.js';
import type { MerchantRepository } from '../shared/store/merchant.repository.js';
import type { MerchantLogoRepository } from '../shared/store/merchant-logo.repository.js';
import type { MerchantPaymentMethodRepository } from '../shared/store/merchant-payment-method.repository.js';
import type { PaymentRepository } from '../shared/store/payment.repository.js';
import type { PaymentInstrumentRepository } from '../shared/store/payment-instrument.repository.js';
import type { PaymentLinkRepository } from '../shared/store/payment-link.repository.js';
import type { PaymentQueries } from '../shared/store/payment-queries.repository.js';
import type { ProcessorCredentialsRepository } from '../shared/store/processor-credentials.repository.js';
import type { ProcessorUpdateRepository } from '../shared/store/processor-update.repository.js';
import type { ReferenceReservations } from '../shared/store/reference-reservation.repository.js';
import type { SessionRepository } from '../shared/store/session.repository.js';
import type { ThreeDsSessionRepository } from '../shared/store/threeds-session.repository.js';
import type { WalletIntegrationRepository } from '../shared/store/wallet-integration.repository.js';
import type { WalletOpeningRepository } from '../shared/store/wallet-opening.repository.js';
import type { WalletUseRepository } from '../shared/store/wallet-use.repository.js';
import type { Vault } from '../shared/vault/vault.js';
import type { PageCursors } from './http/page-cursor.js';
import type { AccessTokens } from './identity/access-token.js';
import type { RateLimits } from './limits/rate-limits.js';
import type { ReferenceGuard } from './limits/reference-guard.js';
import type { ChargeContexts } from './merchants/offered-processors.js';
import type { KeptAssets } from './pages/kept-assets.js';
import type { AdmissionLimit } from './payments/admission-limit.js';
import type { OutcomeWaiter } from './payments/await-outcome.js';
import type { SessionTokens } from './sessions/session-token.js';
import type { ProviderCatalogue } from './threeds/provider-catalogue.js';
import type { AuthJwtKey } from './wallets/auth-jwt.js';

export interface Authenticator {
  /**
   * Returns the caller behind an `Authorization` header, or undefined when the header proves no identity.
   * @param address address that the call comes from; failures are counted per address.
   * @throws {GatewayError} `too-many-requests` after too many failures.
   */
  authenticate(authorizationHeader: string | undefined, address?: string): Promise<Principal | undefined>;
}

/**
 * Checks that the caller may act for a merchant.
 * @param field name of the merchant id in `params` of the error; `merchantId` by default.
 * @throws {GatewayError} `merchant-not-found` (it does not exist) or `forbidden` (not the caller's, or not granted to the key).
 */
export type AuthorizeMerchant = (principal: Principal, merchantId: number, field?: string) => Promise<void>;

/**
 * `bin-table-empty`: type, issuer and country of cards are unknown. `safe-mode`: the database was restored, payments are refused.
 * `redis-evicts`: Redis may evict nudges.
 */
export type ReadinessNotice = 'bin-table-empty' | 'safe-mode' | 'redis-evicts';

export interface ReadinessReport {
  readonly ready: boolean;
  readonly mongodb: 'ok' | 'down';
  readonly redis: 'ok' | 'degraded';
  /** Why the process is not ready, in our own words. */
  readonly reason?: string;
  readonly notices?: readonly ReadinessNotice[];
}

export interface Readiness {
  check(): Promise<ReadinessReport>;
  /** True from SIGTERM on: answers then close their connection. */
  readonly draining: boolean;
}

/** Dependencies of endpoints that take an `Idempotency-Key`. */
export interface IdempotencyDeps {
  readonly rows: IdempotencyRepository;
  /** Counts calls with different bodies under the same key. */
  readonly references: ReferenceGuard;
  /** Returns a digest by which bodies are compared; it leaves out the cvc. */
  digest(body: unknown): string;
  /** Time after which an unfinished call counts as dead (ms). */
  readonly leaseMs: number;
}

/** Dependencies of an API call, created once per process in `connect.ts`. A flow takes only the ones that it uses. */
export interface ApiDeps {
  readonly config: WebConfig;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly readiness: Readiness;

  readonly authenticator: Authenticator;
  readonly authorizeMerchant: AuthorizeMerchant;
  readonly accessTokens: AccessTokens;
  /** Absent on the operator port: nothing is limited there. */
  readonly rateLimits?: RateLimits;
  readonly idempotency: IdempotencyDeps;
  readonly references: ReferenceGuard;
  /** Refuses bodies that have a card number in a text field. */
  readonly refuseCardTexts: (body: unknown) => Promise<void>;
  readonly audit: Pick<AuditRepository, 'append'>;

  readonly payments: PaymentRepository;
  readonly queries: PaymentQueries;
  readonly paymentCursors: PageCursors;
  readonly deliveries: DeliveryRepository;
  readonly nudges: Nudges;
  readonly outcomes: OutcomeWaiter;
  readonly admissionLimit: AdmissionLimit;
  readonly vault: Vault;

  /** Readers of the processors' updates, by processor code. */
  readonly updateReaders: UpdateReaders;
  readonly updates: ProcessorUpdateRepository;
  /** Credentials of merchants at processors: their secrets verify signatures. */
  readonly credentials: Pick<ProcessorCredentialsRepository, 'find'>;

  readonly merchants: MerchantRepository;
  readonly methods: MerchantPaymentMethodRepository;
  /** Processors that payments can be sent to. */
  readonly chargeContexts: ChargeContexts;
  readonly logos: MerchantLogoRepository;
  /** Style sheets, scripts and pictures of pages of other releases. */
  readonly keptAssets: KeptAssets;
  readonly customers: CustomerRepository;
  readonly instruments: PaymentInstrumentRepository;
  readonly bins: BinTable;

  readonly sessions: SessionRepository;
  readonly sessionTokens: SessionTokens;
  readonly reservations: ReferenceReservations;
  readonly links: PaymentLinkRepository;
  readonly linkSettings: LinkSettingsRepository;

  readonly threeDsSessions: ThreeDsSessionRepository;
  readonly threeDsProviders: ProviderCatalogue;

  /** Wallets that merchants have enabled. */
  readonly walletIntegrations: WalletIntegrationRepository;
  /** Wallet tokens that the `wallet` pool is opening. */
  readonly walletOpenings: WalletOpeningRepository;
  /** Wallet tokens that were already used. */
  readonly walletUses: WalletUseRepository;
  /** Keys of wallet-a's auth JWTs, newest first. */
  readonly authJwtKeys: readonly AuthJwtKey[];
}

/** Dependencies of a handler: the same, and the documents that describe all endpoints. */
export interface HandlerDeps extends ApiDeps {
  /** Returns the OpenAPI document (3.1) as JSON text, which is made once. */
  openApi(): string;
  /** Returns the OpenAPI document in version 3.0, as JSON text, which is made once. */
  openApi30(): string;
}
