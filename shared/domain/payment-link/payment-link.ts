/** A payment link: a page that an integrator creates once, for one payer or for many (docs/api.md#payment-links). */
import type { PaymentAmount, PaymentItem } from '../payment/payment-amount.js';
import type { SplitDestination } from './split.js';

export const linkTypes = ['regular', 'one-time', 'quick-pay'] as const;
export type LinkType = (typeof linkTypes)[number];

export const linkStatuses = ['active', 'completed', 'expired', 'disabled'] as const;
export type LinkStatus = (typeof linkStatuses)[number];

/** Bounds and suggestion are decimal text, in the currency that the payer chooses. */
export interface LinkFlexibleAmount {
  readonly minAmount?: string;
  readonly maxAmount?: string;
  readonly suggestedAmount?: string;
  readonly allowedCurrencies?: readonly string[];
}

/** Key of the installments that apply to every payment method without its own list. */
export const ANY_METHOD = '*';

export interface LinkSettings {
  readonly amountMode: 'fixed' | 'flexible';
  readonly paymentMethodTypes?: readonly ('card' | 'bank-transfer')[];
  readonly paymentMethods?: readonly string[];
  /** Allowed counts by payment method, or by {@link ANY_METHOD}. */
  readonly installments?: Readonly<Record<string, readonly number[]>>;
  readonly callbackUrl?: string;
  readonly flexibleAmount?: LinkFlexibleAmount;
  readonly skipPreCheckout: boolean;
}

export interface LinkPicture {
  readonly address: string;
  /** From when the picture is to be drawn; absent when it is drawn. */
  readonly drawAt?: Date;
  readonly svg?: string;
}

export interface PaymentLink {
  /** GUID. */
  readonly _id: string;
  readonly schemaVersion?: number;
  /** 128 random bits: anyone who knows the id can pay. */
  readonly externalId: string;
  readonly clientId: string;
  readonly keyId: string;
  /** Merchants that the key which created the link could use. */
  readonly merchants: 'all' | readonly number[];
  readonly merchantId: number;
  readonly traceId: string;
  readonly type: LinkType;
  /** As stored: `validUntil` may have passed since. */
  readonly status: LinkStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly amount?: PaymentAmount;
  /** Currencies of a flexible amount: those of the request, else the currency of the amount or of the merchant's settings. */
  readonly currencies: readonly string[];
  readonly settings: LinkSettings;
  readonly validFrom?: Date;
  readonly validUntil?: Date;
  readonly displayName?: string;
  readonly description?: string;
  readonly items?: readonly PaymentItem[];
  readonly splitDestinations: readonly SplitDestination[];
  /** Number of payers that entered the checkout, which is also the number of the newest reference. */
  readonly entries: number;
  /** Number of the claim of a one-time link: only one payment can hold it. Grows when the payment that held the claim before failed. */
  readonly claim: number;
  /** Address of the link's page as a QR code. Absent for links that are older than stored pictures. */
  readonly picture?: LinkPicture;
  /** When the sweep looks at the link; absent: never. */
  readonly checkAt?: Date | undefined;
}

/** A merchant's settings for all its links. */
export interface LinkMerchantSettings {
  readonly merchantId: number;
  readonly clientId: string;
  readonly defaultExpirationMinutes?: number | undefined;
  readonly defaultCurrency?: string | undefined;
  /** Address for callbacks of links without their own `callbackUrl`. */
  readonly notificationUrl?: string | undefined;
  /** Unique: `{links_url}/m/{name}`. */
  readonly businessUrlName?: string | undefined;
  readonly quickPayEnabled: boolean;
  readonly updatedAt: Date;
}

/** Returns the status at `now`, also when no sweep has stored it yet. */
export function linkStatusAt({ status, validUntil }: PaymentLink, now: Date): LinkStatus {
  return status === 'active' && validUntil !== undefined && validUntil <= now ? 'expired' : status;
}

/** What a payer finds at the link; `early`: before `validFrom`. */
export type LinkAvailability = 'open' | 'early' | Exclude<LinkStatus, 'active'>;

export function linkAvailabilityAt(link: PaymentLink, now: Date): LinkAvailability {
  const status = linkStatusAt(link, now);
  if (status !== 'active') return status;
  return link.validFrom !== undefined && link.validFrom > now ? 'early' : 'open';
}

/**
 * Returns the counts of installments of all payment methods, beginning with 1. The page offers them before it knows the card;
 * {@link takesInstallments} decides. Empty when there is nothing to choose.
 */
export function offeredInstallments({ installments = {} }: Pick<LinkSettings, 'installments'>): readonly number[] {
  const counts = Object.values(installments).flat();
  return counts.length === 0 ? [] : [...new Set([1, ...counts])].sort((a, b) => a - b);
}

/**
 * Whether the count of installments may be chosen with a payment method. 1 always may, and only 1 when the link lists no counts. This is
 * checked because a payer's form may contain a count that the page did not offer.
 */
export function takesInstallments(
  { installments = {} }: Pick<LinkSettings, 'installments'>,
  methodId: string,
  count: number,
): boolean {
  if (count === 1) return true;
  const own = Object.hasOwn(installments, methodId) ? installments[methodId] : undefined;
  return (own ?? installments[ANY_METHOD] ?? []).includes(count);
}

/** Returns the currency of the items' prices, whatever currency the payer chooses. {@link PaymentLink.currencies} begins with it. */
export const itemCurrencyOf = ({ amount, currencies }: Pick<PaymentLink, 'amount' | 'currencies'>): string =>
  amount?.currency ?? currencies[0] ?? '';

/** Returns the key that the payment of a one-time link takes in the index of references. Holding the key is the claim. */
export const linkClaimKey = ({ _id, claim }: Pick<PaymentLink, '_id' | 'claim'>): string => `link#${claim}:${_id}`;
