import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body } from '../../shared/contract/joi.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { isGranted, type Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import type { Context } from '../http/define-endpoint.js';
import { pathId } from '../http/path-id.js';

export interface PaymentIdParams {
  readonly paymentId: string;
}

export const paymentIdParams = body<PaymentIdParams>({
  paymentId: pathId(),
});

/**
 * Returns the payment if this caller may see it.
 * @throws {GatewayError} `payment-not-found`, the same for an unknown id, another client's, and a merchant not granted.
 */
export async function readPayment(
  deps: Pick<ApiDeps, 'payments'>,
  paymentId: string,
  principal: Principal,
): Promise<Payment> {
  const payment = await deps.payments.findForClient(paymentId, principal.clientId);
  if (!payment || !isGranted(principal, payment.merchantId)) throw new GatewayError('payment-not-found');
  return payment;
}

/** Authorizes endpoints whose path names a payment. @throws {GatewayError} `payment-not-found` */
export const authorizePayment = (
  { params, principal }: Pick<Context<PaymentIdParams>, 'params' | 'principal'>,
  deps: Pick<ApiDeps, 'payments'>,
): Promise<unknown> => readPayment(deps, params.paymentId, principal);

/** Error codes with which a capture, a cancellation or a refund may be refused. */
export const operationErrors = [
  'payment-not-found',
  'conflict',
  'duplicated-reference-id',
  'declined-by-acquirer',
  'acquirer-offline',
  'service-unavailable',
  'timeout',
] as const;
