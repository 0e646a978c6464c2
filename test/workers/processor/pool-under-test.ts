/** The processor pool on the real MongoDB, with a processor, a vault and a clock of the test. */

import type { Payment, Work } from '../../../shared/domain/payment/payment.js';
import type { CallerOperation } from '../../../shared/domain/payment/plan-operation.js';
import { createLog } from '../../../shared/log.js';
import { createMetrics } from '../../../shared/metrics.js';
import type { Processor } from '../../../shared/processors/processor.js';
import type { Reply } from '../../../shared/queue/reply-channel.js';
import { createBinTable } from '../../../shared/store/bin-range.repository.js';
import { createPaymentRepository } from '../../../shared/store/payment.repository.js';
import { createPaymentInstrumentRepository } from '../../../shared/store/payment-instrument.repository.js';
import { createProcessorUpdateRepository } from '../../../shared/store/processor-update.repository.js';
import { noCardTesting } from '../../../workers/processor/card-testing.js';
import {
  createProcessorPool,
  type ProcessorPool,
  type ProcessorPoolDeps,
} from '../../../workers/processor/processor-pool.js';
import { createRouteBreakers, routeBreakerSettings } from '../../../workers/processor/route-breakers.js';
import { operated, schedule } from '../../domain/payment/a-payment.js';
import type { PaymentStore } from '../../store/payment-store.js';
import { nudgesTo } from '../../support/nudges-to.js';
import { sealNothing } from '../../support/seal-nothing.js';

export interface Nudge {
  readonly job: string;
  readonly payload: Record<string, unknown>;
  readonly delayMs: number;
}

export interface PoolUnderTest {
  readonly pool: ProcessorPool;
  readonly deps: ProcessorPoolDeps;
  readonly nudges: Nudge[];
  readonly replies: (Reply & { channel: string })[];
  /** Moves the business clock; leases follow the database's own. */
  advance(ms: number): void;
  /** Does the payment's work as soon as it is due, once. Returns the payment afterwards. */
  step(payment: Payment, replyTo?: string): Promise<Payment>;
  /** Steps until there is no work left; fails after `stepsMax`. */
  finish(payment: Payment, stepsMax?: number): Promise<Payment>;
  close(): Promise<void>;
}

export function poolUnderTest(
  store: PaymentStore,
  processor: Processor | undefined,
  more: Partial<ProcessorPoolDeps> = {},
): PoolUnderTest {
  let offsetMs = 0;
  const nudges: Nudge[] = [];
  const replies: (Reply & { channel: string })[] = [];
  const card = JSON.stringify({
    number: '4242424242424242',
    expMonth: 12,
    expYear: 2034,
    cardholder: { firstName: 'Ana', lastName: 'Paz' },
  });
  const deps: ProcessorPoolDeps = {
    payments: createPaymentRepository(store.database, true),
    processors: { get: () => processor },
    vault: {
      seal: sealNothing,
      open: async (_envelope, { field }) => Buffer.from(field === 'cvc' ? '{"cvc":"123"}' : card),
    },
    customers: { find: async () => undefined },
    instruments: createPaymentInstrumentRepository(store.database),
    bins: createBinTable(store.database),
    cardTesting: noCardTesting,
    updates: createProcessorUpdateRepository(store.database),
    nudges: nudgesTo(async (job, payload, delayMs = 0) => {
      nudges.push({ job: job.name, payload: payload as Nudge['payload'], delayMs });
      return true;
    }),
    publish: (channel, reply) => void replies.push({ ...reply, channel }),
    renderCallback: (payment) => payment.status,
    schedule,
    clock: { now: () => new Date(Date.now() + offsetMs) },
    log: createLog('test', process.env.TEST_LOG_LEVEL ?? 'silent'),
    metrics: createMetrics({ process: 'test' }),
    routes: createRouteBreakers(routeBreakerSettings, {
      nowMs: () => performance.now() + offsetMs,
      log: createLog('test', 'silent'),
      metrics: createMetrics({ process: 'test' }),
    }),
    concurrency: 8,
    batchWrites: true,
    ...more,
  };
  const pool = createProcessorPool(deps);
  const step = async (payment: Payment, replyTo?: string) => {
    const { work } = await store.read(payment._id);
    if (!work) throw new Error(`${payment._id} has no work`);
    const earlyMs = work.dueAt.getTime() - deps.clock.now().getTime();
    if (earlyMs > 0) offsetMs += earlyMs;
    const { txId, gen } = work;
    await pool.work({ paymentId: payment._id, txId, gen, traceId: payment.traceId, ...(replyTo && { replyTo }) });
    return store.read(payment._id);
  };
  return {
    pool,
    deps,
    nudges,
    replies,
    advance: (ms) => {
      offsetMs += ms;
    },
    step,
    finish: async (payment, stepsMax = 30) => {
      let current = await store.read(payment._id);
      for (let n = 0; current.work; n += 1) {
        if (n === stepsMax) throw new Error(`${payment._id} is not done: ${JSON.stringify(current.work)}`);
        current = await step(current);
      }
      return current;
    },
    close: () => pool.close(),
  };
}

/** The payment with an operation of a caller reserved on it, as stored. */
export async function reserve(
  store: PaymentStore,
  payment: Payment,
  kind: CallerOperation,
  amountMinor?: number,
): Promise<Payment> {
  const names = { referenceId: `op-${payment._id}`, txId: `txn_op_${payment._id}` };
  await store.put(operated(payment, kind, { ...names, amountMinor, now: new Date() }));
  return store.read(payment._id);
}

/** As if another process had claimed the work, perhaps sent something, and died. */
export async function abandoned(store: PaymentStore, payment: Payment): Promise<Payment> {
  const { work } = payment;
  const token = 'token-of-the-dead';
  const dead: Work = {
    ...(work as Work),
    leaseToken: token,
    leaseUntil: new Date(Date.now() - 1_000),
    attempt: { token, startedAt: new Date() },
  };
  await store.payments.updateOne({ _id: payment._id }, { $set: { work: dead } });
  return store.read(payment._id);
}
