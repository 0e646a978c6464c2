/** Applies an answer of the processor to the payment, and does what has to be done before the caller is answered. */

import { limits } from '../../config/limits.js';
import { defined } from '../../shared/domain/defined.js';
import { authorizationOf, isAttempt } from '../../shared/domain/payment/attempts.js';
import { planCompletedApproval } from '../../shared/domain/payment/complete-approval.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { planNextRoute } from '../../shared/domain/payment/plan-next-route.js';
import { isUnwantedPart, planLateApproval, planPartialReversal } from '../../shared/domain/payment/plan-reversal.js';
import { planReview } from '../../shared/domain/payment/plan-review.js';
import {
  planApprovedAfterFailure,
  planInquiry,
  planPending,
  planResend,
} from '../../shared/domain/payment/plan-unresolved.js';
import { type Outcome, settle } from '../../shared/domain/payment/settle.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import { findTransaction } from '../../shared/domain/payment/transaction.js';
import { isReversing } from '../../shared/domain/payment/work.js';
import { planExternalOperation } from '../../shared/domain/reconcile/plan-external-operation.js';
import { responseCodes } from '../../shared/domain/response-codes.js';
import type { SendResult, Unknown } from '../../shared/processors/processor.js';
import { byHolder, type Claimed, type Plan, recordOutcome } from '../payment-work.js';
import { type ProcessorDeps, processorContext } from './processor-context.js';
import { noteOnCard, saveInstrument } from './save-instrument.js';

const offline: Outcome = {
  kind: 'failed',
  resultCode: responseCodes.issuerInoperative,
  resultMessage: 'Acquirer offline',
};

const notReached = { reason: 'not-reached', outcome: offline } as const;

type Context = ReturnType<typeof processorContext>;
type Approval = Extract<Outcome, { kind: 'approved' }>;

/** Adds an alert to a payment that the processor approved and holds for a manual review. */
function withReview(settled: Payment, txId: string, outcome: Outcome, now: Date): Payment {
  const tx = findTransaction(settled, txId);
  if (!tx || outcome.kind !== 'approved' || !outcome.inReview) return settled;
  return planReview(settled, tx, 'opened', now) ?? settled;
}

/** Plans the outcome of a transaction that has none yet. After a decline the payment may move on to another route. */
function planFirstOutcome(payment: Payment, txId: string, outcome: Outcome, context: Context): Payment {
  if (isUnwantedPart(payment, outcome)) {
    return planPartialReversal(payment, txId, outcome.approvedMinor, outcome, context);
  }
  const next =
    outcome.kind === 'declined' ? planNextRoute(payment, txId, { reason: 'declined', outcome }, context) : undefined;
  return next ?? withReview(settle(payment, txId, outcome, context), txId, outcome, context.now);
}

/** Whether the late approval of a transaction is known and was reversed: a repeated report of it says nothing new. */
const isLateApprovalReversed = ({ transactions }: Payment, { id, flagged }: Transaction): boolean =>
  flagged !== undefined &&
  transactions.some(
    ({ kind, referenceId, status }) => kind === 'reversal' && referenceId === id && status === 'approved',
  );

/** Plans what a second report of an approval adds: references and results of checks, and a review that has begun. */
function planAgainApproved(payment: Payment, tx: Transaction, approval: Approval, now: Date): Payment | undefined {
  const completed = planCompletedApproval(payment, tx, approval, now) ?? payment;
  const reviewed = withReview(completed, tx.id, approval, now);
  return reviewed === payment ? undefined : reviewed;
}

/**
 * Plans an outcome that arrives after another process wrote a final one. A late approval of a transaction that was given up or declined
 * must not stay at the processor; a part that was approved is already taken back.
 */
function planLateOutcome(payment: Payment, tx: Transaction, outcome: Outcome, now: Date): Payment | undefined {
  if (outcome.kind === 'approved' && tx.status === 'approved' && isAttempt(tx))
    return planAgainApproved(payment, tx, outcome, now);
  const isOver = tx.status === 'failed' || (tx.status === 'denied' && tx.approvedMinor === undefined);
  if (outcome.kind !== 'approved' || !isOver || isLateApprovalReversed(payment, tx)) return undefined;
  const { status, work, activeOp } = payment;
  // An attempt that another route followed is reversed too: the other attempt holds the payment's money.
  const isGivenUp = status === 'failed' || status === 'denied' || (tx.leftRoute !== undefined && !activeOp);
  return isGivenUp && !work
    ? planLateApproval(payment, tx.id, now, outcome)
    : planApprovedAfterFailure(payment, tx.id, now);
}

