import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body, Joi } from '../../shared/contract/joi.js';
import { answer, defineEndpoint } from '../http/define-endpoint.js';
import { externalId } from './link-examples.js';
import { shareUrlOf } from './present-payment-link.js';

/** A picture is only ever a picture, and other sites may show it (docs/security.md, S23). */
const headers = {
  'Cache-Control': `public, max-age=${limits.linkPictureCacheSeconds}`,
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Content-Type': 'image/svg+xml',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

export const getLinkQrEndpoint = defineEndpoint<{ externalId: string }>({
  method: 'get',
  path: '/v1/public/payment-links/:externalId/qr.svg',
  operationId: 'getPaymentLinkQr',
  summary: 'The address of a payment link as a QR code',
  description: 'Open to all: whoever can open the page may have its picture. Black on white, for print and screen.',
  tags: ['Payment links'],
  auth: 'none',
  merchantScope: 'none',
  addressLimit: { requests: limits.linkPicturesMax, windowSeconds: limits.linkVisitsSeconds },
  request: {
    params: body<{ externalId: string }>({ externalId: Joi.string().max(limits.pathIdLengthMax).required() }),
  },
  responses: { 200: Joi.string().description('The picture.') },
  produces: ['image/svg+xml'],
  errors: ['payment-link-not-found', 'timeout', 'service-unavailable'],
  examples: { params: externalId },
  async handle({ params }, { links, config }) {
    const link = await links.findByExternalId(params.externalId);
    if (!link) throw new GatewayError('payment-link-not-found');
    const address = shareUrlOf(config, link.externalId);
    const { default: QRCode } = await import('qrcode');
    return answer(await QRCode.toString(address, { type: 'svg', errorCorrectionLevel: 'M' }), { headers });
  },
});
