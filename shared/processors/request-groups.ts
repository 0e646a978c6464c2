/**
 * What a request to a processor says, in groups: who is paid, how the amount is made up, what for, by whom, with what
 * credential and which proof. What is optional is absent where the merchant did not send it. Amounts are integers in minor
 * units of the request's currency.
 */

import type { BrowserDetails } from '../domain/payment/browser-details.js';
import type { Exemption } from '../domain/payment/charge-reasons.js';
import type { PaymentItem } from '../domain/payment/payment-amount.js';
import type { WalletType } from '../domain/wallet/integration.js';

/** The merchant as the acquirer knows it. */
export interface ProcessorMerchant {
  /** Our number of it. */
  readonly id: number;
  /** What the acquirer puts on a statement where there is no descriptor. */
  readonly name: string;
  /** The merchant's number at the acquirer (MID). */
  readonly merchantIdentificationNumber?: string;
  readonly terminalNumber?: string;
  /** ISO 18245, 4 digits. */
  readonly merchantCategoryCode?: string;
  /** `rut` of the payment method, else the tax id of the merchant. */
  readonly taxId?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  /** Under a payment facilitator: its id, and the merchant as its sub-merchant. */
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
  /** The law whose benefit is asked for: `17934`, `19210`; `none`: a plain tax. */
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

/** How the amount of the request is made up. All of it is part of the amount, never added to it. */
export interface ProcessorMoney {
  readonly tip?: ProcessorAmountPart;
  readonly taxes?: readonly ProcessorTax[];
  readonly taxedAmountMinor?: number;
  readonly discount?: ProcessorAmountPart;
  readonly shipping?: ProcessorAmountPart;
  readonly surcharge?: ProcessorAmountPart;
  /** More than one, or one that was asked for. */
  readonly installments?: number;
  /** Code of the installment plan at the acquirer. */
  readonly installmentPlan?: string;
  /** The merchant takes less than the amount; otherwise a partial approval is reversed by the core. */
  readonly partialApprovalAllowed?: true;
}

/** A line of the order (Level 2 and 3 data). Decimals are text as the merchant sent them. */
export interface ProcessorItem extends Omit<PaymentItem, 'metadata'> {}

/** What is paid for. */
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
  /** The merchant's own code of the kind of document. */
  readonly type?: number;
  readonly value?: string;
}

/** What the payer's browser says of itself. */
export interface ProcessorBrowser extends BrowserDetails {}

/** Who pays: what was sent with the card; where it says nothing, what is known of the customer. Personal data: never logged. */
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

/** Card data as the processor needs it: opened from the vault for one call and dropped after it. */
export interface ProcessorCard {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** Brand of the catalog, for example `visa`. */
  readonly brand?: string;
  readonly cvc?: string;
  /** First and last name of the cardholder, as one text. */
  readonly holderName?: string;
  /** The wallet that gave the card: with a cryptogram in `networkToken`, or a PAN-only credential without. */
  readonly wallet?: WalletType;
  /** `number` is a network token: the cryptogram proves this one use of it. */
  readonly networkToken?: { readonly cryptogram: string; readonly eci?: string };
  /** `card.metadata` of the payment, without the proof of an authentication. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A click-to-pay check-out that the processor exchanges for the card itself. */
export interface ClickToPayToken {
  readonly correlationId: string;
  readonly merchantTransactionId: string;
  /** Card brand of the catalog. */
  readonly scheme: string;
}

/** The use of a credential that is stored, or is being stored, under the rules of the card networks. */
export interface StoredCredentialUse {
  /** `merchant`: without the payer, who agreed to it in the first payment. */
  readonly initiator: 'payer' | 'merchant';
  /** `first`: the payment in which it is stored, or in which the payer agrees. */
  readonly use: 'first' | 'subsequent';
  /** `unscheduled`: a card on file. */
  readonly reason: 'unscheduled' | 'recurring' | 'installment';
  readonly frequency?: 'daily' | 'weekly' | 'monthly' | 'yearly' | 'unscheduled';
  /** The agreement ends then. */
  readonly expiresAt?: Date;
  /** What the network called the first payment, whichever processor made it. */
  readonly networkTransactionId?: string;
  /** Link id of the first payment (Mastercard), where the processor gave one. */
  readonly networkLinkId?: string;
  /** The first payment at this processor; absent when another one made it. */
  readonly firstPayment?: ProcessorReferences;
}

export type CredentialSource =
  | 'card'
  | 'token'
  | 'network-token'
  | 'wallet-a-pay-token'
  | 'wallet-b-pay-token'
  | 'click-to-pay-token';

/** What is charged. Exactly one of `card` and `clickToPay` is given. */
export interface ProcessorCredential {
  readonly source: CredentialSource;
  readonly card?: ProcessorCard;
  readonly clickToPay?: ClickToPayToken;
  /** Wallet that the card came from, also when it was saved. */
  readonly wallet?: 'wallet-a-pay' | 'wallet-b-pay';
  /** Absent: the card is used this once and not stored. */
  readonly stored?: StoredCredentialUse;
}

export type { Exemption };

/** The result of a 3D Secure authentication, by the gateway or by the merchant elsewhere, and what is claimed in its place. */
export interface ThreeDsProof {
  /** EMV 3DS version. */
  readonly version?: string;
  /** The last one: of the challenge, where there was one. */
  readonly transStatus?: string;
  /** Absent where the merchant authenticated elsewhere: its proof does not say. */
  readonly flow?: 'frictionless' | 'challenge';
  readonly eci?: string;
  readonly dsTransactionId?: string;
  /** CAVV, base64. Secret until the outcome. */
  readonly authenticationValue?: string;
  /** Whether the issuer bears the liability. */
  readonly liabilityShift?: boolean;
  readonly exemption?: Exemption;
}

/** What the processor called an operation: given back with whatever concerns that operation later. */
export interface ProcessorReferences {
  /** Its id in the processor's API, or what an adapter needs to find it again. Kept as it is, never shown. */
  readonly processorReference?: string;
  readonly ticket?: string;
  /** ISO 8583 field 37. */
  readonly retrievalReference?: string;
  readonly networkTransactionId?: string;
  /** Issuer's authorization code. */
  readonly authorization?: string;
  /** When the operation was made here. */
  readonly createdAt?: Date;
}
