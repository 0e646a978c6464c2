import { limits } from '../../config/limits.js';
import { defineEndpoint, type UploadedFile } from '../http/define-endpoint.js';
import { type MerchantIdParams, merchantIdParams, merchantLogoSchema } from './merchant.schema.js';
import { merchant, merchantId } from './merchant-examples.js';
import { logoUrlOf } from './present-merchant.js';

const { logoUrl, logoContentType, logoUploadedAt } = merchant;

export const putMerchantLogoEndpoint = defineEndpoint<MerchantIdParams, unknown, UploadedFile>({
  method: 'put',
  path: '/v1/merchants/:merchantId/profile/logo',
  operationId: 'putMerchantLogo',
  recordsItself: true,
  summary: 'Upload the logo of a merchant',
  description:
    `A PNG, JPEG or WebP picture of at most ${limits.logoBytesMax} bytes and ${limits.logoSidePixelsMax} by ` +
    `${limits.logoSidePixelsMax} pixels, not animated. Its type is detected from the bytes, not from its name or ` +
    'declared type. Metadata (EXIF, comments, colour profiles) is removed.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: {
    params: merchantIdParams,
    upload: {
      part: 'file',
      bytesMax: limits.logoBytesMax,
      contentTypes: ['image/png', 'image/jpeg', 'image/webp'],
    },
  },
  responses: { 200: merchantLogoSchema },
  errors: [],
  examples: { params: merchantId, response: { 200: { uploaded: { logoUrl, logoContentType, logoUploadedAt } } } },
  async handle(context, { usecases, config }) {
    const stored = await usecases.storeLogo(context.params.merchantId, context.body.bytes, context);
    return { ...stored, logoUrl: logoUrlOf(stored.logoUrl, config.publicBaseUrl) };
  },
});
