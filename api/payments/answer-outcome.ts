/** Turns a stored payment into its answer: sends the nudge, waits for the outcome, and marks answered states as needing no callback. */

import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { isAnswerable, isAnswerComplete } from '../../shared/domain/payment/answerable.js';
import { answeredBy, authorizationOf } from '../../shared/domain/payment/attempts.js';
import { isNeverTaken } from '../../shared/domain/payment/never-taken.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { withoutVerificationRelease } from '../../shared/domain/payment/verification.js';
import { idFrom } from '../../shared/ids.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import type { PaymentRepository } from '../../shared/store/payment.repository.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';

/** Returns the id of the purchase or authorization; empty for a payment that ended at its authentication. */
export const authorizationIdOf = (payment: Payment) => authorizationOf(payment)?.id ?? '';

/**
 * Returns the payment when the transaction succeeded or is still in progress.
 * @throws {GatewayError} 422 with the code of the outcome table when it was declined or failed.
 */
export function answerOutcome(payment: Payment, txId: string): Payment {
  const { threeDs } = payment;
  if (threeDs?.error) {
    const params = {
      paymentId: [payment._id],
      ...(threeDs.error === 'authentication-required' &&
        payment.redirectUrl === undefined && {
          redirectUrl: ['is missing: the payer could not be sent to the issuer'],
        }),
    };
    throw new GatewayError(threeDs.error, { params, internal: `3DS ${threeDs.status}` });
  }
  const tx = answeredBy(payment, txId);
  if (!tx || (tx.status !== 'denied' && tx.status !== 'failed')) return payment;
  throw new GatewayError((tx.errorCode ?? 'declined-by-acquirer') as ErrorCode, {
    params: { paymentId: [payment._id], ...(tx.advice && { advice: [tx.advice] }) },
    ...(tx.declineCode !== undefined && { declineCode: tx.declineCode }),
    ...(isNeverTaken(tx) && { message: `${tx.resultMessage}. No money moved; the same request would fail again.` }),
    internal: `${tx.kind} ${tx.status}`,
  });
}

/** Marks the states that an answer showed, once the answer has left: the caller knows them, so they are not announced again. */
export function markAnswered(
  caller: Pick<Caller, 'onFlushed' | 'log'>,
  payments: PaymentRepository,
  payment: Payment,
  sinceSeq: number,
): void {
  if (payment.callbackUrl === undefined || payment.eventSeq === sinceSeq) return;
  caller.onFlushed((flushed) => {
    if (!flushed) return;
    payments.markAnswered(payment._id, sinceSeq + 1, payment.eventSeq).catch((error) => {
      // The caller then gets one callback too many, which is allowed; one too few is not.
      caller.log.warn('answer.not-marked', { paymentId: payment._id, error });
    });
  });
}

/** The transaction that a call waits for, and for how long. */
export interface AwaitedTransaction {
  readonly txId: string;
  readonly waitMs: number;
  /** Sequence of the newest event before the call: the answer shows all later ones. */
  readonly sinceSeq: number;
  /** Token of the stored claim when this call stored the payment: the first nudge carries it. */
  readonly storedClaim?: string | undefined;
}

/**
 * Nudges the pool to work on the stored transaction and answers with its outcome, or with `pending` when the wait is over.
 * @throws {GatewayError} 422 when it was declined or failed
 */
export async function awaitAnswer(
  deps: Pick<ApiDeps, 'outcomes' | 'nudges' | 'payments'>,
  payment: Payment,
  caller: Pick<Caller, 'traceId' | 'onFlushed' | 'log'>,
  { txId, waitMs, sinceSeq, storedClaim }: AwaitedTransaction,
): Promise<Payment> {
  let outcome = payment;
  // Another call may have stored the outcome already. Then no reply and no newer version would ever end the wait.
  if (!isAnswerComplete(payment, txId)) {
    const pending = deps.outcomes.start(payment, txId);
    void deps.nudges.add(workPayment[payment.work?.kind ?? 'inquire'], {
      paymentId: payment._id,
      txId,
      gen: 1,
      traceId: caller.traceId,
      replyTo: deps.outcomes.channel,
      ...(storedClaim !== undefined && { first: storedClaim }),
    });
    outcome = await pending.wait(waitMs);
  }
  outcome = withoutVerificationRelease(outcome);
  markAnswered(caller, deps.payments, outcome, sinceSeq);
  return answerOutcome(outcome, txId);
}

/**
 * Finds the payment of an earlier call that did not finish, when its request is repeated with the same Idempotency-Key: by the id
 * that is derived from the key. So nothing is sent to a processor twice.
 */
export async function findEarlierPayment(
  deps: Pick<ApiDeps, 'payments'>,
  caller: Caller,
): Promise<Payment | undefined> {
  const { idempotency, principal } = caller;
  if (!idempotency?.resumed) return undefined;
  return deps.payments.findForClient(idFrom('pay', idempotency.seed), principal.clientId);
}

/**
 * Answers with the outcome of a transaction that exists, and waits for it as the first call would.
 * @throws {GatewayError} the same error as the first call would get: 422 when it was declined or failed.
 */
export async function answerRepeatedCall(
  deps: Pick<ApiDeps, 'outcomes' | 'payments' | 'admissionLimit'>,
  found: Payment,
  txId: string,
  caller: Caller,
): Promise<Payment> {
  const payment = withoutVerificationRelease(found);
  if (isAnswerComplete(payment, txId)) return answerOutcome(payment, txId);
  // A known outcome is answered without the token of the card that is being saved, rather than refused for lack of a slot.
  const slot = isAnswerable(payment, txId) ? deps.admissionLimit.enterIfRoom() : deps.admissionLimit.enter();
  if (!slot) return answerOutcome(payment, txId);
  try {
    // No nudge: the work is stored, and the sweep of its pool finds it.
    const outcome = withoutVerificationRelease(await deps.outcomes.start(payment, txId).wait(slot.waitMs));
    markAnswered(caller, deps.payments, outcome, payment.eventSeq);
    return answerOutcome(outcome, txId);
  } finally {
    slot.leave();
  }
}
