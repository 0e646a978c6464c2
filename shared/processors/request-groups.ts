/**
 * The groups of a request to a processor: merchant, parts of the amount, order, payer, credential and proof of
 * authentication. An optional field is absent when the merchant did not send it. Amounts are integers in minor
 * units of the request's currency.
 */

import type { BrowserDetails } from '../domain/payment/browser-details.js';
import type { Exemption } from '../domain/payment/charge-reasons.js';
import type { PaymentItem } from '../domain/payment/payment-amount.js';
import type { WalletType } from '../domain/wallet/integration.js';

/** The merchant as the acquirer knows it. */
export interface ProcessorMerchant {
  /** The gateway's number of the merchant. */
  readonly id: number;
  /** Name that the acquirer puts on a statement when there is no descriptor. */
  readonly name: string;
  /** The merchant's number at the acquirer (MID). */
  readonly merchantIdentificationNumber?: string;
  readonly terminalNumber?: string;
  /** ISO 18245, 4 digits. */
  readonly merchantCategoryCode?: string;
  /** `rut` of the payment method, or else the tax id of the merchant. */
  readonly taxId?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  /** In payment-facilitator mode: the facilitator's id, and the merchant as its sub-merchant. */
  readonly facilitator?: ProcessorFacilitator;
  /**
   * The merchant's credentials at this processor, opened from the vault for one call. Only for adapters that name them in
   * `merchantCredentials`. Secret: never logged, never in an error or an answer.
   */
  readonly credentials?: Readonly<Record<string, string>>;
}

export interface ProcessorFacilitator {
  readonly id: string;
  readonly subMerchant: { readonly id: string; readonly name: string; readonly merchantCategoryCode?: string };
}

export interface ProcessorTax {
  /** The law whose tax benefit is claimed: `17934` or `19210`; `none` for a tax without a benefit. */
  readonly law: '17934' | '19210' | 'none';
  readonly amountMinor?: number;
  /** Decimal fraction as text, for example `0.22`. */
  readonly rate?: string;
}

/** A named part of the amount. */
export interface ProcessorAmountPart {
  readonly amountMinor: number;
  readonly description?: string;
}

/** The parts of the request's amount. Every part is included in the amount, never added to it. */
export interface ProcessorMoney {
  readonly tip?: ProcessorAmountPart;
  readonly taxes?: readonly ProcessorTax[];
  readonly taxedAmountMinor?: number;
  readonly discount?: ProcessorAmountPart;
  readonly shipping?: ProcessorAmountPart;
  readonly surcharge?: ProcessorAmountPart;
  /** Number of installments: more than 1, or 1 when the merchant asked for it. */
  readonly installments?: number;
  /** Code of the installment plan at the acquirer. */
  readonly installmentPlan?: string;
  /** The merchant accepts less than the amount; otherwise the core reverses a partial approval. */
  readonly partialApprovalAllowed?: true;
}

/** A line of the order (Level 2 and 3 data). Decimals are text as the merchant sent them. */
export interface ProcessorItem extends Omit<PaymentItem, 'metadata'> {}

/** The order that is paid for. */
export interface ProcessorOrder {
  /** The merchant's own reference of the payment. */
  readonly referenceId: string;
  readonly invoiceNumber: string;
  readonly statementDescriptor?: string;
  readonly items?: readonly ProcessorItem[];
  /** Extras that the merchant sent for the processor: `paymentMethod.fields`. */
  readonly fields?: Readonly<Record<string, string>>;
}

export interface ProcessorAddress {
  readonly line1: string;
  readonly line2?: string;
  readonly city?: string;
  readonly state?: string;
  readonly postalCode?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
}

export interface ProcessorDocument {
  /** The merchant's own code for the kind of document. */
  readonly type?: number;
  readonly value?: string;
}

/** Details that the payer's browser reports. */
export interface ProcessorBrowser extends BrowserDetails {}

/** The payer: fields that were sent with the card, or else those of the stored customer. Personal data: never logged. */
export interface ProcessorPayer {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly birthdate?: Date;
  readonly document?: ProcessorDocument;
  /** Billing address, for AVS. */
  readonly address?: ProcessorAddress;
  readonly shipping?: { readonly name?: string; readonly phone?: string; readonly address?: ProcessorAddress };
  readonly browser?: ProcessorBrowser;
  /** Our id of the customer. */
  readonly customerId?: string;
  /** The merchant's own reference of the customer. */
  readonly customerReference?: string;
}

