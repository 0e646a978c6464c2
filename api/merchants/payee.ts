/** A merchant as its pages show it. */
import { defined } from '../../shared/domain/defined.js';
import type { Merchant, PageContact } from '../../shared/domain/merchant.js';

export interface Payee {
  readonly name: string;
  /** A path of ours: the page shows it under whichever name it was asked for. */
  readonly logoUrl?: string;
  /** Six hexadecimal digits. */
  readonly color?: string;
  /** Where the shop is, and how payers reach it. */
  readonly contact?: PageContact;
}

/** @param merchant undefined when it is gone: then the page has no name. */
export const payeeOf = (merchant: Merchant | undefined): Payee => ({
  name: merchant?.name ?? '',
  ...defined({ logoUrl: merchant?.logoUrl, color: merchant?.pageColor, contact: merchant?.pageContact }),
});
