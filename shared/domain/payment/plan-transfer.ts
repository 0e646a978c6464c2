/**
 * Plans what the bank's answers do to a payment by code (docs/decisions.md, "QR expiry, payload"). Pure. Whether a payment is paid or
 * has expired is decided here and written by one compare-and-set: never both, however many processes look at the payment.
 */

import type { PaymentCode } from '../code/payment-code.js';
import { defined } from '../defined.js';
import { responseCodes } from '../response-codes.js';
import { after, latest, msBetween } from '../time.js';
import { alerted } from './alerted.js';
import { announceUnchanged, applyMoves, type Moment, submittedFirst } from './apply-moves.js';
import { noCallerWaits } from './awaited.js';
import type { Payment, Transaction, Work } from './payment.js';
import type { PlanContext } from './plan-context.js';
import { paysSale, recordSurplus, type Transfer } from './surplus.js';
import { changeTransaction } from './transaction.js';
import { nextWork } from './work.js';

export type { Transfer } from './surplus.js';

/** All that the bank knew about a code when it was asked. */
export interface TransferAnswer {
  /** When the gateway sent the question: the bank looked into its books at this time or later. */
  readonly askedAt: Date;
  readonly transfers: readonly Transfer[];
  /** Set when the bank or its payer refused for good. */
  readonly rejected?: { readonly resultCode: string; readonly resultMessage: string; readonly declineCode?: string };
}

/** Returns until when the code of a payment may be paid: known before the code is issued, so that asking again changes nothing. */
export const codeExpiresAt = ({ createdAt }: Payment, { schedule }: Pick<PlanContext, 'schedule'>): Date =>
  after(createdAt, schedule.codeExpiryMs);

/** Whether the payment has a code that can still be presented. */
export const isPresentable = ({ status, code, expiresAt }: Payment, now: Date): boolean =>
  status === 'pending' && code !== undefined && expiresAt !== undefined && now < expiresAt;

export const isTransfer = ({ paymentMethod }: Payment): boolean => paymentMethod.source === 'bank-transfer';

/** Sets the times at which the bank is asked about a code that has ended. */
export const withTransferChecks = (payment: Payment, times: readonly Date[]): Payment => {
  const transferChecks = [...times].sort((one, other) => msBetween(other, one));
  const [transferCheckAt] = transferChecks;
  return transferCheckAt === undefined
    ? { ...payment, transferChecks: undefined, transferCheckAt: undefined }
    : { ...payment, transferChecks, transferCheckAt };
};

/** Returns when the bank is asked next: often while the code is new, and at the code's end in any case. */
function askNextAt(payment: Payment, { schedule, now }: PlanContext, askedAt = now): Date {
  const ageMs = msBetween(payment.createdAt, now);
  const { askTransfer } = schedule;
  const row = askTransfer.find(({ untilMs }) => ageMs < untilMs) ?? askTransfer.at(-1);
  const next = after(now, row?.everyMs ?? schedule.transferGraceMs);
  const endsAt = after(payment.expiresAt ?? now, schedule.transferSettlesMs);
  return askedAt < endsAt && next > endsAt ? latest(endsAt, now) : next;
}

/** Stores the issued code, which the payer can pay now. The bank is also asked after the code's end, for money that comes late or twice. */
export function planIssued(
  payment: Payment,
  work: Work,
  issued: { readonly code: PaymentCode; readonly ticket?: string },
  context: PlanContext,
): Payment {
  const expiresAt = codeExpiresAt(payment, context);
  const { ticket } = issued;
  const named = changeTransaction(payment, work.txId, { status: 'pending', ...defined({ ticket }) });
  const checks = context.schedule.transferCheckAfterMs.map((ms) => after(expiresAt, ms));
  const pending = withTransferChecks({ ...named, updatedAt: context.now, expiresAt, code: issued.code }, checks);
  const waiting = { ...pending, work: nextWork(work, 'await-transfer', askNextAt(pending, context), 0) };
  // A caller who stopped waiting got `pending` without a code, so the code is announced.
  return payment.status === 'created'
    ? applyMoves(waiting, ['submitted'], context)
    : announceUnchanged(waiting, context);
}

/** Removes the picture of a code that has ended: the picture is useless, and no caller waits over HTTP. */
export function withoutPicture(payment: Payment): Payment {
  const { code } = payment;
  return code ? { ...payment, code: { value: code.value, url: code.url } } : payment;
}

const closed = (payment: Payment, tx: Transaction, { now }: Moment): Payment =>
  withoutPicture({
    ...changeTransaction(payment, tx.id, { ...tx, processedAt: now }),
    updatedAt: now,
    processedAt: now,
    awaitedUntil: noCallerWaits(now),
    work: undefined,
  });

function paid(payment: Payment, tx: Transaction, transfer: Transfer, context: PlanContext): Payment {
  const total = payment.amount.totalMinor;
  const done = {
    ...tx,
    status: 'approved' as const,
    resultCode: responseCodes.approved,
    resultMessage: 'Paid',
    ticket: transfer.id,
  };
  const soon = context.schedule.transferCheckAfterMs.slice(0, 2).map((ms) => after(context.now, ms));
  const settled = { ...closed(payment, done, context), authorizedMinor: total, capturedMinor: total };
  return withTransferChecks(settled, [...soon, ...(payment.transferChecks ?? [])]);
}

/**
 * Ends the payment by the bank's answer; `undefined`: nothing changes. A transfer counts when the payer made it in time, by
 * the bank's clock; all other money that came is surplus.
 */
