/**
 * Applies updates about the operations of a payment by the same plans as the answer to an inquiry. An update that does not fit what was
 * sent is not believed and flagged.
 */

import { defined } from '../../shared/domain/defined.js';
import { isAttempt, routeOf } from '../../shared/domain/payment/attempts.js';
import { planReturnedRefund, withLaterFailure } from '../../shared/domain/payment/plan-refund-check.js';
import {
  isOtherPart,
  planAlert,
  planInquiryNow,
  planProcessorReference,
  planRefusedReversal,
  planReportedOtherwise,
  waitsForOther,
} from '../../shared/domain/payment/plan-update.js';
import { statusOfOutcome } from '../../shared/domain/payment/settle.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import { findTransaction } from '../../shared/domain/payment/transaction.js';
import { isReversing, newWork } from '../../shared/domain/payment/work.js';
import { aboutProblem, answerProblem, withoutWhole, withPart } from '../../shared/processors/check-answers.js';
import type { Definitive } from '../../shared/processors/processor.js';
import type { ChangedUpdate, OutcomeUpdate, RefundFailedUpdate } from '../../shared/processors/updates.js';
import { type Claimed, changePayment, type Plan, planContext } from '../payment-work.js';
import { applyExternalOperation } from './apply-external-operation.js';
import { inquireRequest } from './processor-requests.js';
import { planReversed } from './reverse-payment.handler.js';
import { planSendResult, settleOutcome } from './settle-outcome.js';
import {
  type ApplyUpdate,
  applied,
  changeBy,
  flagged,
  flagMismatch,
  later,
  sentAs,
  type UpdateDeps,
  type UpdateResult,
  type UpdateSubject,
} from './update-result.js';

const changedMeanwhile = later('the payment was changed meanwhile: it may say more of what it is now');

const claimOf = (deps: UpdateDeps, { payment, log }: UpdateSubject, txId: string): Claimed => {
  const { work = newWork('inquire', txId, deps.clock.now()) } = payment;
  return { payment, work: { ...work, txId }, replyTo: undefined, log, mayStillSend: () => true };
};

/** `failed-after-approval`: the processor reports a failure of what it had approved, maybe before it reports the approval. */
type Reported = 'as-it-was-sent' | 'failed-after-approval';

/**
 * Settles like the answer to an inquiry. A definitive outcome is written even when another process holds the work.
 * @param reported whether the planned payment notes that the operation failed later
 */
async function settleAsInquired(
  deps: UpdateDeps,
  about: UpdateSubject,
  outcome: Definitive,
  reported: Reported,
): Promise<UpdateResult> {
  const { payment, tx } = about;
  if (waitsForOther(payment, tx.id)) return later('it is taken back when what is in progress has ended');
  const claimed = claimOf(deps, about, tx.id);
  const planOutcome = planSendResult(deps, claimed, outcome);
  const plan: Plan = (current) => {
    const planned = waitsForOther(current, tx.id) ? undefined : planOutcome(current);
    return planned && reported === 'failed-after-approval' ? withLaterFailure(planned, tx.id) : planned;
  };
  if (plan(payment) === undefined) return applied('it says nothing new');
  return (await settleOutcome(deps, claimed, plan)) ? applied(`settled as ${outcome.kind}`) : changedMeanwhile;
}

/** Settles an operation that has no outcome yet, if it was sent. */
async function settleIfSent(
  deps: UpdateDeps,
  about: UpdateSubject,
  outcome: Definitive,
  reported: Reported,
): Promise<UpdateResult> {
  const { work } = about.payment;
  const sent = work?.queue === 'processor' && work.txId === about.tx.id && work.attempt;
  return sent ? settleAsInquired(deps, about, outcome, reported) : later('nothing was sent under this key yet');
}

/** Ends the reversal: nothing of the authorization is in effect any more. */
async function endReversal(
  deps: UpdateDeps,
  about: UpdateSubject,
  original: string,
  ticket?: string,
): Promise<UpdateResult> {
  const claimed = claimOf(deps, about, original);
  const plan: Plan = (current) =>
    isReversing(current, original) ? planReversed(deps, claimed, current, ticket) : undefined;
  return applied((await settleOutcome(deps, claimed, plan)) ? 'reversed' : 'it says nothing new');
}

