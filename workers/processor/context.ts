import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { UnresolvedContext } from '../../shared/domain/payment/plan-unresolved.js';
import type { SettleContext } from '../../shared/domain/payment/settle.js';
import type { Schedule } from '../../shared/domain/schedule.js';
import { newTransactionId } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { Processor, ProcessorTraits } from '../../shared/processors/processor.js';
import type { Hints } from '../../shared/queue/hints.js';
import type { Reply } from '../../shared/queue/reply-channel.js';
import type { BinTable } from '../../shared/store/bin-range.repository.js';
import type { PaymentRepository } from '../../shared/store/payment.repository.js';
import type { PaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import type { Vault } from '../../shared/vault/vault.js';
import type { ClaimedWork } from '../payment-work.js';
import type { CardTesting } from './card-testing.js';

/** What the handlers of this pool are given. */
export interface ProcessorPoolDeps {
  readonly payments: PaymentRepository;
  readonly processors: { get(code: string): Processor | undefined };
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  readonly instruments: PaymentInstrumentRepository;
  readonly bins: BinTable;
  readonly cardTesting: CardTesting;
  readonly hints: Hints;
  /** Sends the outcome to the API process whose caller waits; never waits itself. */
  publish(channel: string, reply: Reply): void;
  renderCallback(payment: Payment): string;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Claims and operations that run at once in this process. */
  readonly concurrency: number;
  readonly batchWrites: boolean;
}

/** One claimed piece of work. */
export interface Claimed extends ClaimedWork {
  readonly processor: Processor | undefined;
  readonly traceId: string;
}

/** A claim that was inherited from another process may have been sent by it. */
export const isInherited = ({ work }: Claimed) => work.attempt?.token !== work.leaseToken;

const noTraits: ProcessorTraits = { dedupes: false, tombstones: false, refundNeedsPan: false };

export function settleContext(deps: ProcessorPoolDeps, traits: ProcessorTraits | undefined): SettleContext {
  const { schedule } = deps;
  return {
    now: deps.clock.now(),
    renderCallback: deps.renderCallback,
    nextTxId: newTransactionId(),
    authorizationExpiryMs: schedule.authorizationExpiryMs,
    cardDestroyMs: traits?.refundNeedsPan ? schedule.cardDestroyWithRefundsMs : schedule.cardDestroyMs,
    instrumentHeldMs: limits.instrumentHeldMs,
    refundCheckAfterMs: schedule.refundCheckAfterMs,
    deadlineRetryMs: schedule.inquireAfterMs[1] ?? schedule.reverseAgainMs,
  };
}

export function unresolvedContext(deps: ProcessorPoolDeps, traits: ProcessorTraits = noTraits): UnresolvedContext {
  return {
    now: deps.clock.now(),
    renderCallback: deps.renderCallback,
    schedule: deps.schedule,
    dedupes: traits.dedupes,
    tombstones: traits.tombstones,
  };
}
