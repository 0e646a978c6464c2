/** Messages between the sandbox adapter and the test processor: plain JSON over HTTP. */
import type { ProcessorDetails } from '../../domain/payment/network-answer.js';
import type { AuthorizeRequest, CodeRequest, FollowUpRequest, LedgerEntry } from '../processor.js';

/**
 * How the test processor behaves when an outcome is unknown; each personality answers under its own path prefix.
 * - `idempotent`: the same key twice has one effect; a reversal of something unseen prevents it later.
 * - `forgetful`: the same key twice charges twice; a reversal of something unseen is forgotten.
 * - `lagging`: as forgetful, but with tombstones, and an inquiry finds an operation only 3 seconds after it was made.
 */
export const personalities = ['idempotent', 'forgetful', 'lagging'] as const;
export type Personality = (typeof personalities)[number];

/** Header of the 503 that represents a refused connection: a server cannot refuse one that is already open. */
export const SIMULATED_HEADER = 'x-simulated';
export const CONNECTION_REFUSED = 'connection-refused';

/** A callback that arrived in the inbox. */
export interface InboxEntry {
  /** ISO 8601. */
  readonly at: string;
  /** Body of the callback, unchanged. */
  readonly body: unknown;
}

export const operationPaths = {
  authorizations: 'authorizations',
  captures: 'captures',
  cancellations: 'cancellations',
  refunds: 'refunds',
  reversals: 'reversals',
  codes: 'codes',
} as const;
export type OperationPath = keyof typeof operationPaths;

export interface WireOperation {
  readonly key: string;
  readonly amountMinor: number;
  readonly currency: string;
}

/** All groups of the port, unchanged, so that tests see on the wire what reaches a processor. */
export type WireAuthorization = WireOperation &
  Pick<AuthorizeRequest, 'capture' | 'verification' | 'credential' | 'proof'> &
  Partial<Pick<AuthorizeRequest, 'acquirer' | 'merchant' | 'money' | 'order' | 'payer'>>;

export interface WireFollowUp
  extends WireOperation,
    Partial<Omit<FollowUpRequest, 'traceId' | 'card' | keyof WireOperation>> {
  readonly original: string;
}

export type WireError = 'declined-by-acquirer' | 'authentication-required' | 'funds-verification-failed';

/** `reversed`, in answer to an inquiry or a repeated key: the operation was carried out and reversed. */
export type WireResult = 'approved' | 'declined' | 'pending' | 'failed' | 'reversed';

export interface WireOutcome {
  readonly result: WireResult;
  readonly resultCode: string;
  readonly resultMessage: string;
  readonly error?: WireError;
  readonly declineCode?: string;
}

export interface WireAnswer
  extends WireOutcome,
    WireOperation,
    Omit<ProcessorDetails, 'networkLinkId' | 'networkAdviceCode'> {
  readonly authorization?: string;
  readonly holdMs?: number;
}

/**
 * `reversed`: the original has no effect any more. `not-found`: there was no original (a processor with tombstones has now
 * recorded one). `refused`: the original cannot be reversed, because it was captured or refunded.
 */
export interface WireReversalAnswer extends WireOperation {
  readonly original: string;
  readonly result: 'reversed' | 'not-found' | 'refused';
  readonly ticket?: string;
}

/** Sent with status 200 and the key, so that a wrong address (404) is never taken for "there is no such operation". */
export interface WireNotFound {
  readonly key: string;
  readonly result: 'not-found';
}

/** Request for a code that a payer's bank reads. */
export type WireCodeRequest = WireOperation &
  Pick<CodeRequest, 'merchant' | 'order'> & {
    /** ISO 8601. */
    readonly expiresAt: string;
  };

/** A code; its page at the bank is `/bank/<reference>`. */
export interface WireCode extends WireOperation {
  readonly result: 'issued';
  readonly scheme: string;
  readonly account: string;
  readonly reference: string;
  readonly ticket: string;
}

export interface WireTransfer {
  readonly id: string;
  /** ISO 8601. */
  readonly paidAt: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly returned: boolean;
}

/** The transfers that arrived for a code. */
export interface WireTransfers {
  readonly key: string;
  readonly result: 'found';
  readonly transfers: readonly WireTransfer[];
  readonly rejected?: Pick<WireOutcome, 'resultCode' | 'resultMessage' | 'declineCode'>;
}

export type WireLedgerKind =
  | 'purchase'
  | 'authorization'
  | 'verification'
  | 'capture'
  | 'cancellation'
  | 'refund'
  | 'reversal'
  | 'code'
  | 'transfer';

export interface WireLedgerEntry extends LedgerEntry {
  readonly kind: WireLedgerKind;
  readonly result: WireResult | 'tombstone';
  /** The authorization's ECI of the payer's authentication, by 3D Secure or with a cryptogram. */
  readonly eci?: string;
}
