/**
 * The processor port: what an adapter to an acquirer implements. An operation that an adapter cannot do is a method that it
 * does not have, never one that throws; its capabilities are read from its methods (`capabilities-of.ts`).
 * `test/conformance/processor-suite.ts` is the suite that every adapter inherits.
 *
 * Keys: `key` is our transaction id, the idempotency key for send, resend and inquiry. A reversal has its own key,
 * `<txId>-reverse`, and names the original.
 */
import type { CodeAccount } from '../domain/code/emv-payload.js';
import type { TransferNews } from '../domain/payment/plan-transfer.js';

/** How the processor behaves, which none of its methods shows. Say less when in doubt. */
export interface ProcessorTraits {
  /** Sending the same key twice has one effect, and the second answer repeats the first. */
  readonly dedupes: boolean;
  /** Reversing something the processor has not seen yet prevents it from happening later. */
  readonly tombstones: boolean;
  /** A refund needs the card number again, so sealed card data is kept for as long as refunds are likely. */
  readonly refundNeedsPan: boolean;
}

/** Card data as the processor needs it: opened from the vault for one call and dropped after it. */
export interface ProcessorCard {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvc?: string;
  readonly holderName?: string;
  /** `number` is a network token: the cryptogram proves this one use of it. */
  readonly networkToken?: { readonly cryptogram: string; readonly eci?: string };
}

/** A click-to-pay check-out that the processor exchanges for the card itself. */
export interface ClickToPayToken {
  readonly correlationId: string;
  readonly merchantTransactionId: string;
  /** Card brand of the catalog. */
  readonly scheme: string;
}

interface ProcessorRequest {
  readonly key: string;
  readonly amountMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
  readonly acquirer: string;
  readonly merchantId: number;
  readonly merchantIdentificationNumber?: string;
  readonly terminalNumber?: string;
  readonly traceId: string;
}

export interface AuthorizeRequest extends ProcessorRequest {
  /** Exactly one of `card` and `clickToPay` is given. */
  readonly card?: ProcessorCard;
  readonly clickToPay?: ClickToPayToken;
  /** The card was saved earlier and is charged by token. */
  readonly storedCredential?: true;
  /** true: purchase in one step. false: hold only. */
  readonly capture: boolean;
  /** An account verification: the hold is released at once. */
  readonly verification: boolean;
  readonly installments?: number;
  readonly statementDescriptor?: string;
  readonly recurring?: 'initial' | 'subsequent';
  readonly fields?: Readonly<Record<string, string>>;
  /** How the payer was authenticated: by the gateway, or by the merchant elsewhere. */
  readonly threeDs?: ThreeDsProof;
}

/** The result of a 3D Secure authentication as an authorization carries it. */
export interface ThreeDsProof {
  /** EMV 3DS version. */
  readonly version?: string;
  readonly transStatus?: string;
  readonly eci?: string;
  readonly dsTransactionId?: string;
  /** CAVV, base64. */
  readonly authenticationValue?: string;
}

/** An operation on an earlier one; `original` is the key of the authorization or purchase. */
export interface FollowUpRequest extends ProcessorRequest {
  readonly original: string;
  readonly card?: ProcessorCard;
}

export interface Approved {
  readonly kind: 'approved';
  readonly resultCode: string;
  readonly resultMessage: string;
  /** Issuer's authorization code. */
  readonly authorization?: string;
  /** The processor's own number. */
  readonly ticket?: string;
  /** How long the hold lasts when the processor says so (ms). */
  readonly holdMs?: number;
}

export interface Declined {
  readonly kind: 'declined';
  /** Which of our error codes the decline becomes. */
  readonly error: 'declined-by-acquirer' | 'authentication-required' | 'funds-verification-failed';
  readonly resultCode: string;
  readonly resultMessage: string;
  readonly declineCode?: string;
  readonly ticket?: string;
}

/** The processor took it and will tell later; the outcome is found by inquiry. */
export interface Pending {
  readonly kind: 'pending';
  readonly resultMessage: string;
  readonly ticket?: string;
}

