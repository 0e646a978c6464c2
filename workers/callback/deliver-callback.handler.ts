/** One try of a claimed delivery: send it, then judge the answer and record it. */
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { ClaimedDelivery } from '../../shared/domain/callback/delivery.js';
import type { Log } from '../../shared/log.js';
import type { DeliveryRepository } from '../../shared/store/delivery.repository.js';
import type { RecordedTry } from '../../shared/store/delivery-records.js';
import type { Visit } from './host-gate.js';
import type { CallbackPoster, PostResult } from './post-callback.js';
import { blamesReceiver, meaningOf, nextTryAt } from './retry-schedule.js';

export interface DelivererDeps {
  readonly deliveries: DeliveryRepository;
  readonly poster: CallbackPoster;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** Divides the waits of the schedule (testing only). */
  readonly timeScale: number;
}

/** The result of sending, before it is recorded. */
export interface SentTry {
  readonly claimed: ClaimedDelivery;
  readonly result: PostResult;
  /** What the try says about the client's receiver at the host. */
  readonly visit: Visit;
}

function judge(claimed: ClaimedDelivery, result: PostResult, now: Date, deps: DelivererDeps): RecordedTry {
  const attempt = {
    at: now,
    ms: result.ms,
    ...(result.kind === 'answered' ? { status: result.status } : { error: result.error }),
  };
  const meaning = result.kind === 'answered' ? meaningOf(result.status) : 'again';
  if (meaning !== 'again') return { attempt, state: meaning };
  const { callbackAfterMs: afterMs, callbackJitter: jitter } = limits;
  const dueAt = nextTryAt(claimed.tries + 1, now, { afterMs, jitter, timeScale: deps.timeScale, random: deps.random });
  return dueAt === 'exhausted' ? { attempt, state: 'exhausted' } : { attempt, state: 'waiting', dueAt };
}

function visitOf(result: PostResult): Visit {
  if (result.kind !== 'answered' || blamesReceiver(result.status)) return 'failed';
  return result.ms > limits.callbackSlowMs ? 'slow' : 'good';
}

/** Sends a claimed delivery once. Its slot at the host is free when this settles. */
export async function sendCallback(
  claimed: ClaimedDelivery,
  { poster }: Pick<DelivererDeps, 'poster'>,
): Promise<SentTry> {
  const result = await poster.post({
    url: claimed.url,
    body: claimed.body,
    eventId: claimed.eventId,
    attempt: claimed.tries + 1,
    eventCreatedAt: claimed.createdAt,
    resourceVersion: claimed.resourceVersion,
  });
  return { claimed, result, visit: visitOf(result) };
}

/**
 * Records the result of a try. A crash before it sends the delivery again: at least once.
 * @returns what was recorded; `undefined`: its lease had run out
 * @throws only when the database does not answer; the lease then runs out and the delivery is tried again.
 */
export async function recordTry({ claimed, result }: SentTry, deps: DelivererDeps): Promise<RecordedTry | undefined> {
  const { deliveries, clock, log } = deps;
  const now = clock.now();
  const tried = judge(claimed, result, now, deps);
  const recorded = await deliveries.record(claimed, tried, now);
  log.info('delivery.attempted', {
    deliveryId: claimed._id,
    eventId: claimed.eventId,
    host: claimed.host,
    ms: result.ms,
    tries: claimed.tries + 1,
    kind: recorded ? tried.state : 'lease-lost',
    ...(result.kind === 'answered' ? { status: result.status } : { reason: result.error }),
  });
  return recorded ? tried : undefined;
}
