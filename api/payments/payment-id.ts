import { body, Joi } from '../../shared/contract/joi.js';
import type { HandlerDeps } from '../deps.js';
import type { Context } from '../http/define-endpoint.js';

export interface PaymentIdParams {
  readonly paymentId: string;
}

/** Any text: an id that cannot exist is answered like one that does not. */
export const paymentIdParams = body<PaymentIdParams>({ paymentId: Joi.string().max(200).required() });

/** For endpoints whose path names a payment. @throws {GatewayError} `payment-not-found` */
export const authorizePayment = (
  { params, principal }: Pick<Context<PaymentIdParams>, 'params' | 'principal'>,
  { usecases }: Pick<HandlerDeps, 'usecases'>,
): Promise<unknown> => usecases.readPayment(params.paymentId, principal);

/** How a capture, a cancellation or a refund may be refused. */
export const operationErrors = [
  'payment-not-found',
  'conflict',
  'duplicated-reference-id',
  'declined-by-acquirer',
  'acquirer-offline',
  'service-unavailable',
  'timeout',
] as const;
