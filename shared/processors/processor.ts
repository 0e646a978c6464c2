/**
 * The processor port, version 2: what an adapter to an acquirer implements. An operation that an adapter cannot do is a method
 * that it does not have, never one that throws; its capabilities are read from its methods (`capabilities-of.ts`).
 * `test/conformance/processor-suite.ts` is the suite that every adapter inherits.
 *
 * Keys: `key` is our transaction id, the idempotency key for send, resend and inquiry. A reversal has its own key,
 * `<txId>-reverse`, and names the original.
 */
import type {
  CodeResult,
  InquireResult,
  LedgerEntry,
  ProbeResult,
  ReverseResult,
  SendResult,
  TransfersResult,
} from './answers.js';
import type { LineReport } from './line-report.js';
import type {
  ProcessorCard,
  ProcessorCredential,
  ProcessorMerchant,
  ProcessorMoney,
  ProcessorOrder,
  ProcessorPayer,
  ProcessorReferences,
  ThreeDsProof,
} from './request-groups.js';

export type * from './answers.js';
export type * from './line-report.js';
export type * from './request-groups.js';

/** What a payment may be charged by that not every processor has a place for. */
export type RefusableCredential = 'network-token' | 'wallet-cryptogram' | 'click-to-pay';

/** How the processor behaves, which none of its methods shows. Say less when in doubt. */
export interface ProcessorTraits {
  /** Sending the same key twice has one effect, and the second answer repeats the first. */
  readonly dedupes: boolean;
  /** Reversing something the processor has not seen yet prevents it from happening later. */
  readonly tombstones: boolean;
  /** A refund needs the card number again, so sealed card data is kept for as long as refunds are likely. */
  readonly refundNeedsPan: boolean;
  /** The processor cannot be asked about a key: the same request under the same key repeats its first answer. Needs `dedupes`. */
  readonly inquiresBySending?: true;
  /** Only our own database knows what became of a key: of what was in progress when it was restored, `not-found` says nothing. */
  readonly remembersHere?: true;
  /** What it has no place for: the adapter refuses it before anything is sent, and no payment with it is routed there. Absent: nothing. */
  readonly refuses?: readonly RefusableCredential[];
}

interface ProcessorRequest {
  readonly key: string;
  readonly amountMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
  readonly acquirer: string;
  readonly merchant: ProcessorMerchant;
  readonly traceId: string;
}

export interface AuthorizeRequest extends ProcessorRequest {
  /** true: purchase in one step. false: hold only. */
  readonly capture: boolean;
  /** An account verification: the hold is released at once. */
  readonly verification: boolean;
  readonly money: ProcessorMoney;
  readonly order: ProcessorOrder;
  readonly payer: ProcessorPayer;
  readonly credential: ProcessorCredential;
  readonly proof?: ThreeDsProof;
}

/** An operation on an earlier one; `original` is the key of the authorization or purchase. */
export interface FollowUpRequest extends ProcessorRequest {
  readonly original: string;
  /** What the processor called the original. */
  readonly originalReferences: ProcessorReferences;
  readonly originalAmountMinor: number;
  /** Of a refund after a capture: what the processor called the capture. */
  readonly captureReferences?: ProcessorReferences;
  /** The payment that it belongs to. */
  readonly order: Pick<ProcessorOrder, 'referenceId' | 'invoiceNumber'>;
  /** The merchant's own reference of this operation; absent where the gateway itself makes it. */
  readonly referenceId?: string;
  /** Why a refund or cancellation is made, as its caller said it. */
  readonly reason?: string;
  readonly description?: string;
  /** Only with the trait `refundNeedsPan`, and only for a refund. */
  readonly card?: ProcessorCard;
}

/** A code that a payer's bank reads, to be paid until `expiresAt`. Moves no money: the same key again is the same code. */
export interface CodeRequest extends ProcessorRequest {
  readonly expiresAt: Date;
  readonly order: Pick<ProcessorOrder, 'referenceId' | 'invoiceNumber'>;
}

/** Which operation a key was sent for. */
export type InquiredOperation = 'authorize' | 'verify' | 'capture' | 'cancel' | 'refund' | 'issue-code';

export interface InquireRequest {
  readonly key: string;
  readonly operation: InquiredOperation;
  readonly acquirer: string;
  readonly merchant: ProcessorMerchant;
  readonly traceId: string;
  /** What was sent under the key: an answer about another amount or currency is no answer (docs/security.md#processor-answers). */
  readonly amountMinor: number;
  readonly currency: string;
  /** What the processor called the operation, as far as it answered. */
  readonly references: ProcessorReferences;
  /** Of a capture, cancellation or refund: the operation that it acts on. */
  readonly original?: string;
  readonly originalReferences?: ProcessorReferences;
  /** Only with the trait `inquiresBySending`: what was sent. Absent where it must not be sent any more. */
  readonly again?: AuthorizeRequest | FollowUpRequest;
  /** Only with the trait `remembersHere`: what is remembered may be older than what was done, so that nothing is taken back for it. */
  readonly restored?: true;
}

export interface ReverseRequest extends ProcessorRequest {
  /** `key` is `<txId>-reverse`; this is the key that is taken back. */
  readonly original: string;
  readonly originalReferences: ProcessorReferences;
  /** How often an update said that it was refused: what is sent now has to be another request for the processor. Absent: never. */
  readonly refusals?: number;
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
  /** What happened at the processor since a moment, oldest first; what happened from `until` on may be left out. */
  listSince?(at: Date, until?: Date): Promise<readonly LedgerEntry[]>;
}

export interface Processor extends ProcessorOperations {
  /** Stable code, stored on payments and in merchant configuration, for example `sandbox`. */
  readonly code: string;
  readonly traits: ProcessorTraits;
  /** Names of the credentials that each merchant has at this processor; absent: the installation's own are enough. */
  readonly merchantCredentials?: readonly string[];
  /** A merchant that has none of its own uses the settings of the installation. */
  readonly merchantCredentialsOptional?: true;
  /** Which of these credentials names the account there: payments are known to no other one. Absent: none of them does. */
  readonly accountCredential?: string;
  /** Whether the other side answers now, by something that has no effect there (`./gateway doctor`). Absent: there is no such thing. */
  probe?(): Promise<ProbeResult>;
  /** The lasting connections of this process, for its metrics. Absent: there are none. */
  lines?(): Promise<LineReport>;
  close(): Promise<void>;
}
