/** Writes what the bank's answer meant for the payment, tells the waiting caller, and hints at what comes next. */
import { limits } from '../../config/limits.js';
import type { Payment, Work } from '../../shared/domain/payment/payment.js';
import { announcePayment } from '../../shared/queue/announce-payment.job.js';
import { toReply } from '../../shared/queue/reply-channel.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import type { Claimed, QrPoolDeps } from './context.js';

/** An alert that this write added reaches the operator, once. */
export function tellOperator({ metrics, log }: Pick<QrPoolDeps, 'metrics' | 'log'>, before: Payment, after: Payment) {
  const alert = after.alerts?.at(-1);
  if (!alert || alert === before.alerts?.at(-1) || alert.at.getTime() === before.alerts?.at(-1)?.at.getTime()) return;
  metrics.event('work-flagged');
  log.error('payment.needs-a-person', { paymentId: after._id, traceId: after.traceId, reason: alert.text });
}

export function hintAtNews({ hints, clock }: Pick<QrPoolDeps, 'hints' | 'clock'>, payment: Payment): void {
  if (!payment.announceAt || payment.announceAt > clock.now()) return;
  void hints.add(announcePayment, { paymentId: payment._id, seq: payment.eventSeq });
}

function hintAtNext(deps: QrPoolDeps, payment: Payment): void {
  const { work } = payment;
  const waitMs = work ? work.dueAt.getTime() - deps.clock.now().getTime() : 0;
  if (work && waitMs <= limits.hintDelayMsMax) {
    const { txId, gen, kind } = work;
    void deps.hints.add(workPayment[kind], { paymentId: payment._id, txId, gen, traceId: payment.traceId }, waitMs);
  }
  hintAtNews(deps, payment);
}

/** Applies `plan` where the claim still holds: only the holder of the lease says whether a code was paid or has run out. */
export async function record(
  deps: QrPoolDeps,
  claimed: Claimed,
  plan: (payment: Payment, work: Work) => Payment | undefined,
): Promise<void> {
  const { leaseToken, txId } = claimed.work;
  const written = await deps.payments.update(claimed.payment, (payment) =>
    payment.work && payment.work.leaseToken === leaseToken ? plan(payment, payment.work) : undefined,
  );
  if (!written) {
    deps.metrics.event('lease-lost');
    claimed.log.warn('transfer.not-written', { reason: 'another holder was first' });
    return;
  }
  const tx = written.transactions.find(({ id }) => id === txId);
  if (tx && tx.status !== 'created' && claimed.replyTo) deps.publish(claimed.replyTo, toReply(written, txId));
  if (tx && tx.status !== 'created' && tx.status !== 'pending') {
    deps.metrics.outcome({ kind: tx.kind, status: tx.status, code: tx.errorCode ?? 'none' });
  }
  tellOperator({ ...deps, log: claimed.log }, claimed.payment, written);
  hintAtNext(deps, written);
}