/**
 * Plans an outcome. When an operation is refused because something else was done at the processor before, the payment records that too. A
 * hold that is being released ends by what was done, if that moves the payment, and not by its expiry.
 */
function withExternalOperation(payment: Payment, txId: string, outcome: Outcome, context: Context): Payment {
  const settled = planFirstOutcome(payment, txId, outcome, context);
  if (outcome.kind === 'approved' || !outcome.done) return settled;
  const { done } = outcome;
  const doneTo = (refused: Payment): Payment => {
    const planned = planExternalOperation(refused, done, { ...context, bounds: limits });
    return planned.kind === 'planned' ? planned.payment : refused;
  };
  if (!payment.activeOp?.endsAs) return doneTo(settled);
  const { endsAs: _, ...activeOp } = payment.activeOp;
  const refused = planFirstOutcome({ ...payment, activeOp }, txId, outcome, context);
  const moved = doneTo(refused);
  return moved.status === refused.status ? doneTo(settled) : moved;
}

function planDefinitive(deps: ProcessorDeps, claimed: Claimed, outcome: Outcome): Plan {
  const { txId } = claimed.work;
  return (payment) => {
    const tx = findTransaction(payment, txId);
    if (!tx) return undefined;
    // It may no longer exist at the processor.
    if (isReversing(payment, txId)) return undefined;
    const context = processorContext(deps, claimed);
    return isOpen(tx.status)
      ? withExternalOperation(payment, txId, outcome, context)
      : planLateOutcome(payment, tx, outcome, deps.clock.now());
  };
}

const referenceOf = ({ processorReference }: Unknown) => defined({ processorReference });

/** Returns the plan for an answer to a send: any process may write a definitive answer, only the holder of the lease the others. */
export function planSendResult(deps: ProcessorDeps, claimed: Claimed, result: SendResult): Plan {
  const context = () => processorContext(deps, claimed);
  switch (result.kind) {
    case 'approved':
    case 'declined':
    case 'failed':
      return planDefinitive(deps, claimed, result);
    case 'pending':
      return byHolder(claimed, (payment, work) => planPending(payment, work, result, context()));
    case 'unknown':
      return byHolder(claimed, (payment, work) => planInquiry(payment, work, context(), referenceOf(result)));
    case 'not-sent':
      return byHolder(
        claimed,
        (payment, work) =>
          (result.blocked === 'payment' ? undefined : planNextRoute(payment, work.txId, notReached, context())) ??
          planResend(payment, work, context()) ??
          planDefinitive(deps, claimed, offline)(payment),
      );
  }
}

/** Runs before the caller is answered: the token exists when the answer is sent, and a declined card is counted before the next try. */
async function beforeReply(
  deps: ProcessorDeps,
  { log, work }: Claimed,
  written: Payment,
  before: Payment,
): Promise<Payment> {
  let payment = written;
  try {
    if (written.tokenizeAt) payment = await saveInstrument(deps, written);
  } catch (error) {
    // The sweep saves it.
    log.error('instrument.not-saved', { error });
  }
  const tx = findTransaction(payment, work.txId);
  if (!tx || !isAttempt(tx)) return payment;
  const wasApproved = findTransaction(before, work.txId)?.status === 'approved';
  // The next charge of the card refers to this one.
  if (authorizationOf(payment) === tx) {
    await noteOnCard(deps, payment, tx, wasApproved).catch((error: unknown) =>
      log.warn('instrument.not-noted', { error }),
    );
  }
  if (tx.status === 'denied') await deps.cardTesting.noteDecline(payment, tx);
  if (tx.leftRoute) deps.metrics.event('route-changed');
  return payment;
}

/** Applies `plan` to the stored payment and passes the outcome on. */
export async function settleOutcome(deps: ProcessorDeps, claimed: Claimed, plan: Plan): Promise<Payment | undefined> {
  return recordOutcome(deps, claimed, plan, (written, before) => beforeReply(deps, claimed, written, before));
}
