import type { SplitDestination } from '../../shared/domain/payment-link/split.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { linkId, paymentLink, splitDestinations } from './link-examples.js';
import { type LinkIdParams, linkIdParams } from './link-id.js';
import { paymentLinkSchema } from './payment-link.schema.js';
import { splitDestinationsSchema } from './split.schema.js';

export const replaceSplitDestinationsEndpoint = defineEndpoint<LinkIdParams, unknown, readonly SplitDestination[]>({
  method: 'put',
  path: '/v1/payment-links/:linkId/split-destinations',
  operationId: 'replaceSplitDestinations',
  summary: 'Replace the split destinations of a link',
  description:
    'All destinations are replaced; an empty array removes them. Existing payments keep their parts. Fixed amounts are ' +
    'taken first, percentages are rounded down to the minor unit, and the rest goes to the residual destination, else to the link’s own merchant.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: linkIdParams, body: splitDestinationsSchema },
  responses: { 200: paymentLinkSchema },
  errors: ['payment-link-not-found', 'merchant-not-found', 'forbidden'],
  examples: {
    params: linkId,
    request: { two: splitDestinations, none: [] },
    response: { 200: { replaced: paymentLink } },
  },
  handle: async ({ params, body, principal }, { usecases }) =>
    usecases.presentPaymentLink(await usecases.replaceSplit(params.linkId, body, principal)),
});
