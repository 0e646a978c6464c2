import { defineEndpoint } from '../http/define-endpoint.js';
import { fixedLinkRequest, paymentLink, quickPayRequest } from './link-examples.js';
import { paymentLinkSchema } from './payment-link.schema.js';
import { type PaymentLinkBody, paymentLinkRequestSchema } from './payment-link-request.schema.js';

export const createPaymentLinkEndpoint = defineEndpoint<unknown, unknown, PaymentLinkBody>({
  method: 'post',
  path: '/v1/payment-links',
  operationId: 'createPaymentLink',
  summary: 'Create a payment link',
  description:
    'Share `shareUrl`, or print `qrCodeUrl`. A `one-time` link accepts one successful payment, however many payers try; ' +
    'the other types any number. Each successful payment is sent to `settings.callbackUrl`, else to the merchant’s `notificationUrl`. With `splitDestinations` each payment is split between your merchants; the payment shows the parts.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  idempotent: true,
  request: { body: paymentLinkRequestSchema },
  responses: { 201: paymentLinkSchema },
  errors: ['payment-invalid-amount', 'currency-not-found'],
  examples: {
    request: { order: fixedLinkRequest, counter: quickPayRequest },
    response: { 201: { made: paymentLink } },
  },
  handle: async (context, { usecases }) =>
    usecases.presentPaymentLink(await usecases.createPaymentLink(context.body, context)),
});
