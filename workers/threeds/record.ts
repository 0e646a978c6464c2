/** Writes what an answer of the provider meant for the payment, tells the waiting caller, and hints at what comes next. */

import type { Payment } from '../../shared/domain/payment/payment.js';
import { isFinal } from '../../shared/domain/payment/transitions.js';
import { waitsForPayer } from '../../shared/domain/threeds/plan-authentication.js';
import { waitsForMethod } from '../../shared/domain/threeds/plan-method.js';
import { announcePayment } from '../../shared/queue/announce-payment.job.js';
import { toReply } from '../../shared/queue/reply-channel.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import type { Claimed, ThreeDsPoolDeps } from './context.js';

/** Hints at the next pool's work, for which the same caller waits, and at news that may go out at once. */
function hintAtNext(deps: ThreeDsPoolDeps, replyTo: string | undefined, payment: Payment): void {
  const nowMs = deps.clock.now().getTime();
  const { work, announceAt } = payment;
  if (work) {
    const { txId, gen, kind, dueAt } = work;
    const hint = { paymentId: payment._id, txId, gen, traceId: payment.traceId };
    void deps.hints.add(workPayment[kind], replyTo ? { ...hint, replyTo } : hint, dueAt.getTime() - nowMs);
  }
  if (announceAt && announceAt.getTime() <= nowMs) {
    void deps.hints.add(announcePayment, { paymentId: payment._id, seq: payment.eventSeq });
  }
}

/** Applies `plan` where the claim still holds: only the holder of the lease moves an authentication. */
export async function record(
  deps: ThreeDsPoolDeps,
  claimed: Claimed,
  plan: (payment: Payment) => Payment | undefined,
): Promise<void> {
  const { leaseToken, txId } = claimed.work;
  const written = await deps.payments.update(claimed.payment, (payment) =>
    payment.work?.leaseToken === leaseToken ? plan(payment) : undefined,
  );
  if (!written) {
    deps.metrics.event('lease-lost');
    claimed.log.warn('authentication.not-written', { reason: 'another holder was first' });
    return;
  }
  const told = waitsForPayer(written) || waitsForMethod(written) || isFinal(written.status);
  if (told && claimed.replyTo) deps.publish(claimed.replyTo, toReply(written, txId));
  // Whoever was told waits no longer.
  hintAtNext(deps, told ? undefined : claimed.replyTo, written);
}
