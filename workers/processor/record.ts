/** Writes what a call to the processor meant for the payment, tells the waiting caller, and hints at what comes next. */

import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import {
  planContradiction,
  planInquiry,
  planLateApproval,
  planPending,
  planResend,
} from '../../shared/domain/payment/plan-unresolved.js';
import { type Outcome, settle } from '../../shared/domain/payment/settle.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import type { SendResult } from '../../shared/processors/processor.js';
import { announcePayment } from '../../shared/queue/announce-payment.job.js';
import { toReply } from '../../shared/queue/reply-channel.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import { type Claimed, type ProcessorPoolDeps, settleContext, unresolvedContext } from './context.js';
import { saveInstrument } from './save-instrument.js';

const offline: Outcome = { kind: 'failed', resultCode: '91', resultMessage: 'Acquirer offline' };

/** Plans the next state from the newest stored one; `undefined` leaves it as it is. */
export type Plan = (payment: Payment) => Payment | undefined;

/** Only the holder of the lease may move unfinished work; a definitive outcome may be written by anybody. */
const stillOurs = (claimed: Claimed, payment: Payment) => payment.work?.leaseToken === claimed.work.leaseToken;

const transactionOf = (payment: Payment, txId: string) => payment.transactions.find(({ id }) => id === txId);

function planDefinitive(deps: ProcessorPoolDeps, claimed: Claimed, outcome: Outcome): Plan {
  const { txId } = claimed.work;
  const traits = claimed.processor?.traits;
  return (payment) => {
    const tx = transactionOf(payment, txId);
    if (!tx) return undefined;
    // It is being taken back, and may be gone at the processor already: only the reversal says how it ends.
    if (payment.work?.kind === 'reverse' && payment.work.txId === txId) return undefined;
    if (isOpen(tx.status)) return settle(payment, txId, outcome, settleContext(deps, traits));
    // Somebody wrote a final outcome first. Approved news of what was given up must not stay at the processor.
    if (outcome.kind !== 'approved' || tx.status !== 'failed') return undefined;
    return payment.status === 'failed' && !payment.work
      ? planLateApproval(payment, txId, deps.clock.now())
      : planContradiction(payment, txId, deps.clock.now());
  };
}

/** What each kind of answer to a send does. */
export function planFor(deps: ProcessorPoolDeps, claimed: Claimed, result: SendResult): Plan {
  const context = () => unresolvedContext(deps, claimed.processor?.traits);
  const ours = (plan: (payment: Payment, work: NonNullable<Payment['work']>) => Payment | undefined): Plan => {
    return (payment) => (payment.work && stillOurs(claimed, payment) ? plan(payment, payment.work) : undefined);
  };
  switch (result.kind) {
    case 'approved':
    case 'declined':
    case 'failed':
      return planDefinitive(deps, claimed, result);
    case 'pending':
      return ours((payment, work) => planPending(payment, work, result, context()));
    case 'unknown':
      return ours((payment, work) => planInquiry(payment, work, context()));
    case 'not-sent':
      return ours(
        (payment, work) => planResend(payment, work, context()) ?? planDefinitive(deps, claimed, offline)(payment),
      );
  }
}

/** Applies `plan` to the stored payment and passes the news on. Answers the payment as stored, if anything was written. */
export async function record(deps: ProcessorPoolDeps, claimed: Claimed, plan: Plan): Promise<Payment | undefined> {
  const { txId } = claimed.work;
  const written = await deps.payments.update(claimed.payment, plan);
  if (!written) {
    deps.metrics.event('lease-lost');
    claimed.log.warn('outcome.not-written', { reason: 'another holder was first' });
    return undefined;
  }
  const saved = written.tokenizeAt ? await saveCard(deps, claimed, written) : written;
  const tx = transactionOf(saved, txId);
  if (tx && tx.status !== 'created') {
    deps.metrics.outcome({ kind: tx.kind, status: tx.status, code: tx.errorCode ?? 'none' });
    // Before the answer: who tries the next card after it has this one counted already.
    if (tx.status === 'denied' && tx.id === saved.transactions[0]?.id) await deps.cardTesting.noteDecline(saved, tx);
    if (claimed.replyTo) deps.publish(claimed.replyTo, toReply(saved, txId));
  }
  const alert = saved.alerts?.at(-1);
  if (alert && alert.at.getTime() !== claimed.payment.alerts?.at(-1)?.at.getTime()) {
    deps.metrics.event('work-flagged');
    claimed.log.error('payment.needs-a-person', { reason: alert.text });
  }
  hintAtNext(deps, claimed, saved);
  return saved;
}

/** Before the caller is answered, so that the token is there when the answer is. Failing, the sweep does it. */
async function saveCard(deps: ProcessorPoolDeps, claimed: Claimed, payment: Payment): Promise<Payment> {
  try {
    return await saveInstrument(deps, payment);
  } catch (error) {
    claimed.log.error('instrument.not-saved', { error });
    return payment;
  }
}

/** Hints at work that is due soon and at news that may go out at once; everything later is found by a sweep. */
function hintAtNext(deps: ProcessorPoolDeps, claimed: Claimed, payment: Payment): void {
  const nowMs = deps.clock.now().getTime();
  const { work, announceAt } = payment;
  const waitMs = work ? work.dueAt.getTime() - nowMs : 0;
  if (work && waitMs <= limits.hintDelayMsMax) {
    const { txId, gen } = work;
    const hint = { paymentId: payment._id, txId, gen, traceId: payment.traceId };
    // The same caller still waits when it is still the same transaction.
    const replyTo = txId === claimed.work.txId ? claimed.replyTo : undefined;
    void deps.hints.add(workPayment[work.kind], replyTo ? { ...hint, replyTo } : hint, waitMs);
  }
  if (announceAt && announceAt.getTime() <= nowMs) {
    void deps.hints.add(announcePayment, { paymentId: payment._id, seq: payment.eventSeq });
  }
}
