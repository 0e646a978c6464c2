import { presentPayment } from '../../shared/contract/present-payment.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { paymentSchema } from './payment.schema.js';
import { approvedPayment, paymentRequest } from './payment-examples.js';
import { type VerifyRequestBody, verifyRequestSchema } from './payment-request.schema.js';

export const verifyPaymentEndpoint = defineEndpoint<unknown, unknown, VerifyRequestBody>({
  method: 'post',
  path: '/v1/payments/verify',
  operationId: 'verifyPayment',
  summary: 'Verify a card',
  description:
    'Authorizes a small amount (1 USD or 25 UYU; `total` is not sent) and answers `authorized`; the gateway then cancels the ' +
    'authorization, so that the payment ends as `cancelled`.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  idempotent: true,
  request: { body: verifyRequestSchema },
  responses: { 200: paymentSchema },
  errors: [
    'invalid-card-number',
    'invalid-card-cvc',
    'invalid-card-expiration-date',
    'invalid-cardholder',
    'invalid-browser-details',
    'invalid-card-payment-method',
    'invalid-card-payment-method-token',
    'wallet-a-pay-pan-only-cvc-required',
    'currency-not-found',
    'duplicated-reference-id',
    'declined-by-acquirer',
    'funds-verification-failed',
    'acquirer-offline',
    'service-unavailable',
    'timeout',
  ],
  examples: {
    request: {
      usd: {
        merchantId: 1001,
        referenceId: 'verify-1001',
        amount: { currency: 'USD' },
        paymentMethod: paymentRequest.paymentMethod,
      },
    },
    response: {
      200: {
        verified: {
          ...approvedPayment,
          status: 'authorized',
          amount: { total: 1, currency: 'USD', captured: 0, refunded: 0 },
          capture: { method: 'manual' },
        },
      },
    },
  },
  handle: async (context, { usecases }) => presentPayment(await usecases.verifyPayment(context.body, context)),
});
