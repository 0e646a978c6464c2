import { body } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { linkId } from './link-examples.js';
import { type LinkIdParams, linkIdParams } from './link-id.js';

export const disablePaymentLinkEndpoint = defineEndpoint<LinkIdParams>({
  method: 'delete',
  path: '/v1/payment-links/:linkId',
  operationId: 'disablePaymentLink',
  summary: 'Disable a payment link',
  description:
    'Its page accepts no more payments. A payment in progress finishes. A completed link answers 409, a disabled one ' +
    '404.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: linkIdParams },
  responses: { 200: body({}) },
  errors: ['payment-link-not-found', 'conflict'],
  examples: { params: linkId, response: { 200: { disabled: {} } } },
  async handle({ params, principal }, { usecases }) {
    await usecases.disablePaymentLink(params.linkId, principal);
    return {};
  },
});
