/** What the API tier is given to run. */
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
import type { AdmissionLimit } from './payments/admission-limit.js';
import type { OutcomeWaiter } from './payments/await-outcome.js';
import type { SessionTokens } from './sessions/session-token.js';
import type { ProviderCatalogue } from './threeds/provider-catalogue.js';
import type { AuthJwtKey } from './wallets/auth-jwt.js';

export interface Authenticator {
  /**
   * The caller behind an `Authorization` header, or undefined when it proves no identity.
   * @param address where it comes from; failures are counted by it.
   * @throws {GatewayError} `too-many-requests` after too many failures.
   */
  authenticate(authorizationHeader: string | undefined, address?: string): Promise<Principal | undefined>;
}

/**
 * @param field names the merchant id in `params` of the error; `merchantId` when it is not given.
 * @throws {GatewayError} `merchant-not-found` (there is none) or `forbidden` (not the caller's, not granted to the key).
 */
export type AuthorizeMerchant = (principal: Principal, merchantId: number, field?: string) => Promise<void>;

/**
 * `bin-table-empty`: type, issuer and country of cards are unknown. `safe-mode`: the database was restored, payments are refused.
 * `redis-evicts`: Redis may throw nudges away.
 */
export type ReadinessNotice = 'bin-table-empty' | 'safe-mode' | 'redis-evicts';

export interface ReadinessReport {
  readonly ready: boolean;
  readonly mongodb: 'ok' | 'down';
  readonly redis: 'ok' | 'degraded';
  /** Why it is not ready, in our own words. */
  readonly reason?: string;
  readonly notices?: readonly ReadinessNotice[];
}

export interface Readiness {
  check(): Promise<ReadinessReport>;
  /** True from SIGTERM on: answers then close their connection. */
  readonly draining: boolean;
}

/** What endpoints that take an `Idempotency-Key` work with. */
export interface IdempotencyDeps {
  readonly rows: IdempotencyRepository;
  /** Counts bodies that differ under one key. */
  readonly references: ReferenceGuard;
  /** Tells bodies apart, without their cvc. */
  digest(body: unknown): string;
  /** After this a call that did not finish is taken for dead (ms). */
  readonly leaseMs: number;
}

/** What a call of the API works with: made once per process, in `connect.ts`. A flow asks for what it uses of it. */
export interface ApiDeps {
  readonly config: WebConfig;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly readiness: Readiness;

  readonly authenticator: Authenticator;
  readonly authorizeMerchant: AuthorizeMerchant;
  readonly accessTokens: AccessTokens;
  /** Absent: nothing is limited (the operator port). */
  readonly rateLimits?: RateLimits;
  readonly idempotency: IdempotencyDeps;
  readonly references: ReferenceGuard;
  /** Refuses bodies with card numbers where text was meant. */
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

  /** Of processors' updates, by code. */
  readonly updateReaders: UpdateReaders;
  readonly updates: ProcessorUpdateRepository;
  /** Of merchants at processors: for secrets of signatures. */
  readonly credentials: Pick<ProcessorCredentialsRepository, 'find'>;

  readonly merchants: MerchantRepository;
  readonly methods: MerchantPaymentMethodRepository;
  /** What payments can be sent to. */
  readonly chargeContexts: ChargeContexts;
  readonly logos: MerchantLogoRepository;
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

  /** Of merchants with wallets. */
  readonly walletIntegrations: WalletIntegrationRepository;
  /** Wallet tokens on their way through the `wallet` pool. */
  readonly walletOpenings: WalletOpeningRepository;
  /** Wallet tokens that were used. */
  readonly walletUses: WalletUseRepository;
  /** Newest first. */
  readonly authJwtKeys: readonly AuthJwtKey[];
}

/** What a handler is given: the same, and the document that describes the whole list. */
export interface HandlerDeps extends ApiDeps {
  /** The OpenAPI document as JSON text, made once. */
  openApi(): string;
  /** The same as OpenAPI 3.0. */
  openApi30(): string;
}