/** Applies the outcome of a reversal, or of the operation that is being reversed. */
async function applyToReversal(
  deps: UpdateDeps,
  about: UpdateSubject,
  outcome: Definitive,
  originalReference: string | undefined,
): Promise<UpdateResult> {
  const { payment, tx } = about;
  if (tx.kind !== 'reversal') {
    if (outcome.kind !== 'approved') {
      // There was nothing to take back. For a late approval the update describes the time before the approval, which is in effect.
      return isOpen(tx.status) ? endReversal(deps, about, tx.id) : applied('it says nothing new');
    }
    const plan: Plan = (current) => planProcessorReference(current, tx.id, outcome, deps.clock.now());
    return changeBy(deps, payment, plan, 'named: it is reversed by its reference');
  }
  if (outcome.kind === 'approved') return endReversal(deps, about, tx.referenceId, outcome.ticket);
  const plan: Plan = (current) =>
    isReversing(current, tx.referenceId)
      ? planRefusedReversal(current, tx, { by: originalReference, message: outcome.resultMessage }, deps.clock.now())
      : undefined;
  return changeBy(deps, payment, plan, 'flagged: not reversed');
}

/** Flags an operation that was approved here and is reported otherwise: a person decides. */
function flagContradiction(deps: UpdateDeps, { payment, tx }: UpdateSubject, said: string): Promise<UpdateResult> {
  const plan: Plan = (current) => planReportedOtherwise(current, tx, deps.clock.now(), said);
  return changeBy(deps, payment, plan, 'flagged: it was approved before');
}

/** Whether the processor approved the payment once more, under another reference: the payer may be charged twice. */
function isAnotherPayment({ tx }: UpdateSubject, { kind, processorReference }: Definitive): boolean {
  if (kind !== 'approved' || !isAttempt(tx) || processorReference === undefined) return false;
  return tx.processorReference !== undefined && tx.processorReference !== processorReference;
}

/** Applies an outcome that is known already: it may say more than the first report. */
async function completeKnown(deps: UpdateDeps, about: UpdateSubject, outcome: Definitive): Promise<UpdateResult> {
  const { payment, tx } = about;
  if (isAnotherPayment(about, outcome))
    return flagContradiction(deps, about, `approved once more, as ${outcome.ticket ?? outcome.processorReference}`);
  const claimed = claimOf(deps, about, tx.id);
  const plan = planSendResult(deps, claimed, outcome);
  if (plan(payment) === undefined) return applied('it says nothing new');
  return (await settleOutcome(deps, claimed, plan)) ? applied('it says more than was known') : changedMeanwhile;
}

/** Applies the outcome of an operation, also of one that is being reversed, or of the reversal itself. */
export const applyOutcome: ApplyUpdate<OutcomeUpdate> = async (deps, about, update) => {
  const { payment, tx } = about;
  const said = withPart(update);
  const outcome = withoutWhole(said, sentAs(about));
  const problem = answerProblem(outcome, sentAs(about), isAttempt(tx) ? 'may-be-partial' : 'whole');
  if (problem !== undefined) return flagMismatch(deps, about, problem);
  if (outcome.kind === 'pending') return inquireNow(deps, about);
  if (tx.kind === 'reversal' || isReversing(payment, tx.id))
    return applyToReversal(deps, about, outcome, update.originalReference);
  if (isOpen(tx.status)) {
    const reported = update.afterApproval ? 'failed-after-approval' : 'as-it-was-sent';
    return settleIfSent(deps, about, outcome, reported);
  }
  if (statusOfOutcome[outcome.kind] === tx.status) {
    return isOtherPart(said, tx)
      ? flagContradiction(deps, about, 'approved for another amount')
      : completeKnown(deps, about, outcome);
  }
  // Approved after it had failed or was declined: taken back when nothing else depends on it, otherwise flagged.
  if (outcome.kind === 'approved') return settleAsInquired(deps, about, outcome, 'as-it-was-sent');
  if (tx.status !== 'approved') return applied('it had failed already');
  if (tx.kind === 'refund') return returnRefund(deps, about, outcome);
  return flagContradiction(deps, about, outcome.kind);
};

/** Applies the outcome of a capture that the processor made of a purchase by itself: the purchase already says that the money was taken. */
export const applyOwnCapture: ApplyUpdate<OutcomeUpdate> = async (deps, about, { outcome }) => {
  const { payment, tx } = about;
  if (payment.transactions.some(({ kind, referenceId }) => kind === 'reversal' && referenceId === tx.id))
    return applied('the purchase is taken back');
  if (tx.status !== 'approved') return later('its purchase is not approved');
  const sent = { ...sentAs(about), amountMinor: tx.approvedMinor ?? tx.amountMinor };
  const problem = answerProblem(outcome, sent, 'whole');
  if (problem !== undefined) return flagMismatch(deps, about, problem);
  if (outcome.kind === 'approved' || outcome.kind === 'pending') return applied('it says nothing new');
  return flagContradiction(deps, about, `not captured (${outcome.resultMessage})`);
};