function planTransferEnd(payment: Payment, answer: TransferAnswer, context: PlanContext): Payment | undefined {
  const tx = payment.transactions[0];
  const { expiresAt } = payment;
  if (!tx || !expiresAt) return undefined;
  const inTime = answer.transfers
    .filter((transfer) => paysSale(payment, transfer) && transfer.paidAt <= expiresAt)
    .sort((one, other) => msBetween(other.paidAt, one.paidAt));
  if (inTime[0]) {
    const settled = paid(payment, tx, inTime[0], context);
    return applyMoves(recordSurplus(settled, answer.transfers, context), ['purchased'], context);
  }
  if (answer.rejected) {
    const { resultCode, resultMessage, declineCode } = answer.rejected;
    const status = 'denied' as const;
    const reply = { resultCode, resultMessage, ...(declineCode !== undefined && { declineCode }) };
    const denied = { ...tx, status, ...reply, errorCode: 'declined-by-acquirer' };
    return applyMoves(
      recordSurplus(closed(payment, denied, context), answer.transfers, context),
      ['declined'],
      context,
    );
  }
  // An answer that took long to arrive says nothing about money that came after the question.
  if (answer.askedAt < after(expiresAt, context.schedule.transferSettlesMs)) return undefined;
  return planExpired(payment, answer.transfers, context);
}

function planExpired(payment: Payment, late: readonly Transfer[], context: PlanContext): Payment | undefined {
  const tx = payment.transactions[0];
  if (!tx) return undefined;
  const over = {
    ...tx,
    status: 'expired' as const,
    resultCode: responseCodes.tooLate,
    resultMessage: 'Not paid in time',
  };
  const expired = closed(payment, over, context);
  const recorded = recordSurplus({ ...expired, status: 'expired' }, late, context);
  return applyMoves({ ...recorded, status: payment.status }, ['expired'], context);
}

/** Applies the bank's answer for the worker that holds the work: ends the payment, or plans the next question. */
export function planAsked(payment: Payment, work: Work, answer: TransferAnswer, context: PlanContext): Payment {
  const ended = planTransferEnd(payment, answer, context);
  if (ended) return ended;
  return {
    ...payment,
    updatedAt: context.now,
    work: nextWork(work, 'await-transfer', askNextAt(payment, context, answer.askedAt), 0),
  };
}

/** Continues the inquiry when the bank does not answer. After the grace period the code counts as unpaid; the later checks remain. */
export function planNotAnswered(payment: Payment, work: Work, context: PlanContext): Payment {
  const { expiresAt } = payment;
  const over = expiresAt !== undefined && context.now >= after(expiresAt, context.schedule.transferGraceMs);
  const expired = over ? planExpired(payment, [], context) : undefined;
  if (expired)
    return alerted(
      expired,
      context.now,
      'the bank did not answer when the code expired; the gateway inquires again later',
    );
  const tries = work.tries + 1;
  const dueAt = askNextAt(payment, context);
  return { ...payment, updatedAt: context.now, work: nextWork(work, 'await-transfer', dueAt, tries) };
}

/**
 * Applies a due check: surplus money is recorded and announced. Without an answer, the bank is asked at least once more.
 * `undefined`: no check is due.
 */
export function planChecked(
  payment: Payment,
  answer: TransferAnswer | undefined,
  context: PlanContext,
): Payment | undefined {
  const due = (payment.transferChecks ?? []).some((at) => at <= context.now);
  if (!due) return undefined;
  const left = (payment.transferChecks ?? []).filter((at) => at > context.now);
  const again = after(context.now, context.schedule.transferCheckAfterMs.at(-2) ?? context.schedule.transferGraceMs);
  // The work of an open payment decides about its money, and an operation in flight may be returning the money.
  const open = payment.status === 'pending' || payment.activeOp !== undefined;
  if (open) return withTransferChecks(payment, [...left, after(context.now, context.schedule.transferGraceMs)]);
  const next = withTransferChecks(payment, answer || left.length > 0 ? left : [again]);
  if (!answer) return next;
  const recorded = recordSurplus({ ...next, awaitedUntil: noCallerWaits(context.now) }, answer.transfers, context);
  return recorded.transactions === payment.transactions ? next : announceUnchanged(recorded, context);
}

/** Ends a payment without a code: the processor refused it or was not reached. If a caller waits, this is the answer. */
export function planNotIssued(
  payment: Payment,
  outcome: {
    readonly kind: 'declined' | 'failed';
    readonly resultCode: string;
    readonly resultMessage: string;
    readonly declineCode?: string;
    readonly ticket?: string;
  },
  context: Moment,
): Payment {
  const { kind, resultCode, resultMessage, declineCode, ticket } = outcome;
  const declined = kind === 'declined';
  // Field by field: an adapter's answer may say more than is stored.
  const reply = {
    resultCode,
    resultMessage,
    ...defined({ declineCode, ticket }),
  };
  const end = declined
    ? ({ status: 'denied', errorCode: 'declined-by-acquirer' } as const)
    : ({ status: 'failed', errorCode: 'acquirer-offline' } as const);
  // Only the purchase: a cancellation that was refused meanwhile keeps its own answer.
  const transactions = payment.transactions.map((tx) =>
    tx.kind === 'purchase' ? { ...tx, ...reply, ...end, processedAt: context.now } : tx,
  );
  const ended: Payment = { ...payment, transactions, processedAt: context.now, work: undefined };
  return applyMoves(ended, [...submittedFirst(payment), declined ? 'declined' : 'failed'], context);
}

/** Requests the code again: the try before moved no money. */
export function planIssueAgain(payment: Payment, work: Work, dueAt: Date, now: Date): Payment {
  return { ...payment, updatedAt: now, work: nextWork(work, 'issue-code', dueAt, work.tries + 1) };
}
