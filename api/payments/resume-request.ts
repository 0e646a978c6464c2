/**
 * A request that comes again with its Idempotency-Key after the call before did not finish: what that call made is found by
 * the id that was chosen for it, and its outcome is the answer. Nothing is sent to a processor twice.
 */

import type { Payment } from '../../shared/domain/payment/payment.js';
import { idFrom } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { answerOutcome, tellOnce } from './answer-outcome.js';
import { isAnswerable } from './await-outcome.js';

/** The payment that the call before made, if it got so far. */
export async function findMade(deps: Pick<ApiDeps, 'payments'>, caller: Caller): Promise<Payment | undefined> {
  const { idempotency, principal } = caller;
  if (!idempotency?.resumed) return undefined;
  return deps.payments.findForClient(idFrom('pay', idempotency.seed), principal.clientId);
}

/**
 * Answers by the outcome of a transaction that exists, waiting for it as the first caller would.
 * @throws {GatewayError} as that caller would have got it: 422 when it was declined or failed.
 */
export async function resume(
  deps: Pick<ApiDeps, 'outcomes' | 'payments' | 'admissionLimit'>,
  payment: Payment,
  txId: string,
  caller: Caller,
): Promise<Payment> {
  if (isAnswerable(payment, txId)) return answerOutcome(payment, txId);
  const slot = deps.admissionLimit.enter();
  try {
    // No hint: the work is stored, and the sweep of its pool finds it.
    const outcome = await deps.outcomes.start(payment, txId).wait(slot.waitMs);
    tellOnce(caller, deps.payments, outcome, payment.eventSeq);
    return answerOutcome(outcome, txId);
  } finally {
    slot.leave();
  }
}