/** Card data as the processor needs it: opened from the vault for one call and dropped afterwards. */
export interface ProcessorCard {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** Brand of the catalog, for example `visa`. */
  readonly brand?: string;
  readonly cvc?: string;
  /** First and last name of the cardholder, as one text. */
  readonly holderName?: string;
  /** The wallet that supplied the card: with a cryptogram in `networkToken`, or without one as a PAN-only credential. */
  readonly wallet?: WalletType;
  /** Present when `number` is a network token: the cryptogram authenticates this single use of the token. */
  readonly networkToken?: { readonly cryptogram: string; readonly eci?: string };
  /** `card.metadata` of the payment, without its proof of authentication. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A click-to-pay check-out that the processor exchanges for the card itself. */
export interface ClickToPayToken {
  readonly correlationId: string;
  readonly merchantTransactionId: string;
  /** Card brand of the catalog. */
  readonly scheme: string;
}

/** How a stored credential, or one that is being stored, is used under the rules of the card networks. */
export interface StoredCredentialUse {
  /** `merchant`: the payer is not present and agreed to the charge in the first payment. */
  readonly initiator: 'payer' | 'merchant';
  /** `first`: the payment in which the credential is stored, or in which the payer agrees. */
  readonly use: 'first' | 'subsequent';
  /** `unscheduled`: a card on file. */
  readonly reason: 'unscheduled' | 'recurring' | 'installment';
  readonly frequency?: 'daily' | 'weekly' | 'monthly' | 'yearly' | 'unscheduled';
  /** End of the agreement. */
  readonly expiresAt?: Date;
  /** Network transaction id of the first payment, no matter which processor made it. */
  readonly networkTransactionId?: string;
  /** Link id of the first payment (Mastercard), when the processor gave one. */
  readonly networkLinkId?: string;
  /** This processor's references of the first payment; absent when another processor made it. */
  readonly firstPayment?: ProcessorReferences;
}

export type CredentialSource =
  | 'card'
  | 'token'
  | 'network-token'
  | 'wallet-a-pay-token'
  | 'wallet-b-pay-token'
  | 'click-to-pay-token';

/** The credential that is charged. Exactly one of `card` and `clickToPay` is given. */
export interface ProcessorCredential {
  readonly source: CredentialSource;
  readonly card?: ProcessorCard;
  readonly clickToPay?: ClickToPayToken;
  /** Wallet that the card came from, also when the card was saved since. */
  readonly wallet?: 'wallet-a-pay' | 'wallet-b-pay';
  /** Absent: the card is used this once and not stored. */
  readonly stored?: StoredCredentialUse;
}

export type { Exemption };

/** The result of a 3D Secure authentication, made by the gateway or elsewhere by the merchant, and the exemption claimed instead of one. */
export interface ThreeDsProof {
  /** EMV 3DS version. */
  readonly version?: string;
  /** Final status: that of the challenge, if there was one. */
  readonly transStatus?: string;
  /** Absent when the merchant authenticated elsewhere: its proof does not contain the flow. */
  readonly flow?: 'frictionless' | 'challenge';
  readonly eci?: string;
  readonly dsTransactionId?: string;
  /** CAVV, base64. Secret until the outcome is known. */
  readonly authenticationValue?: string;
  /** Whether the issuer bears the liability. */
  readonly liabilityShift?: boolean;
  readonly exemption?: Exemption;
}

/** The processor's references of an operation, sent with every later request about that operation. */
export interface ProcessorReferences {
  /** The operation's id in the processor's API, or what the adapter needs to find it again. Stored unchanged, never shown. */
  readonly processorReference?: string;
  readonly ticket?: string;
  /** ISO 8583 field 37. */
  readonly retrievalReference?: string;
  readonly networkTransactionId?: string;
  /** Issuer's authorization code. */
  readonly authorization?: string;
  /** When the gateway created the operation. */
  readonly createdAt?: Date;
}
