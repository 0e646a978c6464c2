/**
 * The processor port, version 2: the interface of every adapter to an acquirer. An adapter leaves out the method of an operation
 * that it cannot do, instead of throwing in it; its capabilities are read from its methods (`capabilities-of.ts`).
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

/** Kinds of credential that some processors cannot take. */
export type RefusableCredential = 'network-token' | 'wallet-cryptogram' | 'click-to-pay';

/** Behavior of the processor that its methods do not show. When in doubt, claim less. */
export interface ProcessorTraits {
  /** Sending the same key twice has one effect, and the second answer repeats the first. */
  readonly dedupes: boolean;
  /** Reversing something the processor has not seen yet prevents it from happening later. */
  readonly tombstones: boolean;
  /** A refund needs the card number again, so sealed card data is kept for as long as refunds are likely. */
  readonly refundNeedsPan: boolean;
  /** The processor has no inquiry by key. Instead, the same request under the same key repeats its first answer. Needs `dedupes`. */
  readonly inquiresBySending?: true;
  /** Only our own database knows the outcome of a key. For operations in progress when it was restored, `not-found` proves nothing. */
  readonly outcomesKeptHere?: true;
  /** Credentials that the adapter refuses before anything is sent; no payment with them is routed to it. Absent: it refuses none. */
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

/** A capture, cancellation or refund; `original` is the key of the authorization or purchase that it acts on. */
export interface FollowUpRequest extends ProcessorRequest {
  readonly original: string;
  /** The processor's references of the original. */
  readonly originalReferences: ProcessorReferences;
  readonly originalAmountMinor: number;
  /** For a refund after a capture: the processor's references of the capture. */
  readonly captureReferences?: ProcessorReferences;
  /** The order of the payment that the operation belongs to. */
  readonly order: Pick<ProcessorOrder, 'referenceId' | 'invoiceNumber'>;
  /** The merchant's own reference of this operation; absent when the gateway itself started the operation. */
  readonly referenceId?: string;
  /** Reason for a refund or cancellation, as the caller sent it. */
  readonly reason?: string;
  readonly description?: string;
  /** Only with the trait `refundNeedsPan`, and only for a refund. */
  readonly card?: ProcessorCard;
}

/** Request for a code that a payer's bank reads, payable until `expiresAt`. Moves no money: the same key returns the same code. */
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
  /** Amount sent under the key: an answer about another amount or currency does not count (docs/security.md#processor-answers). */
  readonly amountMinor: number;
  readonly currency: string;
  /** The processor's references of the operation, as far as it answered. */
  readonly references: ProcessorReferences;
  /** For a capture, cancellation or refund: the key of the operation that it acts on. */
  readonly original?: string;
  readonly originalReferences?: ProcessorReferences;
  /** Only with the trait `inquiresBySending`: the request that was sent. Absent when it must not be sent any more. */
  readonly sentRequest?: AuthorizeRequest | FollowUpRequest;
  /** Only with the trait `outcomesKeptHere`: the restored records may be older than what was sent, so nothing is reversed because of them. */
  readonly restored?: true;
}

export interface ReverseRequest extends ProcessorRequest {
  /** The key of the operation to reverse; `key` itself is `<txId>-reverse`. */
  readonly original: string;
  readonly originalReferences: ProcessorReferences;
  /** How many updates said that this reversal was refused: the processor must see the next one as a new request. Absent: none. */
  readonly refusals?: number;
}

/** An optional operation is absent when the processor cannot do it. */
export interface ProcessorOperations {
  authorize(request: AuthorizeRequest): Promise<SendResult>;
  /** Finds the outcome of a key. Without it, an unknown outcome would stay unknown. */
  inquire(request: InquireRequest): Promise<InquireResult>;
  reverse(request: ReverseRequest): Promise<ReverseResult>;
  capture?(request: FollowUpRequest): Promise<SendResult>;
  cancel?(request: FollowUpRequest): Promise<SendResult>;
  refund?(request: FollowUpRequest): Promise<SendResult>;
  /** Verifies an account. When absent, an authorization is used instead. */
  verify?(request: AuthorizeRequest): Promise<SendResult>;
  /** Issues a code for a bank transfer; an adapter with this method also has `findTransfers`. */
  issueCode?(request: CodeRequest): Promise<CodeResult>;
  /** Finds the transfers that arrived for the code of this key. */
  findTransfers?(request: InquireRequest): Promise<TransfersResult>;
  /** Lists the operations at the processor since `at`, oldest first; those from `until` on may be left out. */
  listSince?(at: Date, until?: Date): Promise<readonly LedgerEntry[]>;
}

export interface Processor extends ProcessorOperations {
  /** Stable code, stored on payments and in merchant configuration, for example `sandbox`. */
  readonly code: string;
  readonly traits: ProcessorTraits;
  /** Names of the credentials that each merchant has at this processor; absent when those of the installation are enough. */
  readonly merchantCredentials?: readonly string[];
  /** A merchant without credentials of its own uses the settings of the installation. */
  readonly merchantCredentialsOptional?: true;
  /** The credential that names the account at the processor: no other account knows its payments. Absent: no credential names it. */
  readonly accountCredential?: string;
  /** Checks whether the processor answers now, by a request without effect (`./gateway doctor`). Absent when it has no such request. */
  probe?(): Promise<ProbeResult>;
  /** Reports the persistent connections of this process, for its metrics. Absent when the adapter has none. */
  lines?(): Promise<LineReport>;
  close(): Promise<void>;
}
