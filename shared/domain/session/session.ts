/**
 * A session: what an integrator prepares for one payer, and the document that says how it ended (docs/api.md#sessions).
 * Amounts are integers in minor units unless a name says text; times are `Date` in UTC.
 */
import type { CardType } from '../instrument/payment-instrument.js';
import type { BrowserDetails, Metadata } from '../payment/payment.js';
import type { WalletMode } from '../wallet/integration.js';
import type { SessionStatus } from './statuses.js';

export const sessionTypes = ['checkout', 'tokenization'] as const;
export type SessionType = (typeof sessionTypes)[number];

export const sessionFeatures = ['create', 'list', 'select', 'delete'] as const;
/** What the payer may do with saved cards. */
export type SessionFeature = (typeof sessionFeatures)[number];

export const fieldModes = ['required', 'optional', 'hidden'] as const;
export type FieldMode = (typeof fieldModes)[number];

/** Cardholder data with which the page fills in its form. */
export interface PrefilledCardholder {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly birthdate?: Date;
  readonly identification?: { readonly type?: number; readonly value?: string };
  readonly billingAddress?: {
    readonly city?: string;
    readonly country?: string;
    readonly line1: string;
    readonly line2?: string;
    readonly postalCode?: string;
    readonly state?: string;
  };
  readonly phoneNumber?: string;
}

export interface TokenizationSettings {
  /** Absent only in sessions of earlier releases: see `savesAs`. */
  readonly type?: 'store' | 'temporal';
  readonly allowedCardTypes?: readonly Exclude<CardType, 'prepaid'>[];
  readonly features: readonly SessionFeature[];
  /** Amount of the verification, in minor units. */
  readonly verifyFunds?: { readonly amountMinor: number; readonly currency: string };
  readonly fields?: { readonly cvc?: FieldMode; readonly cardholder?: FieldMode };
  readonly cardholder?: PrefilledCardholder;
}

export interface FlexibleAmount {
  readonly allowedCurrencies: readonly string[];
  /** Decimal text, compared as a decimal in the currency that the payer chooses. */
  readonly minAmount?: string;
  readonly maxAmount?: string;
}

export interface CheckoutSettings {
  readonly amountMode: 'fixed' | 'flexible';
  readonly disableThreeds: boolean;
  readonly flexibleAmount?: FlexibleAmount;
  readonly walletIntegrations?: {
    readonly walletAPay?: {
      readonly enabled?: boolean;
      /** Mode of the merchant's integration when the session was created; absent when none was active. */
      readonly mode?: WalletMode;
      readonly dynamicShipping?: boolean;
    };
  };
}

export const sessionMethodTypes = ['card', 'bank-transfer'] as const;
/** Types of payment methods that a payer may use, if the merchant has them. */
export type SessionMethodType = (typeof sessionMethodTypes)[number];

export interface SessionSettings {
  readonly paymentMethodTypes: readonly SessionMethodType[];
  readonly tokenization: TokenizationSettings;
  /** Only in a checkout session. */
  readonly checkout?: CheckoutSettings;
  readonly callbacks?: { readonly paymentCallbackUrl?: string; readonly tokenizationCallbackUrl?: string };
  /** Where the payer is redirected. `receipt`: after success, a receipt is shown first. */
  readonly redirects?: { readonly defaultUrl?: string; readonly cancelUrl?: string; readonly receipt?: boolean };
}

/** What is to be paid. With a flexible amount both `totalMinor` and `currency` may be absent: the payer chooses them. */
export interface SessionPaymentRequest {
  readonly referenceId: string;
  readonly invoiceNumber: string;
  readonly installments?: number;
  readonly amount: { readonly totalMinor?: number; readonly currency?: string };
  readonly metadata?: Metadata;
}

/** An event for the tokenization callback. Its body is stored in the same write as the change. */
export interface SessionEvent {
  readonly seq: number;
  readonly at: Date;
  readonly url: string;
  readonly body: string;
}

export interface Session {
  /** `ses_…` */
  readonly _id: string;
  readonly schemaVersion?: number;
  readonly clientId: string;
  /** First key in the line of rotations of the key that created the session. */
  readonly keyId: string;
  /** Merchants that the key could use: saved cards of other merchants are not offered. */
  readonly merchants: 'all' | readonly number[];
  readonly merchantId: number;
  readonly traceId: string;
  readonly type: SessionType;
  readonly referenceId: string;
  readonly requestDigest: string;
  readonly status: SessionStatus;
  /** Grows with every write: changes are written by compare-and-set. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly customerId?: string;
  /** Link that the payer came from; the session was created for that payer alone. */
  readonly paymentLink?: {
    readonly id: string;
    readonly externalId: string;
    /** Name of the link that the payer sees. */
    readonly displayName?: string;
    /** Payment methods that may be used; absent: all. */
    readonly paymentMethods?: readonly string[];
    /** Allowed numbers of payments by payment method, or by `*`. */
    readonly installments?: Readonly<Record<string, readonly number[]>>;
  };
  /** Token of the saved card that pays: the page asks only for its cvc. */
  readonly token?: string;
  readonly paymentRequest?: SessionPaymentRequest;
  readonly browserDetails?: BrowserDetails;
  readonly settings: SessionSettings;
  /** Token for the card that a tokenization without verification saves: chosen in advance, so that the card is saved once. */
  readonly instrumentToken?: string;
  /** Number of the newest try; 0 before the first. */
  readonly tries: number;
  readonly triedAt?: Date | undefined;
  /** When the sweep looks at the session: when it expires, or soon while a try is under way. Absent once the session ended. */
  readonly checkAt?: Date | undefined;
  /** Set when all tries were used up and the integrator was notified. */
  readonly failedAt?: Date | undefined;
  /** Token of the saved card that the session ended with. */
  readonly instrument?: string;
  readonly events: readonly SessionEvent[];
  readonly eventSeq: number;
  /** Set while an event waits to become a delivery. */
  readonly announceAt?: Date | undefined;
  /** When the database removes the session. */
  readonly removeAt: Date;
}
