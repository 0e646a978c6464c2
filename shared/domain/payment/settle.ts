/**
 * Applies a processor's answer to a payment: the definitive outcomes of the four operations. Pure. The caller has
 * checked that the transaction is still open (reliability, I6); money and status move only here.
 */

import { defined } from '../defined.js';
import { responseCodes } from '../response-codes.js';
import { after, msBetween } from '../time.js';
import { alerted, alertedOnce } from './alerted.js';
import { announceUnchanged, applyMoves, submittedFirst } from './apply-moves.js';
import type { ExternalOperation } from './external-operation.js';
import { detailsOf, type ProcessorDetails } from './network-answer.js';
import type { Payment, Transaction } from './payment.js';
import type { ProcessorContext } from './plan-context.js';
import { planOwnOperation } from './plan-operation.js';
import { watchRefund } from './plan-refund-check.js';
import { isTransfer, withoutPicture, withTransferChecks } from './plan-transfer.js';
import { holdCallbackForToken } from './saved-instrument.js';
import { isOpen } from './statuses.js';
import { findTransaction } from './transaction.js';
import { newWork } from './work.js';

/** A definitive answer, as the processor port gives it. */
export type Outcome = ProcessorDetails &
  (
    | {
        readonly kind: 'approved';
        readonly resultCode: string;
        readonly resultMessage: string;
        readonly authorization?: string;
        readonly holdMs?: number;
        /** The processor holds the payment for a manual review. */
        readonly inReview?: true;
      }
    | {
        readonly kind: 'declined' | 'failed';
        readonly resultCode: string;
        readonly resultMessage: string;
        readonly error?: string;
        readonly declineCode?: string;
        /** What was done at the processor before, if that is why the operation is refused. */
        readonly done?: ExternalOperation;
      }
  );

/** Status of a transaction by its outcome. */
export const statusOfOutcome = { approved: 'approved', declined: 'denied', failed: 'failed' } as const;
const defaultErrors = { declined: 'declined-by-acquirer', failed: 'acquirer-offline' } as const;

/** Sets the error code for the decline of a verification, because not every processor sets it. */
function withVerificationError({ purpose }: Payment, outcome: Outcome): Outcome {
  if (purpose !== 'verification' || outcome.kind !== 'declined') return outcome;
  const { error = defaultErrors.declined } = outcome;
  return error === defaultErrors.declined ? { ...outcome, error: 'funds-verification-failed' } : outcome;
}

