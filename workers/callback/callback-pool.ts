/**
 * The callback pool: sends what happened to payments and sessions to the addresses that merchants named. The path of one callback:
 *
 * 1. `announce-payment.handler.ts` (for sessions `announce-session.handler.ts`) stores the event as a delivery, due at once.
 * 2. A nudge, a search (`due-search.ts`) or the end of the delivery before it brings it to `delivery-scheduler.ts`. What happens to it is
 *    decided in `dispatch/dispatch.ts`, which holds all that is counted and does no I/O. It takes the first of each payment and looks
 *    for a slot: the right to have one callback in flight at its receiver, which is one client at one host. Slots are bounded per
 *    client and process (`admission.ts`), per host and receiver (`host-limits.ts`, which also pauses receivers that fail again and again).
 * 3. Without a free slot it gets room in the send queue (`send-queue.ts`), if slots there are free again soon. Without that it
 *    stays in MongoDB, and its receiver is in the backlog (`backlog.ts`). For a paused receiver it is moved to the pause's end.
 * 4. With a slot or room in the queue the scheduler claims it: it is leased to this process, one statement for many. It is given
 *    back if an earlier one of its payment still waits.
 * 5. `delivery-sender.ts` sends it, at once or from the queue when there is a slot: `try-delivery.ts` gives it to `post-callback.ts`,
 *    which connects to checked addresses only (`guarded-agent.ts`), maybe through a proxy (`proxy-dial.ts`).
 * 6. The answer frees the slot. What is queued takes it in the same turn; then the backlog is searched.
 * 7. `try-delivery.ts` records the try: the delivery has ended, or is due again later. Ended, it lets the next one of its payment
 *    begin at step 2. A process that dies before that leaves a lease that runs out: the delivery is sent again.
 */
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import { announcePayment } from '../../shared/queue/announce-payment.job.js';
import { deliverCallback } from '../../shared/queue/deliver-callback.job.js';
import { coalesce } from '../../shared/store/coalesce.js';
import { createDeliveryRepository } from '../../shared/store/delivery.repository.js';
import { createSessionRepository } from '../../shared/store/session.repository.js';
import { type Opening, onJob, type Pool, type PoolDeps } from '../pool.js';
import { sweepParts } from '../sweep-parts.js';
import { type AnnouncementStore, createAnnouncer } from './announce-payment.handler.js';
import { announceSessions, type SessionAnnouncerDeps } from './announce-session.handler.js';
import { DeliveryScheduler } from './delivery-scheduler.js';
import { createDispatch } from './dispatch/create-dispatch.js';
import { type CallbackPoster, createCallbackPoster } from './post-callback.js';

export interface CallbackPoolDeps extends Pick<PoolDeps, 'deliveries' | 'clock' | 'log'> {
  readonly sessions: SessionAnnouncerDeps['sessions'];
  readonly announcements: AnnouncementStore;
  readonly config: Pick<Config, 'environment' | 'callbackAllowPrivateNetworks' | 'timeScale' | 'workerConcurrency'> &
    Partial<Pick<Config, 'callbackProxyUrl'>>;
  /** From 0 (inclusive) to 1 (exclusive): spreads the retries. */
  readonly random: () => number;
  /** Sends over HTTP unless something else is given. */
  readonly poster?: CallbackPoster;
}

/** The pool works from MongoDB alone: {@link CallbackPool.sweep} does everything, nudges only do it sooner. */
export interface CallbackPool {
  /** Nudge: this payment has something to announce. Its callbacks are started, not waited for. */
  announce(paymentId: string): Promise<void>;
  /** Nudge: this delivery is due. Returns after its try, or at once when it is not its turn or its host has no room. */
  deliver(deliveryId: string): Promise<void>;
  /** Announces and starts all that is due; returns how much that was. Does not wait for receivers. */
  sweep(): Promise<number>;
  /** Settles when nothing is claimed or searched for. */
  idle(): Promise<void>;
  /** Starts nothing any more, gives back what is queued, and waits for what is in flight (at most `limits.callbackTotalMs`). */
  quiesce(): Promise<void>;
  /** The same, then closes the sockets. */
  close(): Promise<void>;
}

export function createCallbackPool(deps: CallbackPoolDeps): CallbackPool {
  const { config } = deps;
  const poster =
    deps.poster ??
    createCallbackPoster({
      environment: config.environment,
      allowPrivateNetworks: config.callbackAllowPrivateNetworks,
      proxyUrl: config.callbackProxyUrl,
    });
  const announcer = createAnnouncer(deps);
  const scheduler = new DeliveryScheduler({
    ...deps,
    poster,
    dispatch: createDispatch(config),
    timeScale: config.timeScale,
  });

  /** Nudges that come in the same turn are one search, one insert and one claim. */
  const announce = coalesce<string, void>(
    async (paymentIds) => {
      const { stored, knownIds } = await announcer.announce([...new Set(paymentIds)]);
      await Promise.all([scheduler.startStored(stored), scheduler.start(knownIds)]);
      return paymentIds.map(() => ({ ok: undefined }));
    },
    { itemsMax: limits.batchItemsMax, inFlightMax: limits.batchesInFlightMax },
  );

  return {
    announce,
    async deliver(deliveryId) {
      await scheduler.start([deliveryId]);
      await scheduler.finished(deliveryId);
    },
    async sweep() {
      const { payments, sessions, deliveries } = await sweepParts(deps, {
        payments: announcer.announceDue,
        sessions: () => announceSessions(deps),
        deliveries: () => scheduler.startAllDue(),
      });
      return payments + sessions + deliveries;
    },
    idle: () => scheduler.idle(),
    quiesce: () => scheduler.close(),
    async close() {
      await scheduler.close();
      await poster.close();
    },
  };
}

export function openPool({ payments, database, clock, config, log }: Opening<'callback'>): Pool {
  const deliveries = createDeliveryRepository(database);
  const sessions = createSessionRepository(database);
  const sources = { announcements: payments, sessions, deliveries };
  const pool = createCallbackPool({ ...sources, clock, config, log, random: Math.random });
  return {
    name: 'callback',
    jobs: [
      onJob(announcePayment, ({ paymentId }) => pool.announce(paymentId)),
      onJob(deliverCallback, ({ deliveryId }) => pool.deliver(deliveryId)),
    ],
    sweep: async () => ({ found: await pool.sweep(), more: false }),
    quiesce: () => pool.quiesce(),
    close: () => pool.close(),
  };
}
