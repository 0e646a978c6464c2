import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body, Joi } from '../../shared/contract/joi.js';
import { merchantIdOf } from '../../shared/domain/merchant.js';
import type { MerchantLogo } from '../../shared/store/merchant-logo.repository.js';
import type { ApiDeps } from '../deps.js';
import { answer, defineEndpoint } from '../http/define-endpoint.js';
import { pathId } from '../http/path-id.js';
import { readLogoFile } from './logo-file.js';

interface LogoParams {
  readonly merchantId: string;
  readonly file: string;
}

/**
 * Headers that let browsers use the file as a picture only, without running or guessing anything, also on other sites
 * (docs/security.md#uploaded-pictures).
 */
const headers = {
  'Cache-Control': `public, max-age=${limits.logoCacheSeconds}, immutable`,
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** @throws {GatewayError} `not-found`, the same for every address without a logo. */
async function readLogo({ logos }: Pick<ApiDeps, 'logos'>, merchantId: string, file: string): Promise<MerchantLogo> {
  const named = readLogoFile(file);
  const id = merchantIdOf(merchantId);
  const logo = named && id !== undefined ? await logos.findLogo(id, named.hash) : undefined;
  if (!logo || logo.contentType !== named?.contentType) throw new GatewayError('not-found');
  return logo;
}

export const getMerchantLogoEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/public/merchants/:merchantId/logo/:file',
  operationId: 'getMerchantLogo',
  summary: 'Read the logo of a merchant',
  description: 'Public. The address changes with the picture: use `logoUrl`.',
  tags: ['Merchants'],
  auth: 'none',
  merchantScope: 'none',
  addressLimit: { requests: limits.logoReadsMax, windowSeconds: limits.logoReadsSeconds },
  // Any text: an address that cannot exist is answered like one that does not exist.
  request: {
    params: body<LogoParams>({
      merchantId: pathId(),
      file: pathId(),
    }),
  },
  responses: { 200: Joi.string().description('The picture.') },
  produces: ['image/png', 'image/jpeg', 'image/webp'],
  errors: ['not-found', 'timeout'],
  examples: { params: { merchantId: '1001', file: '0a1b2c3d4e5f60718293a4b5c6d7e8f9.png' } },
  async handle({ params }, deps) {
    const { bytes, contentType } = await readLogo(deps, params.merchantId, params.file);
    return answer(bytes, { headers: { ...headers, 'Content-Type': contentType } });
  },
});
