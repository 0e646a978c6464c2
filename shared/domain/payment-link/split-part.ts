import { count, optional, record, type Stored, text, whole } from '../described.js';

/** What one merchant gets of a payment. */
export const splitPart = record({ merchantId: whole, subMerchantReference: optional(text), amountMinor: count });
export interface SplitPart extends Stored<typeof splitPart> {}
