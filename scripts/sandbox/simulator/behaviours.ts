/** Effect of each prepared outcome of the test-card file at the processor. */
import type { TestOutcome } from '../../../api/testing/test-cards.js';
import type { WireAnswer, WireError } from '../../../shared/processors/sandbox/wire.js';

export interface Behaviour {
  /** Result of an authorization or purchase. `nothing`: it leaves no trace in the books. */
  readonly authorize: 'approved' | 'declined' | 'nothing';
  readonly error?: WireError;
  /** How the answer to it is delivered. Absent: at once. */
  readonly answer?: 'late' | 'never' | 'refused' | 'twice';
  /** Only a verification is declined. */
  readonly verificationDeclined?: true;
  /** Declined when the card is charged by a saved token or as a subsequent charge. */
  readonly laterChargesDeclined?: true;
  readonly holdMs?: number;
  readonly captureDeclined?: true;
  readonly cancellationDeclined?: true;
  /** Half of the amount is approved. */
  readonly partial?: true;
  /** The card's new expiry. */
  readonly updatedExpiry?: WireAnswer['updatedExpiry'];
  /** A refund starts as `first` and changes to `later` without a request. */
  readonly refund?: { readonly first: 'pending' | 'approved'; readonly later: 'approved' | 'failed' };
}

/** Waits in milliseconds; `TIME_SCALE` divides them. */
export const waits = {
  lateAnswerMs: 20_000,
  refundSettlesMs: 3_000,
  shortHoldMs: 60_000,
  inquiryLagMs: 3_000,
  transferMs: 5_000,
  secondTransferMs: 3_000,
} as const;

const approved = { authorize: 'approved' } as const;

export const behaviours = {
  approved,
  declined: { authorize: 'declined' },
  'authentication-required': { authorize: 'declined', error: 'authentication-required' },
  // The challenge is the gateway's task: a payment that arrives here has passed it, or 3DS is off.
  'threeds-challenge': approved,
  'threeds-frictionless': approved,
  'threeds-challenge-then-declined': { authorize: 'declined' },
  'threeds-lookup-error': approved,
  'refund-pending': { authorize: 'approved', refund: { first: 'pending', later: 'approved' } },
  'refund-fails-later': { authorize: 'approved', refund: { first: 'approved', later: 'failed' } },
  'capture-denied': { authorize: 'approved', captureDeclined: true },
  'cancellation-refused': { authorize: 'approved', cancellationDeclined: true },
  'late-answer': { authorize: 'approved', answer: 'late' },
  'no-answer-but-approved': { authorize: 'approved', answer: 'never' },
  'no-answer-nothing-done': { authorize: 'nothing', answer: 'never' },
  'connection-refused': { authorize: 'nothing', answer: 'refused' },
  'answered-twice': { authorize: 'approved', answer: 'twice' },
  'short-hold': { authorize: 'approved', holdMs: waits.shortHoldMs },
  'later-charges-declined': { authorize: 'approved', laterChargesDeclined: true },
  'verification-refused': { authorize: 'approved', verificationDeclined: true },
  'partial-approval': { authorize: 'approved', partial: true },
  'expiry-updated': { authorize: 'approved', updatedExpiry: { expMonth: 12, expYear: 2039 } },
} as const satisfies Record<TestOutcome, Behaviour>;
