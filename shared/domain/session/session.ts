/**
 * A session: what an integrator prepared for one payer, and the one document that says how it ended (docs/api.md#sessions).
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

/** Cardholder data that the page shows as filled in. */
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
  /** Absent in sessions of earlier releases alone: see `savesAs`. */
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
  /** Decimal text, compared as a decimal in whichever currency the payer chooses. */
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
      /** Of the merchant's integration when the session was made; absent: none was active. */
      readonly mode?: WalletMode;
      readonly dynamicShipping?: boolean;
    };
  };
}

export const sessionMethodTypes = ['card', 'bank-transfer'] as const;
/** What a payer may pay with, where the merchant has it. */
export type SessionMethodType = (typeof sessionMethodTypes)[number];

export interface SessionSettings {
  readonly paymentMethodTypes: readonly SessionMethodType[];
  readonly tokenization: TokenizationSettings;
  /** Of a checkout session only. */
  readonly checkout?: CheckoutSettings;
  readonly callbacks?: { readonly paymentCallbackUrl?: string; readonly tokenizationCallbackUrl?: string };
  /** Where the payer is sent on to. `receipt`: after success a receipt is shown first. */
  readonly redirects?: { readonly defaultUrl?: string; readonly cancelUrl?: string; readonly receipt?: boolean };
}

/** What is to be paid. A flexible amount may leave out both: then the payer says it. */
export interface SessionPaymentRequest {
  readonly referenceId: string;
  readonly invoiceNumber: string;
  readonly installments?: number;
  readonly amount: { readonly totalMinor?: number; readonly currency?: string };
  readonly metadata?: Metadata;
}

/** What the tokenization callback is to say; its body is made in the write that makes the change. */
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
  /** First key of the line of rotations that the session was made with. */
  readonly keyId: string;
  /** Merchants that key could use: a saved card of another one is not offered. */
  readonly merchants: 'all' | readonly number[];
  readonly merchantId: number;
  readonly traceId: string;
  readonly type: SessionType;
  readonly referenceId: string;
  readonly requestDigest: string;
  readonly status: SessionStatus;
  /** Grows with every write: changes are compare-and-set. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly customerId?: string;
  /** Link that the payer came by; the session was made for that payer alone. */
  readonly paymentLink?: {
    readonly id: string;
    readonly externalId: string;
    /** What the payer knows it by. */
    readonly displayName?: string;
    /** Payment methods that may be used; absent: all. */
    readonly paymentMethods?: readonly string[];
    /** Allowed numbers of payments by payment method, or by `*`. */
    readonly installments?: Readonly<Record<string, readonly number[]>>;
  };
  /** Saved card that is paid with: only its cvc is asked for. */
  readonly token?: string;
  readonly paymentRequest?: SessionPaymentRequest;
  readonly browserDetails?: BrowserDetails;
  readonly settings: SessionSettings;
  /** Token of the card that a tokenization without verification saves: chosen beforehand, so that it is saved once. */
  readonly instrumentToken?: string;
  /** Number of the newest try; 0 before the first. */
  readonly tries: number;
  readonly triedAt?: Date | undefined;
  /** When the sweep looks at it: at its end, or soon while a try is under way. Absent once it ended. */
  readonly checkAt?: Date | undefined;
  /** Set when all tries were used up and the integrator was notified. */
  readonly failedAt?: Date | undefined;
  /** Saved card that it ended with. */
  readonly instrument?: string;
  readonly events: readonly SessionEvent[];
  readonly eventSeq: number;
  /** Set while an event waits to become a delivery. */
  readonly announceAt?: Date | undefined;
  /** The database removes it then. */
  readonly removeAt: Date;
}
