import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body, Joi } from '../../shared/contract/joi.js';
import { answer, defineEndpoint } from '../http/define-endpoint.js';
import { pathId } from '../http/path-id.js';
import { externalId } from './link-examples.js';
import { linkPicture } from './link-picture.js';

/** Headers that let browsers use the response as a picture only, also on other sites (docs/security.md#uploaded-pictures). */
const headers = {
  'Cache-Control': `public, max-age=${limits.linkPictureCacheSeconds}`,
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Content-Type': 'image/svg+xml',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

export const getLinkQrEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/public/payment-links/:externalId/qr.svg',
  operationId: 'getPaymentLinkQr',
  summary: 'Read the QR code of a payment link',
  description: 'Public, like the page itself. Black on white, for print and screen.',
  tags: ['Payment links'],
  auth: 'none',
  merchantScope: 'none',
  addressLimit: { requests: limits.linkPicturesMax, windowSeconds: limits.linkPicturesSeconds },
  request: {
    params: body<{ externalId: string }>({ externalId: pathId() }),
  },
  responses: { 200: Joi.string().description('The picture.') },
  produces: ['image/svg+xml'],
  errors: ['payment-link-not-found', 'timeout', 'service-unavailable'],
  examples: { params: externalId },
  async handle({ params }, deps) {
    const link = await deps.links.findByExternalId(params.externalId);
    if (!link) throw new GatewayError('payment-link-not-found');
    return answer(await linkPicture(deps, link), { headers });
  },
});