export function settleTransaction(tx: Transaction, outcome: Outcome, now: Date): Transaction {
  const { kind, resultCode, resultMessage } = outcome;
  const said =
    kind === 'approved'
      ? defined({ authorization: outcome.authorization })
      : defined({ errorCode: outcome.error ?? defaultErrors[kind], declineCode: outcome.declineCode });
  const status = statusOfOutcome[kind];
  return Object.assign({}, tx, { status, processedAt: now, resultCode, resultMessage, ...said, ...detailsOf(outcome) });
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
const endingFields = ['activeOp', 'work', 'cvc', 'cvcDestroyAt', 'authenticationValue'] as const;

/**
 * Removes everything that ends with an operation: its reservation, its work, and the cvc with the first outcome (I10). Members that the
 * payment does not have are not added, as a literal would: in V8, added members cost more than everything else here (`emptyOutcome`).
 */
function ended(payment: Payment, tx: Transaction): Payment {
  const transactions = payment.transactions.map((known) => (known.id === tx.id ? tx : known));
  const settled: Writable<Payment> = { ...payment, transactions, heldMinor: 0 };
  for (const name of endingFields) if (name in settled) settled[name] = undefined;
  return settled;
}

/** Sets when the sealed card is destroyed: a while after the payment last needs it. An authorized payment may still need it. */
function withCardDestruction(payment: Payment, context: ProcessorContext): Payment {
  if (!payment.card || payment.cardDestroyAt || payment.status === 'authorized') return payment;
  const { cardDestroyMs, cardDestroyWithRefundsMs } = context.schedule;
  const waitMs = context.traits.refundNeedsPan ? cardDestroyWithRefundsMs : cardDestroyMs;
  return { ...payment, cardDestroyAt: after(context.now, waitMs) };
}

function settleAuthorization(payment: Payment, tx: Transaction, outcome: Outcome, context: ProcessorContext): Payment {
  const settled = authorizationSettled(payment, tx, outcome, context);
  return holdCallbackForToken(settled, after(context.now, context.schedule.instrumentHeldMs));
}

/** Nothing is captured earlier than the merchant requested, except by hand. */
const HOLD_TOO_SHORT = 'the hold ends before its delayed capture is due: it will expire unless it is captured by hand';

/**
 * Returns when the hold ends: by the gateway's own limit, or as the processor says, if that is earlier. The processor's time counts from
 * when the hold was made, maybe long before the outcome is known here. The start of the attempt is used, which is never too late.
 */
function holdEndsAt({ work }: Payment, holdMs: number | undefined, { now, schedule }: ProcessorContext): Date {
  const latestEnd = after(now, schedule.authorizationExpiryMs);
  if (holdMs === undefined) return latestEnd;
  const madeAt = work?.attempt?.startedAt ?? now;
  // Bounded before it is added: a number that is too large would give an invalid date.
  return after(madeAt, Math.min(holdMs, msBetween(madeAt, latestEnd)));
}

function authorizationSettled(payment: Payment, tx: Transaction, outcome: Outcome, context: ProcessorContext): Payment {
  const tokenizes = outcome.kind === 'approved' && payment.tokenization !== undefined;
  const settled: Payment = {
    ...ended(payment, tx),
    processedAt: context.now,
    // The token becomes valid with success; a declined payment saves no card.
    ...(tokenizes && { tokenizeAt: context.now }),
  };
  const first = submittedFirst(payment);
  if (outcome.kind !== 'approved') {
    return applyMoves(settled, [...first, outcome.kind === 'declined' ? 'declined' : 'failed'], context);
  }
  const total = outcome.approvedMinor ?? payment.amount.totalMinor;
  if (tx.kind === 'purchase') {
    const paid = { ...settled, authorizedMinor: total, capturedMinor: total };
    return applyMoves(paid, [...first, 'purchased'], context);
  }
  const expiresAt = holdEndsAt(payment, outcome.holdMs, context);
  const { captureDelaySeconds } = payment;
  const delayed = captureDelaySeconds === undefined ? expiresAt : after(context.now, captureDelaySeconds * 1000);
  const capture = captureDelaySeconds !== undefined && delayed < expiresAt;
  const held: Payment = {
    ...settled,
    authorizedMinor: total,
    expiresAt,
    deadline: { kind: capture ? 'capture' : 'expire', at: capture ? delayed : expiresAt },
  };
  if (payment.purpose !== 'verification') {
    const noted = captureDelaySeconds === undefined || capture ? held : alerted(held, context.now, HOLD_TOO_SHORT);
    return applyMoves(noted, [...first, 'authorized'], context);
  }
  // A verification keeps its hold no longer than necessary: the gateway itself releases it at once.
  const release = { kind: 'cancel', reason: 'card-verification' } as const;
  const released = planOwnOperation(held, release, { now: context.now, txId: context.newTxId() });
  return applyMoves(released, [...first, 'authorized'], context);
}

/** The wait doubles with each try, up to this often, so that a long outage leaves a few dozen transactions, not thousands. */
const DOUBLINGS_MAX = 9;

/** Returns how often a scheduled operation has failed before, at most {@link DOUBLINGS_MAX}. */
function doublingsOf({ transactions }: Payment, tx: Transaction): number {
  const failures = transactions.filter(
    ({ kind, reason, status }) =>
      kind === tx.kind && reason === tx.reason && (status === 'failed' || status === 'denied'),
  ).length;
  return Math.min(failures, DOUBLINGS_MAX);
}

/** Returns when a failed operation of the gateway itself is retried; callers retry their own operations. */
const ownRetryAt = (payment: Payment, tx: Transaction, { now, schedule }: ProcessorContext): Date =>
  after(now, schedule.ownRetryMs * 2 ** doublingsOf(payment, tx));

/**
 * Retries a release when the processor was not reached, or accepts nothing from the gateway; until then the hold stays. A person is
 * alerted when this has lasted for hours, for example because the settings or the credentials of the merchant were removed.
 */
function settleFailedRelease(payment: Payment, tx: Transaction, context: ProcessorContext): Payment {
  const deadline = { kind: 'expire', at: ownRetryAt(payment, tx, context) } as const;
  const waiting = announceUnchanged({ ...ended(payment, tx), deadline }, context);
  if (doublingsOf(payment, tx) < DOUBLINGS_MAX) return waiting;
  const text = `the hold is not released (${tx.resultCode} ${tx.resultMessage}); retrying`;
  return alertedOnce(waiting, context.now, text);
}

/**
 * Retries a delayed capture while the hold lasts, regardless of the acquirer's answer, because no caller waits for it. The last try is
 * given up as `failed` and flagged; the payment ends with its hold.
 */
function settleFailedDelay(payment: Payment, tx: Transaction, context: ProcessorContext): Payment {
  const at = ownRetryAt(payment, tx, context);
  const inTime = payment.expiresAt === undefined || at < payment.expiresAt;
  if (inTime) return announceUnchanged({ ...ended(payment, tx), deadline: { kind: 'capture', at } }, context);
  const text = `the delayed capture ${tx.id} is given up (${tx.resultCode} ${tx.resultMessage}); the hold runs out`;
  const given: Transaction = { ...tx, status: 'failed', flagged: 'the delayed capture was given up' };
  return announceUnchanged(alerted(ended(payment, given), context.now, text), context);
}

function settleCapture(payment: Payment, tx: Transaction, outcome: Outcome, context: ProcessorContext): Payment {
  if (outcome.kind !== 'approved' && tx.reason === 'delayed-capture') return settleFailedDelay(payment, tx, context);
  const settled = ended(payment, tx);
  if (outcome.kind !== 'approved') return announceUnchanged(settled, context);
  const captured = { ...settled, capturedMinor: tx.amountMinor, deadline: undefined, expiresAt: undefined };
  return applyMoves({ ...captured, processedAt: context.now }, ['captured'], context);
}

/**
 * Plans to ask the bank soon after a cancellation. The bank may have returned surplus money too, which a person must not send back again.
 * And another amount may have come for a code that was `unpaid`, which not every bank returns.
 */
function withSurplusCheck(payment: Payment, unpaid: boolean, { now, schedule }: ProcessorContext): Payment {
  const [soonMs] = schedule.transferCheckAfterMs;
  const hasSurplus = payment.transactions.some(({ kind, flagged }) => kind === 'purchase' && flagged !== undefined);
  if (!(unpaid || hasSurplus) || soonMs === undefined) return payment;
  return withTransferChecks(payment, [after(now, soonMs), ...(payment.transferChecks ?? [])]);
}

/** Cancels a bank transfer: its code is closed or its money is returned. If that is refused or fails, the payment waits as before. */
function settleTransferCancellation(
  payment: Payment,
  tx: Transaction,
  outcome: Outcome,
  context: ProcessorContext,
): Payment {
  const settled = ended(payment, tx);
  const [first] = settled.transactions;
  const open = first !== undefined && isOpen(first.status);
  if (outcome.kind === 'approved') {
    const over = {
      status: 'failed',
      processedAt: context.now,
      resultCode: responseCodes.cancelled,
      resultMessage: 'Cancelled',
    } as const;
    const transactions = open ? settled.transactions.with(0, { ...first, ...over }) : settled.transactions;
    const refundedMinor = payment.capturedMinor;
    const cancelled = { ...withoutPicture(settled), transactions, refundedMinor, processedAt: context.now };
    return applyMoves(withSurplusCheck(cancelled, open, context), ['cancelled'], context);
  }
  // Without a code, nothing can be paid and nothing ends the wait, so the code is requested again under the same key.
  const kind = settled.code ? 'await-transfer' : 'issue-code';
  const waiting = open ? { ...settled, work: newWork(kind, first.id, context.now) } : settled;
  return announceUnchanged(waiting, context);
}

function settleCancellation(payment: Payment, tx: Transaction, outcome: Outcome, context: ProcessorContext): Payment {
  if (isTransfer(payment)) return settleTransferCancellation(payment, tx, outcome, context);
  const settled = ended(payment, tx);
  const expired = payment.activeOp?.endsAs === 'expired';
  if (outcome.kind === 'approved') {
    return applyMoves({ ...settled, processedAt: context.now }, [expired ? 'expired' : 'cancelled'], context);
  }
  if (!expired && payment.purpose === 'payment') return announceUnchanged(settled, context);
  if (outcome.kind === 'failed') return settleFailedRelease(payment, tx, context);
  // The acquirer refuses to release a hold that has expired, which lapses by itself, or one that was captured at the acquirer.
  const text =
    `the acquirer refused to release the hold (${outcome.resultCode} ${outcome.resultMessage}): ` +
    'it lapses at the issuer, unless it was captured at the acquirer';
  return applyMoves(alerted(settled, context.now, text), [expired ? 'expired' : 'cancelled'], context);
}

function settleRefund(payment: Payment, tx: Transaction, outcome: Outcome, context: ProcessorContext): Payment {
  const settled = ended(payment, tx);
  if (outcome.kind !== 'approved') return announceUnchanged(settled, context);
  const refundedMinor = payment.refundedMinor + tx.amountMinor;
  const move = refundedMinor === payment.capturedMinor ? 'refunded' : 'partly-refunded';
  const refunded: Payment = { ...settled, refundedMinor, processedAt: context.now };
  return applyMoves(watchRefund(refunded, tx.id, context.now, context.schedule.refundCheckAfterMs), [move], context);
}

const settlers = {
  authorize: settleAuthorization,
  capture: settleCapture,
  cancel: settleCancellation,
  refund: settleRefund,
} as const;

/** Applies a definitive outcome of transaction `txId`. The transaction must be open and known. */
export function settle(payment: Payment, txId: string, outcome: Outcome, context: ProcessorContext): Payment {
  const tx = findTransaction(payment, txId);
  if (!tx) throw new Error(`payment ${payment._id} has no transaction ${txId}`);
  const operation = payment.activeOp?.txId === txId ? payment.activeOp.kind : 'authorize';
  const said = operation === 'authorize' ? withVerificationError(payment, outcome) : outcome;
  const settled = settlers[operation](payment, settleTransaction(tx, said, context.now), said, context);
  return withCardDestruction(settled, context);
}
