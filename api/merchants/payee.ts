/** A merchant as the pages for payers show it. */
import { defined } from '../../shared/domain/defined.js';
import type { Merchant, PageContact } from '../../shared/domain/merchant.js';

export interface Payee {
  readonly name: string;
  /** Path on this host, so that it works under every host name by which the page is reached. */
  readonly logoUrl?: string;
  /** Colour of the buttons: six hexadecimal digits; absent: our colour. */
  readonly color?: string;
  /** Place of the shop, and how payers can reach it. */
  readonly contact?: PageContact;
}

/** @param merchant undefined when it no longer exists: then the page has no name. */
export const payeeOf = (merchant: Merchant | undefined): Payee => ({
  name: merchant?.name ?? '',
  ...defined({ logoUrl: merchant?.logoUrl, color: merchant?.pageColor, contact: merchant?.pageContact }),
});