/** Makes the next inquiry due now. */
const inquireNow = (deps: UpdateDeps, { payment, tx }: UpdateSubject): Promise<UpdateResult> =>
  changeBy(deps, payment, (current) => planInquiryNow(current, tx.id, deps.clock.now()), 'asked at once');

/** Whether the payment goes on without this authorization or purchase: it was given up or declined, and nothing reverses it now. */
const isGivenUp = ({ payment, tx }: UpdateSubject): boolean =>
  isAttempt(tx) && (tx.status === 'failed' || tx.status === 'denied') && !isReversing(payment, tx.id);

/**
 * Inquires about an authorization or purchase that was given up, and that the processor has approved since. The update may be older than
 * its reversal, so the processor's answer decides whether there is anything to take back.
 */
async function inquireGivenUp(deps: UpdateDeps, about: UpdateSubject, update: ChangedUpdate): Promise<UpdateResult> {
  const { payment, tx } = about;
  const { processor: code } = routeOf(payment, tx.id);
  const request = inquireRequest(payment, tx.id);
  const { processorReference = request.references.processorReference } = update;
  const references = { ...request.references, ...defined({ processorReference }) };
  const answer = await deps.processors.get(code)?.inquire({ ...request, references });
  if (answer === undefined || answer.kind === 'no-answer') return later('the processor does not say what became of it');
  if (answer.kind !== 'found' || answer.outcome.kind !== 'approved') return applied('it is not in effect there');
  return settleAsInquired(deps, about, answer.outcome, 'as-it-was-sent');
}

/** Something changed at the processor: the update does not say what, or names an operation that the gateway did not ask for. */
export const applyChanged: ApplyUpdate<ChangedUpdate> = async (deps, about, update) => {
  const { done } = update;
  if (update.isApproved && isGivenUp(about)) return inquireGivenUp(deps, about, update);
  const asked = await inquireNow(deps, about);
  return done?.of === about.tx.id ? applyExternalOperation(deps, about, done) : asked;
};

/** Records that an approved refund failed later: the merchant has the money again. */
async function returnRefund(
  deps: UpdateDeps,
  { payment, tx, log }: UpdateSubject,
  said: Pick<RefundFailedUpdate, 'resultCode' | 'resultMessage'>,
): Promise<UpdateResult> {
  const plan: Plan = (current) => {
    const known = findTransaction(current, tx.id);
    return known?.status === 'approved' ? planReturnedRefund(current, tx.id, said, planContext(deps)) : undefined;
  };
  if (!(await changePayment(deps, payment, plan))) return applied('it says nothing new');
  log.error('refund.failed-later', { txId: tx.id });
  return applied('the refund was returned');
}

/**
 * Alerts that a refund failed later by which a processor took a payment back: a person has to return the money, which the merchant still
 * has.
 */
async function alertNotReturned(
  deps: UpdateDeps,
  about: UpdateSubject,
  said: RefundFailedUpdate['about'],
  resultMessage: string,
): Promise<UpdateResult> {
  const { payment, tx } = about;
  const problem = aboutProblem(said, sentAs(about));
  if (problem !== undefined) return flagMismatch(deps, about, problem);
  const text =
    `${tx.referenceId} was taken back, and the refund for it failed (${resultMessage}): ` +
    'the payer does not have the money back; return it another way';
  await changePayment(deps, payment, (current) => planAlert(current, deps.clock.now(), text));
  return flagged('the refund of a reversal failed');
}

/** Applies the failure of a refund, or of a reversal that was made by a refund. */
export const applyRefundFailed: ApplyUpdate<RefundFailedUpdate> = async (deps, about, update) => {
  const { about: said, resultCode, resultMessage } = update;
  const { tx } = about;
  if (tx.kind === 'reversal') return alertNotReturned(deps, about, said, resultMessage);
  if (tx.kind !== 'refund') return flagMismatch(deps, about, 'it is no refund');
  const problem = aboutProblem(said, sentAs(about));
  if (problem !== undefined) return flagMismatch(deps, about, problem);
  if (tx.status === 'approved') return returnRefund(deps, about, { resultCode, resultMessage });
  if (!isOpen(tx.status)) return applied('it had failed already');
  const outcome = { kind: 'declined', error: 'declined-by-acquirer', resultCode, resultMessage } as const;
  return settleIfSent(deps, about, outcome, 'failed-after-approval');
};
