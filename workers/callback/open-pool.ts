/** The pool that tells receivers. */
import { announcePayment } from '../../shared/queue/announce-payment.job.js';
import { deliverCallback } from '../../shared/queue/deliver-callback.job.js';
import { createDeliveryRepository } from '../../shared/store/delivery.repository.js';
import { createSessionRepository } from '../../shared/store/session.repository.js';
import { onJob, type Pool } from '../define-worker.js';
import type { Shared } from '../pool-deps.js';
import { createCallbackPool } from './callback-pool.js';

export function openPool({ payments, database, clock, config, log }: Shared<'callback'>): Pool {
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
