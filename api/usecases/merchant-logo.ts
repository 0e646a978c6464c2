/** A merchant's logo: judged by its bytes, cleaned, kept, and served under an address that names its content. */
import { createHash } from 'node:crypto';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { type ImageType, inspectImage } from '../../shared/domain/merchant/image/image.js';
import type { MerchantLogo } from '../../shared/store/merchant-logo.repository.js';
import type { Changer, MerchantDeps } from './merchant-deps.js';
import { recordChange } from './record-change.js';

/** 128 bits tell pictures apart. */
const HASH_LENGTH = 32;
const LOGO_FILE = new RegExp(`^([0-9a-f]{${HASH_LENGTH}})\\.(png|jpg|webp)$`);
const INT32_MAX = 2 ** 31 - 1;

const formats = {
  png: { contentType: 'image/png', extension: 'png' },
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  webp: { contentType: 'image/webp', extension: 'webp' },
} as const satisfies Record<ImageType, { contentType: string; extension: string }>;

const extensionOf = (contentType: string) =>
  Object.values(formats).find((format) => format.contentType === contentType)?.extension;

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
  const { contentType, extension } = formats[found.type];
  const bytes = Buffer.from(found.bytes);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH);
  const uploadedAt = deps.clock.now();
  // The picture first: the record never names one that cannot be served.
  await deps.logos.saveLogo({ merchantId, hash, contentType, bytes, uploadedAt });
  const logo: StoredLogo = {
    logoUrl: `/v1/public/merchants/${merchantId}/logo/${hash}.${extension}`,
    logoContentType: contentType,
    logoUploadedAt: uploadedAt,
  };
  await deps.merchants.setLogo(merchantId, logo);
  await recordChange(deps, changer, { action: 'logo.replaced', merchantId, object: 'logo' });
  return logo;
}

/** @throws {GatewayError} `not-found`, the same for every address that no logo has. */
export async function readLogo({ logos }: MerchantDeps, merchantId: string, file: string): Promise<MerchantLogo> {
  const [, hash, extension] = LOGO_FILE.exec(file) ?? [];
  const id = /^[1-9]\d{0,9}$/.test(merchantId) ? Number(merchantId) : INT32_MAX + 1;
  const logo = hash !== undefined && id <= INT32_MAX ? await logos.findLogo(id, hash) : undefined;
  if (!logo || extensionOf(logo.contentType) !== extension) throw new GatewayError('not-found');
  return logo;
}
