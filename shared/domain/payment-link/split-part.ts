import { count, optional, record, type Stored, text, whole } from '../described.js';

/** The part of a payment that one merchant gets. */
export const splitPart = record({ merchantId: whole, subMerchantReference: optional(text), amountMinor: count });
export interface SplitPart extends Stored<typeof splitPart> {}
