/** What pools that work on payments are given, on the real MongoDB: a clock that a test moves, and what they nudged, replied and logged. */

import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Log, LogFields } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import type { Reply } from '../../shared/queue/reply-channel.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import type { Pool } from '../../workers/pool.js';
import { schedule } from '../domain/payment/a-payment.js';
import type { PaymentStore } from '../store/payment-store.js';
import { nudgesTo } from '../support/nudges-to.js';
import { sealNothing } from '../support/seal-nothing.js';

const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2034 };

export function workHarness(store: PaymentStore) {
  const beganMs = Date.now();
  let offsetMs = 0;
  const nudges: { job: string; payload: Record<string, unknown> }[] = [];
  const replies: (Reply & { channel: string })[] = [];
  const lines: [message: string, reason: unknown][] = [];
  const note = (message: string, { reason }: LogFields = {}) => void lines.push([message, reason]);
  const outcomes: string[] = [];
  const metrics = createMetrics({ process: 'test' });
  const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
  const deps = {
    payments: createPaymentRepository(store.database, true),
    nudges: nudgesTo(
      async (job, payload) => nudges.push({ job: job.name, payload: payload as Record<string, unknown> }) > 0,
    ),
    publish: (channel: string, reply: Reply) => void replies.push({ ...reply, channel }),
    renderCallback: (payment: Payment) => payment.status,
    schedule,
    clock: { now: () => new Date(beganMs + offsetMs) },
    log,
    metrics: { ...metrics, step: ({ outcome }: { outcome: string }) => void outcomes.push(outcome) },
    batchWrites: true,
    vault: { seal: sealNothing as never, open: async () => Buffer.from(JSON.stringify(CARD)) },
    merchants: { findMerchant: async (): Promise<{ name: string; country?: string } | undefined> => undefined },
    customers: { find: async () => undefined },
    instruments: {} as never,
    publicBaseUrl: 'https://gw.example',
  };
  return {
    deps,
    nudges,
    replies,
    lines,
    /** What the work of each step came to, as the metrics count it. */
    outcomes,
    advance: (ms: number) => {
      offsetMs += ms;
    },
    /** Does the work of a payment as soon as it is due, by the job that its nudge brings. Returns the payment afterwards. */
    step: async (pool: Pool, { _id }: Payment): Promise<Payment> => {
      const { work, traceId } = await store.read(_id);
      if (!work) throw new Error(`${_id} has no work`);
      offsetMs += Math.max(0, work.dueAt.getTime() - deps.clock.now().getTime());
      const { name } = workPayment[work.kind];
      const job = pool.jobs.find((one) => one.name === name);
      if (!job) throw new Error(`the pool takes no ${name}`);
      const { txId, gen } = work;
      await job.handle({ paymentId: _id, txId, gen, traceId, replyTo: 'channel' }, { handedOutOnce: true });
      return store.read(_id);
    },
  };
}
export type WorkHarness = ReturnType<typeof workHarness>;
