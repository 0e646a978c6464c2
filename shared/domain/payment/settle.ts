/**
 * What an answer of the processor does to a payment: the definitive outcomes of the four operations. Pure. The caller has
 * checked that the transaction is still open (reliability, I6); money and status move here and nowhere else.
 */

import { defined } from '../defined.js';
import { responseCodes } from '../response-codes.js';
import { after, msBetween } from '../time.js';
import { alerted, alertedOnce } from './alerted.js';
import { announceUnchanged, applyMoves, submittedFirst } from './apply-moves.js';
import type { DoneThere } from './done-there.js';
import { detailsOf, type ProcessorDetails } from './network-answer.js';
import type { Payment, Transaction } from './payment.js';
import type { ProcessorContext } from './plan-context.js';
import { planOwnOperation } from './plan-operation.js';
import { watchRefund } from './plan-refund-check.js';
import { isTransfer, withChecks, withoutPicture } from './plan-transfer.js';
import { heldForInstrument } from './saved-instrument.js';
import { isOpen } from './statuses.js';
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
      }
    | {
        readonly kind: 'declined' | 'failed';
        readonly resultCode: string;
        readonly resultMessage: string;
        readonly error?: string;
        readonly declineCode?: string;
        /** Why it is refused: what was done there before. */
        readonly done?: DoneThere;
      }
  );

/** The status of a transaction by its outcome. */
export const statusOfOutcome = { approved: 'approved', declined: 'denied', failed: 'failed' } as const;
const defaultErrors = { declined: 'declined-by-acquirer', failed: 'acquirer-offline' } as const;

/** The refusal of a card that was only verified has a code of its own, which not every processor knows. */
function refusedAs({ purpose }: Payment, outcome: Outcome): Outcome {
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
 * Everything that ends with an operation: its reservation, its work, and the cvc with the first outcome (I10). What the payment lacks
 * is not added to it, as a literal would: members that are gained cost V8 more than all else here (`noOutcome`).
 */
function ended(payment: Payment, tx: Transaction): Payment {
  const transactions = payment.transactions.map((known) => (known.id === tx.id ? tx : known));
  const settled: Writable<Payment> = { ...payment, transactions, heldMinor: 0 };
  for (const name of endingFields) if (name in settled) settled[name] = undefined;
  return settled;
}

/** Sealed card data goes a while after the payment needs it no more; an authorized one may still need it. */
function withCardDestruction(payment: Payment, context: ProcessorContext): Payment {
  if (!payment.card || payment.cardDestroyAt || payment.status === 'authorized') return payment;
  const { cardDestroyMs, cardDestroyWithRefundsMs } = context.schedule;
  const waitMs = context.traits.refundNeedsPan ? cardDestroyWithRefundsMs : cardDestroyMs;
  return { ...payment, cardDestroyAt: after(context.now, waitMs) };
}

function settleAuthorization(payment: Payment, tx: Transaction, outcome: Outcome, context: ProcessorContext): Payment {
  const settled = authorizationSettled(payment, tx, outcome, context);
  return heldForInstrument(settled, after(context.now, context.schedule.instrumentHeldMs));
}

/** Nothing is captured sooner than the merchant asked for; by hand it may be. */
const HOLD_TOO_SHORT = 'the hold ends before its delayed capture is due: it will expire unless it is captured by hand';

/**
 * By our own limit, or when the processor says, if that is earlier. What it says counts from when the hold was made, which may be long
 * before its outcome is known here: no later than it was sent.
 */
function holdEndsAt({ work }: Payment, holdMs: number | undefined, { now, schedule }: ProcessorContext): Date {
  const latestEnd = after(now, schedule.authorizationExpiryMs);
  if (holdMs === undefined) return latestEnd;
  const madeAt = work?.attempt?.startedAt ?? now;
  // Bounded before it is added: a number that leads beyond all dates would make none.
  return after(madeAt, Math.min(holdMs, msBetween(madeAt, latestEnd)));
}

function authorizationSettled(payment: Payment, tx: Transaction, outcome: Outcome, context: ProcessorContext): Payment {
  const tokenizes = outcome.kind === 'approved' && payment.tokenization !== undefined;
  const settled: Payment = {
    ...ended(payment, tx),
    processedAt: context.now,
    // The token is born with success; a declined payment saves nothing.
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
  // A verification holds nothing for longer than it must: the gateway itself releases it at once.
  const release = { kind: 'cancel', reason: 'card-verification' } as const;
  const released = planOwnOperation(held, release, { now: context.now, txId: context.newTxId() });
  return applyMoves(released, [...first, 'authorized'], context);
}

/** Waits double from try to try, so that a long outage leaves a few dozen transactions, not thousands. */
const DOUBLINGS_MAX = 9;

/** How often a scheduled operation has failed before; never more than the doublings of its wait. */
function doublingsOf({ transactions }: Payment, tx: Transaction): number {
  const failures = transactions.filter(
    ({ kind, reason, status }) =>
      kind === tx.kind && reason === tx.reason && (status === 'failed' || status === 'denied'),
  ).length;
  return Math.min(failures, DOUBLINGS_MAX);
}

/** When a scheduled operation is retried because the processor was not reached; callers retry on their own. */
const ownRetryAt = (payment: Payment, tx: Transaction, { now, schedule }: ProcessorContext): Date =>
  after(now, schedule.ownRetryMs * 2 ** doublingsOf(payment, tx));

/**
 * The processor was not reached, or takes nothing from us: the release is retried, and the hold stays what it is until then. A person
 * is alerted when that has lasted for hours, as after its settings or the credentials of its merchant were taken away.
 */
function settleFailedRelease(payment: Payment, tx: Transaction, context: ProcessorContext): Payment {
  const deadline = { kind: 'expire', at: ownRetryAt(payment, tx, context) } as const;
  const waiting = announceUnchanged({ ...ended(payment, tx), deadline }, context);
  if (doublingsOf(payment, tx) < DOUBLINGS_MAX) return waiting;
  const text = `the hold is not released (${tx.resultCode} ${tx.resultMessage}); retrying`;
  return alertedOnce(waiting, context.now, text);
}

/**
 * No caller waits for a delayed capture: it is retried while the hold lasts, whatever the acquirer said. The last try is
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
 * The bank is asked soon: it may have given back more than the sale, before a person sends that money back too; and to a code that was
 * `unpaid` another amount may have come, which not every bank gives back.
 */
function withSurplusCheck(payment: Payment, unpaid: boolean, { now, schedule }: ProcessorContext): Payment {
  const [soonMs] = schedule.transferCheckAfterMs;
  const hasSurplus = payment.transactions.some(({ kind, flagged }) => kind === 'purchase' && flagged !== undefined);
  if (!(unpaid || hasSurplus) || soonMs === undefined) return payment;
  return withChecks(payment, [after(now, soonMs), ...(payment.transferChecks ?? [])]);
}

/** A bank transfer: its code is closed or its money is back. Refused or failed, its code or its money is waited for as before. */
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
  // Without its code nothing can be paid, and nothing ends the wait: it is asked for again, by the same key.
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
  // The acquirer refuses to release a hold that has run out, which lapses by itself, and one that was captured there.
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
  const tx = payment.transactions.find((known) => known.id === txId);
  if (!tx) throw new Error(`payment ${payment._id} has no transaction ${txId}`);
  const operation = payment.activeOp?.txId === txId ? payment.activeOp.kind : 'authorize';
  const said = operation === 'authorize' ? refusedAs(payment, outcome) : outcome;
  const settled = settlers[operation](payment, settleTransaction(tx, said, context.now), said, context);
  return withCardDestruction(settled, context);
}
