/** A merchant as its pages show it. */
import { logoUrlOf } from '../../shared/contract/merchant/present-merchant.js';
import type { Merchant } from '../../shared/domain/merchant.js';

export interface Payee {
  readonly name: string;
  readonly logoUrl?: string;
  /** Six hexadecimal digits. */
  readonly color?: string;
}

/** @param merchant undefined when it is gone: then the page has no name. */
export const payeeOf = (merchant: Merchant | undefined, config: { readonly publicBaseUrl: string }): Payee => ({
  name: merchant?.name ?? '',
  ...(merchant?.logoUrl !== undefined && { logoUrl: logoUrlOf(merchant.logoUrl, config.publicBaseUrl) }),
  ...(merchant?.pageColor !== undefined && { color: merchant.pageColor }),
});
