/** The answers of a processor, as the port defines them. Results are data: an adapter never throws because of what the processor does. */
import type { CodeAccount } from '../domain/code/emv-payload.js';
import type { ExternalOperation } from '../domain/payment/external-operation.js';
import type { DeclineAdvice, OwnReferences, ProcessorDetails } from '../domain/payment/network-answer.js';
import type { TransferAnswer } from '../domain/payment/plan-transfer.js';
import type { BookEntry } from '../domain/reconcile/compare-books.js';

export type { ExternalOperation } from '../domain/payment/external-operation.js';
export type { DeclineAdvice } from '../domain/payment/network-answer.js';

/** What an answer is about. `checkAnswers` compares it with the request: an answer about something else is `unknown`. */
export interface AnswerSubject {
  readonly key?: string;
  readonly amountMinor?: number;
  readonly currency?: string;
}

/** In every answer: the processor's own references of the operation. */
interface Answered extends OwnReferences {
  /** The fields of the request that the processor repeats; absent when it repeats none. */
  readonly about?: AnswerSubject;
}

/** What the network and the issuer say in addition to the outcome. */
export type NetworkAnswer = Pick<
  ProcessorDetails,
  'networkTransactionId' | 'networkLinkId' | 'checks' | 'updatedExpiry'
>;

export interface Approved extends Answered, NetworkAnswer {
  readonly kind: 'approved';
  readonly resultCode: string;
  readonly resultMessage: string;
  /** Issuer's authorization code. */
  readonly authorization?: string;
  /** How long the hold lasts, counted from the authorization (ms); absent when the processor does not say. */
  readonly holdMs?: number;
  /** Amount of a partial approval, less than the amount requested (minor units). The core reverses it unless the merchant allowed it. */
  readonly approvedMinor?: number;
  /** The processor holds the payment until a person there has reviewed it: the core alerts a person. */
  readonly inReview?: true;
}

export interface Declined extends Answered, NetworkAnswer {
  readonly kind: 'declined';
  /** The gateway's error code for the decline. */
  readonly error: 'declined-by-acquirer' | 'authentication-required' | 'funds-verification-failed';
  readonly resultCode: string;
  readonly resultMessage: string;
  readonly declineCode?: string;
  /** The network's decline code, unchanged. */
  readonly networkDeclineCode?: string;
  /** For example `03` (Mastercard field 48.84). */
  readonly networkAdviceCode?: string;
  readonly advice?: DeclineAdvice;
  /** For a capture, cancellation or refund that is refused because the processor has already done this to the payment. */
  readonly done?: ExternalOperation;
}

/** The processor accepted the request and decides later; the outcome is found by inquiry. */
export interface Pending extends Answered {
  readonly kind: 'pending';
  readonly resultMessage: string;
}

/** The processor received the request and could not carry it out, for technical reasons: it had no effect. */
export interface Failed extends Answered {
  readonly kind: 'failed';
  /** The gateway's error code for the failure; absent means `acquirer-offline`. */
  readonly error?: 'invalid-card-payment-method-token';
  readonly resultCode: string;
  readonly resultMessage: string;
}

/** The request failed before a byte went out (no connection), so it certainly had no effect. `internal` is for the log only. */
export interface NotSent {
  readonly kind: 'not-sent';
  readonly internal: string;
  /**
   * The processor was not called, or would not take the call from this account. `route`: this route cannot be used now, but another may
   * work. `payment`: the payment cannot be sent on any route. An adapter sets only `route`, for a merchant without an account, or whose
   * account sends too much. The breaker of the route, which others use too, does not count either.
   */
  readonly blocked?: 'route' | 'payment';
}

/** The operation may or may not have happened (time-out, reset, 5xx without body, an answer that does not fit the request). */
export interface Unknown {
  readonly kind: 'unknown';
  readonly internal: string;
  /** Reference by which the processor can find the operation: passed to the inquiry and the reversal. */
  readonly processorReference?: string;
}

export type Definitive = Approved | Declined | Failed;
export type SendResult = Definitive | Pending | NotSent | Unknown;

/** The outcome is still unknown: the inquiry is repeated on the schedule. */
export interface NoAnswer {
  readonly kind: 'no-answer';
  readonly internal: string;
  /** When the processor will know the outcome: the next inquiry is made at this time if the schedule would make it later. */
  readonly knowsOutcomeAt?: Date;
}

export type InquireResult =
  | { readonly kind: 'found'; readonly outcome: Definitive | Pending }
  | { readonly kind: 'not-found' }
  | NoAnswer;

export type ReverseResult =
  | { readonly kind: 'reversed'; readonly ticket?: string; readonly about?: AnswerSubject }
  | { readonly kind: 'nothing-found' }
  | NoAnswer;

export interface CodeIssued extends Pick<Answered, 'about' | 'ticket'> {
  readonly kind: 'issued';
  /** The account that the code must name as the one to receive the money. */
  readonly account: CodeAccount;
  /** Address at the bank for the code. */
  readonly url: string;
}

export type CodeResult = CodeIssued | Declined | Failed | NotSent | Unknown;

/** All transfers that have arrived for a code up to now. */
export type TransfersResult =
  | ({ readonly kind: 'found'; readonly about?: AnswerSubject } & Omit<TransferAnswer, 'askedAt'>)
  | { readonly kind: 'not-found' }
  | { readonly kind: 'no-answer'; readonly internal: string };

/** `detail` and `internal` are texts of the gateway and contain no secret. */
export type ProbeResult =
  | { readonly kind: 'reachable'; readonly detail: string }
  | { readonly kind: 'unreachable'; readonly internal: string };

/** A line of the processor's own books (`listSince`). */
export type LedgerEntry = BookEntry;
