/** What a processor answers, in the words of the port. Results are data: an adapter never throws for what the other side does. */
import type { CodeAccount } from '../domain/code/emv-payload.js';
import type { DoneThere } from '../domain/payment/done-there.js';
import type { DeclineAdvice, OwnReferences, ProcessorDetails } from '../domain/payment/network-answer.js';
import type { TransferAnswer } from '../domain/payment/plan-transfer.js';
import type { BookEntry } from '../domain/reconcile/compare-books.js';

export type { DoneThere } from '../domain/payment/done-there.js';
export type { DeclineAdvice } from '../domain/payment/network-answer.js';

/** What an answer says it is about. `checkAnswers` compares it with what was sent: an answer about something else is `unknown`. */
export interface AnswerSubject {
  readonly key?: string;
  readonly amountMinor?: number;
  readonly currency?: string;
}

/** In every answer: what the processor calls the operation. */
interface Answered extends OwnReferences {
  /** What the processor repeats of the request; absent where it repeats nothing. */
  readonly about?: AnswerSubject;
}

/** What the network and the issuer say beside the outcome. */
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
  /** How long the hold lasts from when it was made, where the processor says so (ms). */
  readonly holdMs?: number;
  /** Less than was asked for: a partial approval. The core reverses it unless the merchant allowed it. */
  readonly approvedMinor?: number;
}

export interface Declined extends Answered, NetworkAnswer {
  readonly kind: 'declined';
  /** Which of our error codes the decline becomes. */
  readonly error: 'declined-by-acquirer' | 'authentication-required' | 'funds-verification-failed';
  readonly resultCode: string;
  readonly resultMessage: string;
  readonly declineCode?: string;
  /** The network's code as it came. */
  readonly networkDeclineCode?: string;
  /** For example `03` (Mastercard field 48.84). */
  readonly networkAdviceCode?: string;
  readonly advice?: DeclineAdvice;
  /** Of a capture, cancellation or refund: it is refused because this was done there before. */
  readonly done?: DoneThere;
}

/** The processor took it and answers later; the outcome is found by inquiry. */
export interface Pending extends Answered {
  readonly kind: 'pending';
  readonly resultMessage: string;
}

/** The processor looked at it and could not do it, for technical reasons: nothing happened there. */
export interface Failed extends Answered {
  readonly kind: 'failed';
  /** Which of our error codes it becomes; absent means `acquirer-offline`. */
  readonly error?: 'invalid-card-payment-method-token';
  readonly resultCode: string;
  readonly resultMessage: string;
}

/** Refused before a byte went out (no connection): it certainly did not happen. `internal` is for the log only. */
export interface NotSent {
  readonly kind: 'not-sent';
  readonly internal: string;
  /**
   * The gateway itself did not call the processor. `route`: it cannot use this route now, another one may do. `payment`: it cannot send
   * the payment on any route. Never set by an adapter.
   */
  readonly blocked?: 'route' | 'payment';
}

/** It may or may not have happened (time-out, reset, 5xx without body, an answer that does not fit the request). */
export interface Unknown {
  readonly kind: 'unknown';
  readonly internal: string;
  /** What was sent can be found by it: given back with the inquiry and the reversal. */
  readonly processorReference?: string;
}

export type Definitive = Approved | Declined | Failed;
export type SendResult = Definitive | Pending | NotSent | Unknown;

/** Still unknown: asked again on the schedule. */
export interface NoAnswer {
  readonly kind: 'no-answer';
  readonly internal: string;
  /** From then on the processor can tell: it is asked at that time where the schedule would ask later. */
  readonly tellsAt?: Date;
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
  /** What the code has to name, so that the money finds its way. */
  readonly account: CodeAccount;
  /** Address at the bank for the code. */
  readonly url: string;
}

export type CodeResult = CodeIssued | Declined | Failed | NotSent | Unknown;

/** All that arrived for a code, whenever it is asked. */
export type TransfersResult =
  | ({ readonly kind: 'found'; readonly about?: AnswerSubject } & Omit<TransferAnswer, 'askedAt'>)
  | { readonly kind: 'not-found' }
  | { readonly kind: 'no-answer'; readonly internal: string };

/** `detail` and `internal` are in our own words, and hold no secret. */
export type ProbeResult =
  | { readonly kind: 'reachable'; readonly detail: string }
  | { readonly kind: 'unreachable'; readonly internal: string };

/** A line of the processor's own books (`listSince`). */
export type LedgerEntry = BookEntry;