/** The processor looked at it and could not do it, for technical reasons: nothing happened there. */
export interface Failed {
  readonly kind: 'failed';
  /** Which of our error codes it becomes; absent means `acquirer-offline`. */
  readonly error?: 'invalid-card-payment-method-token';
  readonly resultCode: string;
  readonly resultMessage: string;
  readonly ticket?: string;
}

/** Refused before a byte went out (no connection): it certainly did not happen. `internal` is for the log only. */
export interface NotSent {
  readonly kind: 'not-sent';
  readonly internal: string;
}

/** It may or may not have happened (time-out, reset, 5xx without body, an answer that does not fit the request). */
export interface Unknown {
  readonly kind: 'unknown';
  readonly internal: string;
}

export type Definitive = Approved | Declined | Failed;
export type SendResult = Definitive | Pending | NotSent | Unknown;

export type InquireResult =
  | { readonly kind: 'found'; readonly outcome: Definitive | Pending }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'no-answer'; readonly internal: string };

export type ReverseResult =
  | { readonly kind: 'reversed'; readonly ticket?: string }
  | { readonly kind: 'nothing-found' }
  | { readonly kind: 'no-answer'; readonly internal: string };

/** A code that a payer's bank reads, to be paid until `expiresAt`. Moves no money: the same key again is the same code. */
export interface CodeRequest extends ProcessorRequest {
  readonly expiresAt: Date;
  readonly invoiceNumber: string;
  readonly merchantName: string;
  /** The sub-merchant under a payment facilitator. */
  readonly subMerchantId?: string;
}

export interface CodeIssued {
  readonly kind: 'issued';
  /** What the code has to name, so that the money finds its way. */
  readonly account: CodeAccount;
  /** Address at the bank for the code. */
  readonly url: string;
  readonly ticket?: string;
}

export type CodeResult = CodeIssued | Declined | Failed | NotSent | Unknown;

/** All that arrived for a code, whenever it is asked. */
export type TransfersResult =
  | ({ readonly kind: 'found' } & Omit<TransferNews, 'askedAt'>)
  | { readonly kind: 'not-found' }
  | { readonly kind: 'no-answer'; readonly internal: string };

/** A line of the processor's own books. */
export interface LedgerEntry {
  readonly at: string;
  readonly kind: string;
  readonly key: string;
  readonly original: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly result: string;
}

export interface InquireRequest {
  readonly key: string;
  readonly acquirer: string;
  readonly traceId: string;
  /** What was sent under the key: an answer about another amount or currency is no answer (docs/security.md#processor-answers). */
  readonly amountMinor?: number;
  readonly currency?: string;
}

export interface ReverseRequest {
  /** `<txId>-reverse` */
  readonly key: string;
  /** The key that is taken back. */
  readonly original: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly acquirer: string;
  readonly traceId: string;
}

/** What is optional is absent where the processor cannot do it. */
export interface ProcessorOperations {
  authorize(request: AuthorizeRequest): Promise<SendResult>;
  /** What became of a key: without it no unknown outcome would ever be known. */
  inquire(request: InquireRequest): Promise<InquireResult>;
  reverse(request: ReverseRequest): Promise<ReverseResult>;
  capture?(request: FollowUpRequest): Promise<SendResult>;
  cancel?(request: FollowUpRequest): Promise<SendResult>;
  refund?(request: FollowUpRequest): Promise<SendResult>;
  /** A verification may be an operation of its own; absent, an authorization is used. */
  verify?(request: AuthorizeRequest): Promise<SendResult>;
  /** A code for a bank transfer; goes with `findTransfers`. */
  issueCode?(request: CodeRequest): Promise<CodeResult>;
  /** What became of the code of this key. */
  findTransfers?(request: InquireRequest): Promise<TransfersResult>;
  /** What happened at the processor since a moment, oldest first. */
  listSince?(at: Date): Promise<readonly LedgerEntry[]>;
}

export interface Processor extends ProcessorOperations {
  /** Stable code, stored on payments and in merchant configuration, for example `sandbox`. */
  readonly code: string;
  readonly traits: ProcessorTraits;
  close(): Promise<void>;
}
