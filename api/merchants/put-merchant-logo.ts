import { limits } from '../../config/limits.js';
import { invalidField } from '../../shared/contract/gateway-error.js';
import type { ApiDeps } from '../deps.js';
import { type Changer, defineEndpoint, type UploadedFile } from '../http/define-endpoint.js';
import { recordChange } from '../http/record-change.js';
import { inspectImage } from './image/image.js';
import { logoFileOf } from './logo-file.js';
import { type MerchantIdParams, merchantIdParams, merchantLogoSchema } from './merchant.schema.js';
import { merchant, merchantId } from './merchant-examples.js';
import { logoUrlOf } from './present-merchant.js';

const { logoUrl, logoContentType, logoUploadedAt } = merchant;

/** Fields of the merchant record about its logo; `logoUrl` is a path on this API. */
interface StoredLogo {
  readonly logoUrl: string;
  readonly logoContentType: string;
  readonly logoUploadedAt: Date;
}

/** @throws {GatewayError} `request-validation-errors` naming `file`, with the reason. */
async function storeLogo(
  deps: Pick<ApiDeps, 'clock' | 'logos' | 'merchants' | 'audit'>,
  merchantId: number,
  uploaded: Uint8Array,
  changer: Changer,
): Promise<StoredLogo> {
  const found = inspectImage(uploaded, limits.logoSidePixelsMax);
  if ('problem' in found) {
    throw invalidField('file', `"file" ${found.problem}`);
  }
  const bytes = Buffer.from(found.bytes);
  const { hash, contentType, path } = logoFileOf(merchantId, found.type, bytes);
  const uploadedAt = deps.clock.now();
  // The picture is stored first, so that the record never names a logo that cannot be served.
  await deps.logos.saveLogo({ merchantId, hash, contentType, bytes, uploadedAt });
  const logo: StoredLogo = {
    logoUrl: path,
    logoContentType: contentType,
    logoUploadedAt: uploadedAt,
  };
  await deps.merchants.setLogo(merchantId, logo);
  await recordChange(deps, changer, { action: 'logo.replaced', merchantId, object: 'logo' });
  return logo;
}

export const putMerchantLogoEndpoint = defineEndpoint<MerchantIdParams, unknown, UploadedFile>({
  method: 'put',
  path: '/v1/merchants/:merchantId/profile/logo',
  operationId: 'putMerchantLogo',
  flowWritesAudit: true,
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
  async handle(context, deps) {
    const stored = await storeLogo(deps, context.params.merchantId, context.body.bytes, context);
    return { ...stored, logoUrl: logoUrlOf(stored.logoUrl, deps.config.publicBaseUrl) };
  },
});
