/** What the API tier is given to run. Small interfaces, so that tests put fakes or real things behind each. */
import type { Config } from '../config/index.js';
import type { Clock } from '../shared/clock.js';
import type { Principal } from '../shared/domain/principal.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';
import type { AuditRepository } from '../shared/store/audit.repository.js';
import type { IdempotencyRepository } from '../shared/store/idempotency.repository.js';
import type { RateLimits } from './limits/rate-limits.js';
import type { ReferenceGuard } from './limits/reference-guard.js';

export interface Authenticator {
  /**
   * The caller behind an `Authorization` header, or undefined when it proves nobody.
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

export interface ReadinessReport {
  readonly ready: boolean;
  readonly mongodb: 'ok' | 'down';
  readonly redis: 'ok' | 'degraded';
  /** Why it is not ready, in our own words. */
  readonly reason?: string;
}

export interface Readiness {
  check(): Promise<ReadinessReport>;
  /** True from SIGTERM on: answers then close their connection. */
  readonly draining: boolean;
}

/**
 * Request-time flows that endpoints call. Each file of `api/usecases` adds its own by declaration merging:
 * `declare module '../deps.js' { interface UseCases { createPayment: CreatePayment } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging.
export interface UseCases {}

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

export interface AppDeps {
  readonly config: Pick<
    Config,
    'environment' | 'publicBaseUrl' | 'trustedProxies' | 'sandboxFile' | 'sandboxProcessorUrl'
  > &
    Partial<Pick<Config, 'pagesOperatorName' | 'pagesPrivacyUrl' | 'pagesTermsUrl' | 'pagesSupportUrl'>>;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly authenticator: Authenticator;
  readonly authorizeMerchant: AuthorizeMerchant;
  /** Absent: nothing is limited (the operator port). */
  readonly rateLimits?: RateLimits;
  readonly idempotency: IdempotencyDeps;
  /** Refuses bodies with card numbers where text was meant. Absent: nothing is looked for. */
  readonly refuseCardTexts?: (body: unknown) => Promise<void>;
  /** Absent: nothing is recorded (the operator port). */
  readonly audit?: Pick<AuditRepository, 'append'>;
  readonly readiness: Readiness;
  /** Aborted when the process may wait no longer: calls that still wait answer `pending`. */
  readonly shutdown: AbortSignal;
  readonly usecases: UseCases;
}

/** What a handler is given: the same, and the document that describes the whole list. */
export interface HandlerDeps extends AppDeps {
  /** The OpenAPI document as JSON text, made once. */
  openApi(): string;
  /** The same as OpenAPI 3.0. */
  openApi30(): string;
}
