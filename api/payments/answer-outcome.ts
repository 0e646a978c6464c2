/** What a caller gets about a payment after an operation, and that this states need no callback. */

import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { PaymentRepository } from '../../shared/store/payment.repository.js';
import type { Caller } from '../http/define-endpoint.js';

/**
 * The payment when the transaction succeeded or is still under way.
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
  const tx = payment.transactions.find(({ id }) => id === txId);
  if (!tx || (tx.status !== 'denied' && tx.status !== 'failed')) return payment;
  throw new GatewayError((tx.errorCode ?? 'declined-by-acquirer') as ErrorCode, {
    params: { paymentId: [payment._id] },
    ...(tx.declineCode !== undefined && { declineCode: tx.declineCode }),
    internal: `${tx.kind} ${tx.status}`,
  });
}

/** Once the answer has left, the states it showed are known to the caller: they are not announced again. */
export function tellOnce(caller: Caller, payments: PaymentRepository, payment: Payment, sinceSeq: number): void {
  if (payment.callbackUrl === undefined || payment.eventSeq === sinceSeq) return;
  caller.onFlushed((flushed) => {
    if (!flushed) return;
    payments.markAnswered(payment._id, sinceSeq + 1, payment.eventSeq).catch((error) => {
      // The caller gets a callback too many: allowed, where one too few is not.
      caller.log.warn('answer.not-marked', { paymentId: payment._id, error });
    });
  });
}
