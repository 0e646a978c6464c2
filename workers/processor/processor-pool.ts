/** The pool that talks to acquirers: hands claimed work to the handler of its kind, within each acquirer's share. */
import { limits } from '../../config/limits.js';
import type { ProcessorWorkKind } from '../../shared/domain/payment/payment.js';
import { nextWork, operationOf, sendAgain } from '../../shared/domain/payment/work.js';
import type { WorkHint } from '../../shared/queue/work-payment.job.js';
import type { Delivery, Pool } from '../define-worker.js';
import { createPaymentWork } from '../payment-work.js';
import { createAcquirerGate } from './acquirer-gate.js';
import { checkRefunds } from './check-refunds.js';
import { type Claimed, isInherited, type ProcessorPoolDeps } from './context.js';
import { handleInquiry } from './inquire-payment.handler.js';
import { handleReversal } from './reverse-payment.handler.js';
import { saveForgottenCards } from './save-instrument.js';
import { handleSend } from './send-operation.handler.js';

/** What may have been sent is inquired when it is offered again. */
type Handler = (deps: ProcessorPoolDeps, claimed: Claimed) => Promise<string>;

const handlers = {
  authorize: handleSend,
  capture: handleSend,
  cancel: handleSend,
  refund: handleSend,
  inquire: handleInquiry,
  reverse: handleReversal,
} as const satisfies Record<ProcessorWorkKind, Handler>;

/** Parked work is tried again after this. */
const PARK_MS = 500;

export interface ProcessorPool extends Pool {
  /** Claims and does one piece of work. Exposed for tests. */
  work(hint: WorkHint, delivery?: Delivery): Promise<void>;
}

/** Back to MongoDB for a moment: others are served first. */
async function park({ payments, clock }: ProcessorPoolDeps, claimed: Claimed): Promise<string> {
  const dueAt = new Date(clock.now().getTime() + PARK_MS);
  const { leaseToken, kind } = claimed.work;
  // An own, unused attempt is forgotten; an inherited one stays, because it may have been sent.
  const sends = kind !== 'inquire' && kind !== 'reverse' && !isInherited(claimed);
  await payments.update(claimed.payment, (payment) => {
    const { work } = payment;
    if (!work || work.leaseToken !== leaseToken) return undefined;
    const parked = sends
      ? sendAgain(work, operationOf(payment), dueAt, work.tries)
      : nextWork(work, work.kind, dueAt, work.tries);
    return { ...payment, work: parked };
  });
  return 'parked';
}

export function createProcessorPool(deps: ProcessorPoolDeps): ProcessorPool {
  const gate = createAcquirerGate(deps.concurrency, limits.perAcquirerShare, () => performance.now());
  const { jobs, work, sweep, close } = createPaymentWork('processor', deps, async (taken) => {
    const { payment } = taken;
    const processor = deps.processors.get(payment.processor);
    const claimed: Claimed = { ...taken, processor, traceId: payment.traceId };
    const leave = gate.enter(payment.acquirer);
    if (!leave) return park(deps, claimed);
    try {
      return await handlers[taken.work.kind as ProcessorWorkKind](deps, claimed);
    } finally {
      leave();
    }
  });
  return {
    name: 'processor',
    jobs,
    work,
    async sweep() {
      const swept = await sweep();
      const now = deps.clock.now();
      await saveForgottenCards(deps, now);
      await checkRefunds(deps, now);
      return swept;
    },
    close: async () => close(),
  };
}
