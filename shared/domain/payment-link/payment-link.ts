/** A payment link: a page that an integrator made once, for one payer or for many (docs/api.md#payment-links). */
import type { PaymentAmount, PaymentItem } from '../payment/payment-amount.js';
import type { SplitDestination } from './split.js';

export const linkTypes = ['regular', 'one-time', 'quick-pay'] as const;
export type LinkType = (typeof linkTypes)[number];

export const linkStatuses = ['active', 'completed', 'expired', 'disabled'] as const;
export type LinkStatus = (typeof linkStatuses)[number];

/** Bounds and suggestion are decimal text, in whichever currency the payer chooses. */
export interface LinkFlexibleAmount {
  readonly minAmount?: string;
  readonly maxAmount?: string;
  readonly suggestedAmount?: string;
  readonly allowedCurrencies?: readonly string[];
}

/** Key of the installments that go for every payment method without a list of its own. */
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
  /** Still to be drawn, from then on; absent: drawn. */
  readonly drawAt?: Date;
  readonly svg?: string;
}

export interface PaymentLink {
  /** GUID. */
  readonly _id: string;
  readonly schemaVersion?: number;
  /** 128 random bits: anyone who knows it can pay. */
  readonly externalId: string;
  readonly clientId: string;
  readonly keyId: string;
  /** Merchants that the key which made it could use. */
  readonly merchants: 'all' | readonly number[];
  readonly merchantId: number;
  readonly traceId: string;
  readonly type: LinkType;
  /** As stored: `validUntil` may have passed since. */
  readonly status: LinkStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly amount?: PaymentAmount;
  /** Currencies of a flexible amount: those that were said, else the one of the amount or of the merchant's settings. */
  readonly currencies: readonly string[];
  readonly settings: LinkSettings;
  readonly validFrom?: Date;
  readonly validUntil?: Date;
  readonly displayName?: string;
  readonly description?: string;
  readonly items?: readonly PaymentItem[];
  readonly splitDestinations: readonly SplitDestination[];
  /** Payers that went on to the checkout: the number of the newest reference. */
  readonly entries: number;
  /** Of a one-time link: which payment may be its only one. Grows when the one before it failed. */
  readonly claim: number;
  /** The address of its page as a QR code. Absent: the link is older than stored pictures. */
  readonly picture?: LinkPicture;
  /** When the sweep looks at it; absent: never. */
  readonly checkAt?: Date | undefined;
}

/** What a merchant said of all its links. */
export interface LinkMerchantSettings {
  readonly merchantId: number;
  readonly clientId: string;
  readonly defaultExpirationMinutes?: number | undefined;
  readonly defaultCurrency?: string | undefined;
  /** Callbacks of links without a `callbackUrl` of their own. */
  readonly notificationUrl?: string | undefined;
  /** Unique: `{links_url}/m/{name}`. */
  readonly businessUrlName?: string | undefined;
  readonly quickPayEnabled: boolean;
  readonly updatedAt: Date;
}

/** Status at a moment, before any sweep came by. */
export function linkStatusAt({ status, validUntil }: PaymentLink, now: Date): LinkStatus {
  return status === 'active' && validUntil !== undefined && validUntil <= now ? 'expired' : status;
}

/** What a payer finds: `early` before `validFrom`. */
export type LinkAvailability = 'open' | 'early' | Exclude<LinkStatus, 'active'>;

export function linkAvailabilityAt(link: PaymentLink, now: Date): LinkAvailability {
  const status = linkStatusAt(link, now);
  if (status !== 'active') return status;
  return link.validFrom !== undefined && link.validFrom > now ? 'early' : 'open';
}

/**
 * Counts that may be chosen whatever the card, one payment first: the page offers them, {@link takesInstallments} decides. Empty where
 * there is nothing to choose.
 */
export function offeredInstallments({ installments = {} }: Pick<LinkSettings, 'installments'>): readonly number[] {
  const counts = Object.values(installments).flat();
  return counts.length === 0 ? [] : [...new Set([1, ...counts])].sort((a, b) => a - b);
}

/**
 * Whether the count may be chosen with a payment method. One payment at once always may; where the link says nothing it is the only one:
 * a payer's form may say more than the page offered.
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

/** What the payment of a one-time link takes in the index of references: the claim itself. */
export const linkClaimKey = ({ _id, claim }: Pick<PaymentLink, '_id' | 'claim'>): string => `link#${claim}:${_id}`;
