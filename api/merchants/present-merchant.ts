import type { Merchant } from '../../shared/domain/merchant.js';

const iso = (date: Date | undefined) => date?.toISOString() ?? null;

/** Returns the public address of a logo. Our own logos are stored as a path, because the address of the API may change. */
export function logoUrlOf(logoUrl: string, publicBaseUrl: string): string {
  return logoUrl.startsWith('/') ? `${publicBaseUrl}${logoUrl}` : logoUrl;
}

/** Presents the merchant record on the wire. */
export function presentMerchant(merchant: Merchant, publicBaseUrl: string): object {
  const { id, name, legalName, status, country, defaultCurrency, taxId, logoUrl, logoContentType } = merchant;
  return {
    id,
    name,
    legalName: legalName ?? null,
    status,
    country: country ?? null,
    defaultCurrency: defaultCurrency ?? null,
    taxId: taxId ?? null,
    logoUrl: logoUrl === undefined ? null : logoUrlOf(logoUrl, publicBaseUrl),
    logoContentType: logoContentType ?? null,
    logoUploadedAt: iso(merchant.logoUploadedAt),
    createdAt: iso(merchant.createdAt),
    updatedAt: iso(merchant.updatedAt),
  };
}
