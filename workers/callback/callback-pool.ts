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
import { ClientShares } from './client-shares.js';
import { DeliveryScheduler } from './delivery-scheduler.js';
import { HostGate } from './host-gate.js';
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
  /** Announces and starts all that is due; answers how much that was. Does not wait for receivers. */
  sweep(): Promise<number>;
  /** Settles when no callback is under way. */
  idle(): Promise<void>;
  /** Starts nothing any more, waits for what is under way (at most `limits.callbackTotalMs`), closes the sockets. */
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
  const gate = new HostGate({
    perClientMax: limits.callbackPerClientAtHostMax,
    perHostMax: limits.callbackPerHostMax,
    slowPerHostMax: limits.callbackSlowPerHostMax,
    failuresMax: limits.breakerFailures,
    openMs: limits.breakerOpenMs / config.timeScale,
    openMsMax: limits.breakerOpenMsMax / config.timeScale,
  });
  const announcer = createAnnouncer(deps);
  const scheduler = new DeliveryScheduler({
    ...deps,
    poster,
    gate,
    shares: new ClientShares(
      Math.max(limits.callbackPerClientAtHostMax, Math.floor(config.workerConcurrency * limits.callbackClientShare)),
    ),
    timeScale: config.timeScale,
    concurrency: config.workerConcurrency,
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
    close: () => pool.close(),
  };
}
