/**
 * The callback pool: sends what happened to payments and sessions to the addresses that merchants gave. The path of one callback:
 *
 * 1. `announce-payment.handler.ts` (for sessions `announce-session.handler.ts`) stores the event as a delivery, due at once.
 * 2. A nudge, a search (`due-search.ts`) or the end of the previous delivery passes it to `delivery-scheduler.ts`. `dispatch/dispatch.ts`
 *    decides what happens to it; it holds all counts and does no I/O. It takes the first delivery of each payment and looks for a slot: the
 *    right to have one callback in flight at its receiver, which is one client at one host. Slots are limited per client and process
 *    (`admission.ts`), per host and per receiver (`host-limits.ts`, which also pauses receivers that fail repeatedly).
 * 3. Without a free slot the delivery gets room in the send queue (`send-queue.ts`), if slots at its receiver become free again soon.
 *    Otherwise it stays in MongoDB, and its receiver is in the backlog (`backlog.ts`). For a paused receiver it is moved to the end of the
 *    pause.
 * 4. With a slot or room in the queue the scheduler claims the delivery: it is leased to this process, one statement for many deliveries.
 *    It is given back if an earlier delivery of its payment still waits.
 * 5. `delivery-sender.ts` sends it, at once or from the queue when there is a slot: `try-delivery.ts` gives it to `post-callback.ts`, which
 *    connects to checked addresses only (`guarded-agent.ts`), maybe through a proxy (`proxy-dial.ts`).
 * 6. The answer frees the slot. A queued delivery takes it in the same turn; then the backlog is searched.
 * 7. `try-delivery.ts` records the try: the delivery has ended, or is due again later. When it has ended, the next delivery of its payment
 *    begins at step 2. If the process dies before that, the lease runs out and the delivery is sent again.
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
  /** Returns 0 (inclusive) to 1 (exclusive), to spread the retries. */
  readonly random: () => number;
  /** Sends callbacks; over HTTP when absent. */
  readonly poster?: CallbackPoster;
}

/** The pool works from MongoDB alone: {@link CallbackPool.sweep} does everything, and nudges only make it happen sooner. */
export interface CallbackPool {
  /** Handles a nudge: this payment has something to announce. Starts its callbacks without waiting for them. */
  announce(paymentId: string): Promise<void>;
  /** Handles a nudge: this delivery is due. Returns after its try, or at once when it is not its turn or its host has no room. */
  deliver(deliveryId: string): Promise<void>;
  /** Announces and starts all that is due; returns how many. Does not wait for receivers. */
  sweep(): Promise<number>;
  /** Settles when no delivery is claimed and no search runs. */
  idle(): Promise<void>;
  /** Starts nothing more, gives queued deliveries back, and waits for those in flight (at most `limits.callbackTotalMs`). */
  quiesce(): Promise<void>;
  /** Quiesces, then closes the sockets. */
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

  /** Nudges of the same turn share one search, one insert and one claim. */
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
