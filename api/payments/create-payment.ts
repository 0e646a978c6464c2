import { presentPayment } from '../../shared/contract/present-payment.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { ApiDeps } from '../deps.js';
import { type Caller, defineEndpoint } from '../http/define-endpoint.js';
import { pay } from './pay.js';
import { paymentSchema } from './payment.schema.js';
import { approvedPayment, paymentRequest, transferPayment, transferRequest } from './payment-examples.js';
import { cardErrors, type PaymentRequestBody, paymentRequestSchema } from './payment-request.schema.js';

/** @throws {GatewayError} as the endpoint declares */
export function createPayment(deps: ApiDeps, request: PaymentRequestBody, caller: Caller): Promise<Payment> {
  return pay(deps, { purpose: 'payment', ...request }, caller);
}

export const createPaymentEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/payments',
  operationId: 'createPayment',
  summary: 'Pay with a card, or by bank transfer',
  description:
    'Charges a card in one step, or authorizes the amount with `capture.method` `manual` (capture it later) or `capture.delay` ' +
    '(captured automatically). The response is the outcome; when the acquirer is slow it is `pending`, and the final state is sent by callback and can be read. Never send the same payment again with a new `referenceId` because a response was late: read it by its id or send the same `referenceId`, which answers 409 with the state of the payment.\n\n' +
    'With `flow` `pos` and source `bank-transfer` the answer is `pending` with a QR code that the payer scans until `expiresAt`; ' +
    'the result is sent by callback.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  idempotent: true,
  request: { body: paymentRequestSchema },
  responses: { 200: paymentSchema },
  errors: [
    ...cardErrors,
    'wallet-a-pay-pan-only-cvc-required',
    'INVALID_WALLET_B_PAY_TOKEN',
    'WALLET_B_PAY_SIGNATURE_INVALID',
    'WALLET_B_PAY_NOT_ENABLED',
    'WALLET_B_PAY_CERTIFICATE_NOT_FOUND',
    'WALLET_B_PAY_CERTIFICATE_EXPIRED',
    'WALLET_B_PAY_TOKEN_REPLAY',
    'MISSING_CARDHOLDER_INFO',
    'payment-invalid-amount',
    'payment-invalid-invoice-number',
    'currency-not-found',
    'duplicated-reference-id',
    'declined-by-acquirer',
    'authentication-required',
    'authentication-failed',
    'acquirer-offline',
    'service-unavailable',
    'timeout',
  ],
  examples: {
    request: {
      purchase: paymentRequest,
      authorization: { ...paymentRequest, referenceId: 'order-1001-2', capture: { method: 'manual' } },
      transfer: transferRequest,
    },
    response: { 200: { approved: approvedPayment, transfer: transferPayment } },
  },
  handle: async (context, deps) => presentPayment(await createPayment(deps, context.body, context)),
});
