import { body, Joi } from '../../../shared/contract/joi.js';

export interface PaymentIdParams {
  readonly paymentId: string;
}

/** Any text: an id that cannot exist is answered like one that does not. */
export const paymentIdParams = body<PaymentIdParams>({ paymentId: Joi.string().max(200).required() });

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
