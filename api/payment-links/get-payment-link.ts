import { defineEndpoint } from '../http/define-endpoint.js';
import { linkId, paymentLink } from './link-examples.js';
import { paymentLinkSchema } from './payment-link.schema.js';
import { presentPaymentLink } from './present-payment-link.js';
import { linkIdParams, readPaymentLink } from './read-payment-link.js';

export const getPaymentLinkEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/payment-links/:linkId',
  operationId: 'getPaymentLink',
  summary: 'Read a payment link',
  description: '`status` is the current one: a link whose `validUntil` has passed is `expired`.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: linkIdParams },
  responses: { 200: paymentLinkSchema },
  errors: ['payment-link-not-found'],
  examples: { params: linkId, response: { 200: { found: paymentLink } } },
  handle: async ({ params, principal }, deps) =>
    presentPaymentLink(deps, await readPaymentLink(deps, params.linkId, principal)),
});
