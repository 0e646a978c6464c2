/**
 * A pool: one folder, one queue, one Procfile line. Nudges make it fast, its sweep over MongoDB makes it reliable: the sweep finds and does
 * everything that a nudge would have started, only later.
 */
import type { Config, ConfigOf } from '../config/index.js';
import type { ProcessName } from '../config/readers.js';
import type { Clock } from '../shared/clock.js';
import type { Payment, WorkQueue } from '../shared/domain/payment/payment.js';
import type { Schedule } from '../shared/domain/schedule.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';
import type { Processor } from '../shared/processors/processor.js';
import type { JobDefinition } from '../shared/queue/define-job.js';
import type { Nudges } from '../shared/queue/nudges.js';
import type { Redis } from '../shared/queue/redis.js';
import type { Reply } from '../shared/queue/reply-channel.js';
import type { BinTable } from '../shared/store/bin-range.repository.js';
import type { CardDeclineRepository } from '../shared/store/card-decline.repository.js';
import type { CustomerRepository } from '../shared/store/customer.repository.js';
import type { Database } from '../shared/store/database.js';
import type { DeliveryRepository } from '../shared/store/delivery.repository.js';
import type { MerchantRepository } from '../shared/store/merchant.repository.js';
import type { MerchantPaymentMethodRepository } from '../shared/store/merchant-payment-method.repository.js';
import type { PaymentRepository } from '../shared/store/payment.repository.js';
import type { PaymentInstrumentRepository } from '../shared/store/payment-instrument.repository.js';
import type { PaymentLinkRepository } from '../shared/store/payment-link.repository.js';
import type { SessionRepository } from '../shared/store/session.repository.js';
import type { WalletIntegrationRepository } from '../shared/store/wallet-integration.repository.js';
import type { WalletOpeningRepository } from '../shared/store/wallet-opening.repository.js';
import type { WalletUseRepository } from '../shared/store/wallet-use.repository.js';
import type { ThreeDsProvider } from '../shared/threeds-providers/provider.js';
import type { Vault } from '../shared/vault/vault.js';

export type PoolName = Exclude<ProcessName, 'web'>;

/** Pools that take no work after a restore until the processors' books were compared: they send operations, or lead to them. */
export const stopsInSafeMode = (pool: PoolName): boolean => queuesOfPayments.has(pool);
const queuesOfPayments: ReadonlySet<string> = new Set<WorkQueue>(['threeds', 'processor', 'qr']);

export interface Pool {
  readonly name: PoolName;
  /** Empty for a pool that only its sweep drives. */
  readonly jobs: readonly PoolJob[];
  /** Processors for which the pool is configured, if it sends payments to any. */
  readonly processors?: readonly string[];
  /** Finds due work and does it or nudges it; `more` asks for the next sweep at once. */
  sweep(): Promise<{ readonly found: number; readonly more: boolean }>;
  /** Stops new work from following the work in flight; settles when that has ended. Absent: only sweeps and nudges begin work. */
  quiesce?(): Promise<void>;
  /** Settles when everything that its sweeps have begun has ended. Absent: a sweep ends with all that it began. */
  idle?(): Promise<unknown>;
  /** Stops taking work, gives back work that was not started, and closes what the pool opened. */
  close(): Promise<void>;
}

/** A job name and its handler; the payload was checked against the job's schema. */
export interface PoolJob {
  readonly name: string;
  readonly schema: JobDefinition<unknown>['schema'];
  handle(payload: unknown, delivery: JobDelivery): Promise<void>;
}

/** How a nudge arrived. */
export interface JobDelivery {
  /**
   * Whether no other process can have been given the same job: during the lease of a stored claim the connection to Redis was not lost and
   * led to the same server. A Redis that lost its last second, or failed over, hands out jobs again.
   */
  readonly handedOutOnce: boolean;
}

/** Gives the handler the type of its job. */
export function onJob<Payload>(
  job: JobDefinition<Payload>,
  handle: (payload: Payload, delivery: JobDelivery) => Promise<void>,
): PoolJob {
  return { name: job.name, schema: job.schema as PoolJob['schema'], handle: handle as PoolJob['handle'] };
}

/** Everything that handlers use: each names its part, `Pick<PoolDeps, …>`. What only one pool has is made in that pool's file. */
export interface PoolDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly nudges: Nudges;
  readonly schedule: Schedule;
  readonly payments: PaymentRepository;
  readonly sessions: SessionRepository;
  readonly links: PaymentLinkRepository;
  readonly deliveries: DeliveryRepository;
  readonly merchants: Pick<MerchantRepository, 'findMerchant'>;
  readonly methods: Pick<MerchantPaymentMethodRepository, 'findPaymentMethod'>;
  readonly instruments: PaymentInstrumentRepository;
  readonly customers: Pick<CustomerRepository, 'find'>;
  readonly bins: BinTable;
  readonly declines: CardDeclineRepository;
  readonly walletOpenings: WalletOpeningRepository;
  readonly walletUses: Pick<WalletUseRepository, 'removeDue'>;
  readonly walletIntegrations: WalletIntegrationRepository;
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  readonly processors: { get(code: string): Processor | undefined };
  readonly providers: { get(code: string): ThreeDsProvider | undefined };
  /** Sends an outcome to the API process whose caller waits; does not wait for Redis. */
  publish(channel: string, reply: Reply): void;
  renderCallback(payment: Payment): string;
  /** Address at which payers reach the API's pages. */
  readonly publicBaseUrl: string;
  /** Whether claims of one tick are sent as one write. */
  readonly batchWrites: boolean;
  /** Claims and operations that run at once in this process. */
  readonly concurrency: number;
}

/** What a pool is opened with. The type lets pool `P` see only the settings that `config/readers.ts` grants it. */
export interface Opening<P extends PoolName>
  extends Pick<PoolDeps, 'clock' | 'log' | 'metrics' | 'nudges' | 'payments'> {
  readonly config: ConfigOf<P>;
  readonly database: Database;
  readonly redis: Redis;
  /** Why no operation may begin: the database was restored. `undefined`: operations may begin. Absent: nothing watches for a restore. */
  readonly restored?: () => string | undefined;
  /** The one vault of the process, opened for the first pool that asks: only pools that may read the master keys can ask. */
  readonly vaultOf: (config: Pick<Config, 'vaultMasterKeys'>) => Promise<Vault>;
}
