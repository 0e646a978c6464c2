/** A merchant's logo: judged by its bytes, cleaned, kept, and served under an address that names its content. */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { MerchantLogo } from '../../shared/store/merchant-logo.repository.js';
import { recordChange } from '../http/record-change.js';
import { inspectImage } from './image/image.js';
import { logoFileOf, readLogoFile } from './logo-file.js';
import type { Changer, MerchantDeps } from './merchant-deps.js';

const INT32_MAX = 2 ** 31 - 1;

/** What is said of a logo on the merchant record; `logoUrl` is a path of ours. */
export interface StoredLogo {
  readonly logoUrl: string;
  readonly logoContentType: string;
  readonly logoUploadedAt: Date;
}

/** @throws {GatewayError} `request-validation-errors` naming `file`, with the reason. */
export async function storeLogo(
  deps: MerchantDeps,
  merchantId: number,
  uploaded: Uint8Array,
  changer: Changer,
): Promise<StoredLogo> {
  const found = inspectImage(uploaded, limits.logoSidePixelsMax);
  if ('problem' in found) {
    throw new GatewayError('request-validation-errors', { params: { file: [`"file" ${found.problem}`] } });
  }
  const bytes = Buffer.from(found.bytes);
  const { hash, contentType, path } = logoFileOf(merchantId, found.type, bytes);
  const uploadedAt = deps.clock.now();
  // The picture first: the record never names one that cannot be served.
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

/** @throws {GatewayError} `not-found`, the same for every address that no logo has. */
export async function readLogo({ logos }: MerchantDeps, merchantId: string, file: string): Promise<MerchantLogo> {
  const named = readLogoFile(file);
  const id = /^[1-9]\d{0,9}$/.test(merchantId) ? Number(merchantId) : INT32_MAX + 1;
  const logo = named && id <= INT32_MAX ? await logos.findLogo(id, named.hash) : undefined;
  if (!logo || logo.contentType !== named?.contentType) throw new GatewayError('not-found');
  return logo;
}
