/**
 * Applies what a processor sent by itself: through the same plans as the answer to an inquiry, so that an update that is late,
 * doubled or out of order changes nothing. One that does not fit what was sent is not believed and flagged.
 */
import { limits } from '../../config/limits.js';
import { isAttempt, routeOf } from '../../shared/domain/payment/attempts.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { planDispute } from '../../shared/domain/payment/plan-dispute.js';
import { failedLater, planReturnedRefund } from '../../shared/domain/payment/plan-refund-check.js';
import {
  isOtherPart,
  isReversing,
  planAlert,
  planHurry,
  planNamed,
  planRefusedReversal,
  planReportedOtherwise,
  waitsForOther,
} from '../../shared/domain/payment/plan-update.js';
import { statusOfOutcome } from '../../shared/domain/payment/settle.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import { newWork } from '../../shared/domain/payment/work.js';
import { after } from '../../shared/domain/time.js';
import type { Log } from '../../shared/log.js';
import { aboutProblem, outcomeProblem, withoutWhole } from '../../shared/processors/check-answers.js';
import type { Definitive } from '../../shared/processors/processor.js';
import type {
  ChangedUpdate,
  DisputeUpdate,
  OutcomeUpdate,
  ProcessorUpdate,
  RefundFailedUpdate,
} from '../../shared/processors/updates.js';
import type { ProcessorUpdateRow } from '../../shared/store/processor-update.model.js';
import type { ProcessorUpdateRepository } from '../../shared/store/processor-update.repository.js';
import { type Claimed, change, type Plan, planContext } from '../payment-work.js';
import { capturedByItself, isOnlyClosed, transactionNamed } from './operation-of-update.js';
import { planReversed } from './reverse-payment.handler.js';
import { type ProcessorDeps, planFor, settleOutcome } from './settle-outcome.js';

export type UpdateDeps = ProcessorDeps & { readonly updates: ProcessorUpdateRepository };

/** `later`: tried again on the schedule, and flagged in the end. */
interface Applied {
  readonly kind: 'applied' | 'later' | 'flagged';
  /** In our own words. */
  readonly reason: string;
}
const applied = (reason: string): Applied => ({ kind: 'applied', reason });
const later = (reason: string): Applied => ({ kind: 'later', reason });
const flagged = (reason: string): Applied => ({ kind: 'flagged', reason });
const changedMeanwhile = later('the payment was changed meanwhile: it may say more of what it is now');

interface About {
  readonly payment: Payment;
  readonly tx: Transaction;
  readonly log: Log;
}

type Apply<U extends ProcessorUpdate> = (deps: UpdateDeps, about: About, update: U) => Promise<Applied>;

const write = async (deps: UpdateDeps, payment: Payment, plan: Plan, reason: string): Promise<Applied> =>
  applied((await change(deps, payment, plan)) ? reason : 'it says nothing new');

/** Another amount, currency or key than was sent: nothing of it counts. */
async function notBelieved(deps: UpdateDeps, { payment, tx }: About, problem: string): Promise<Applied> {
  const { processor } = routeOf(payment, tx.id);
  const text = `an update of ${processor} about ${tx.kind} ${tx.id} is not believed: ${problem}`;
  await change(deps, payment, (current) => planAlert(current, deps.clock.now(), text));
  return flagged(problem);
}

const sentAs = ({ payment, tx }: About) => ({
  key: tx.id,
  amountMinor: tx.amountMinor,
  currency: payment.amount.currency,
});

const claimOf = (deps: UpdateDeps, { payment, log }: About, txId: string): Claimed => {
  const { work = newWork('inquire', txId, deps.clock.now()) } = payment;
  return { payment, work: { ...work, txId }, replyTo: undefined, log, mayStillSend: () => true };
};

const same = (planned: Payment | undefined) => planned;

/** As if an inquiry had been answered; whether the work is held by another process does not matter to a definitive outcome. */
async function settle(deps: UpdateDeps, about: About, outcome: Definitive, mark = same): Promise<Applied> {
  if (waitsForOther(about.payment, about.tx.id)) return later('it is taken back when what is in progress has ended');
  const claimed = claimOf(deps, about, about.tx.id);
  const planned = planFor(deps, claimed, outcome);
  const plan: Plan = (current) => (waitsForOther(current, about.tx.id) ? undefined : mark(planned(current)));
  if (plan(about.payment) === undefined) return applied('it says nothing new');
  return (await settleOutcome(deps, claimed, plan)) ? applied(`settled as ${outcome.kind}`) : changedMeanwhile;
}

/** Of an operation without an outcome. @param mark what else is noted of it */
async function settleOpen(deps: UpdateDeps, about: About, outcome: Definitive, mark = same): Promise<Applied> {
  const { work } = about.payment;
  const sent = work?.queue === 'processor' && work.txId === about.tx.id && work.attempt;
  return sent ? settle(deps, about, outcome, mark) : later('nothing was sent under this key yet');
}

/** Nothing of the authorization is in effect any more: the reversal is over. */
async function taken(deps: UpdateDeps, about: About, original: string, ticket?: string): Promise<Applied> {
  const claimed = claimOf(deps, about, original);
  const plan: Plan = (current) =>
    isReversing(current, original) ? planReversed(deps, claimed, current, ticket) : undefined;
  return applied((await settleOutcome(deps, claimed, plan)) ? 'reversed' : 'it says nothing new');
}

/** What became of a reversal, or of what is being reversed. */
async function applyToReversal(
  deps: UpdateDeps,
  about: About,
  outcome: Definitive,
  by: string | undefined,
): Promise<Applied> {
  const { payment, tx } = about;
  if (tx.kind !== 'reversal') {
    if (outcome.kind !== 'approved') {
      // There was nothing to take back. Of a late approval it says what was before the approval, which is in effect.
      return isOpen(tx.status) ? taken(deps, about, tx.id) : applied('it says nothing new');
    }
    const plan: Plan = (current) => planNamed(current, tx.id, outcome, deps.clock.now());
    return write(deps, payment, plan, 'named: it is reversed by its reference');
  }
  if (outcome.kind === 'approved') return taken(deps, about, tx.referenceId, outcome.ticket);
  const plan: Plan = (current) =>
    isReversing(current, tx.referenceId)
      ? planRefusedReversal(current, tx, { by, message: outcome.resultMessage }, deps.clock.now())
      : undefined;
  return write(deps, payment, plan, 'flagged: not reversed');
}

function contradicted(deps: UpdateDeps, { payment, tx }: About, said: string): Promise<Applied> {
  const plan: Plan = (current) => planReportedOtherwise(current, tx, deps.clock.now(), said);
  return write(deps, payment, plan, 'flagged: it was approved before');
}

const applyOutcome: Apply<OutcomeUpdate> = async (deps, about, { outcome: said, originalReference: by }) => {
  const { payment, tx } = about;
  const outcome = withoutWhole(said, sentAs(about));
  const problem = outcomeProblem(outcome, sentAs(about), isAttempt(tx) ? 'may-be-partial' : 'whole');
  if (problem !== undefined) return notBelieved(deps, about, problem);
  if (outcome.kind === 'pending') return hurry(deps, about);
  if (tx.kind === 'reversal' || isReversing(payment, tx.id)) return applyToReversal(deps, about, outcome, by);
  if (isOpen(tx.status)) return settleOpen(deps, about, outcome);
  if (statusOfOutcome[outcome.kind] === tx.status) {
    return isOtherPart(said, tx)
      ? contradicted(deps, about, 'approved for another amount')
      : applied('it says nothing new');
  }
  // Approved after it had failed, or was declined: taken back where nothing else hangs on it, else flagged.
  if (outcome.kind === 'approved') return settle(deps, about, outcome);
  if (tx.status !== 'approved') return applied('it had failed already');
  if (tx.kind === 'refund') return returned(deps, about, outcome);
  return contradicted(deps, about, outcome.kind);
};

/** Of the capture that the processor made of a purchase by itself: the purchase is what says that the money was taken. */
const applyOwnCapture: Apply<OutcomeUpdate> = async (deps, about, { outcome }) => {
  const { payment, tx } = about;
  if (payment.transactions.some(({ kind, referenceId }) => kind === 'reversal' && referenceId === tx.id))
    return applied('the purchase is taken back');
  if (tx.status !== 'approved') return later('its purchase is not approved');
  const sent = { ...sentAs(about), amountMinor: tx.approvedMinor ?? tx.amountMinor };
  const problem = outcomeProblem(outcome, sent, 'whole');
  if (problem !== undefined) return notBelieved(deps, about, problem);
  if (outcome.kind === 'approved' || outcome.kind === 'pending') return applied('it says nothing new');
  return contradicted(deps, about, `not captured (${outcome.resultMessage})`);
};

/** The processor is asked at once instead of later. */
const hurry = (deps: UpdateDeps, { payment, tx }: About): Promise<Applied> =>
  write(deps, payment, (current) => planHurry(current, tx.id, deps.clock.now()), 'asked at once');

const applyChanged: Apply<ChangedUpdate> = hurry;

async function returned(
  deps: UpdateDeps,
  { payment, tx, log }: About,
  said: Pick<RefundFailedUpdate, 'resultCode' | 'resultMessage'>,
): Promise<Applied> {
  const plan: Plan = (current) => {
    const known = current.transactions.find(({ id }) => id === tx.id);
    return known?.status === 'approved' ? planReturnedRefund(current, tx.id, said, planContext(deps)) : undefined;
  };
  if (!(await change(deps, payment, plan))) return applied('it says nothing new');
  log.error('refund.failed-later', { txId: tx.id });
  return applied('the refund was returned');
}

/** Processors that take a payment back by a refund say later that it failed: the money is still the merchant's, and a person gives it back. */
async function notReturned(
  deps: UpdateDeps,
  about: About,
  said: RefundFailedUpdate['about'],
  resultMessage: string,
): Promise<Applied> {
  const { payment, tx } = about;
  const problem = aboutProblem(said, sentAs(about));
  if (problem !== undefined) return notBelieved(deps, about, problem);
  const text =
    `${tx.referenceId} was taken back, and the refund for it failed (${resultMessage}): ` +
    'the payer does not have the money back; return it another way';
  await change(deps, payment, (current) => planAlert(current, deps.clock.now(), text));
  return flagged('the refund of a reversal failed');
}

const applyRefundFailed: Apply<RefundFailedUpdate> = async (deps, about, update) => {
  const { about: said, resultCode, resultMessage } = update;
  const { tx } = about;
  if (tx.kind === 'reversal') return notReturned(deps, about, said, resultMessage);
  if (tx.kind !== 'refund') return notBelieved(deps, about, 'it is no refund');
  const problem = aboutProblem(said, sentAs(about));
  if (problem !== undefined) return notBelieved(deps, about, problem);
  if (tx.status === 'approved') return returned(deps, about, { resultCode, resultMessage });
  if (!isOpen(tx.status)) return applied('it had failed already');
  const outcome = { kind: 'declined', error: 'declined-by-acquirer', resultCode, resultMessage } as const;
  return settleOpen(deps, about, outcome, (planned) => planned && failedLater(planned, tx.id));
};

const applyDispute: Apply<DisputeUpdate> = (deps, { payment }, update) => {
  const { disputeId: id, eventId: _event, key: _key, processorReference: _reference, kind: _kind, ...said } = update;
  const plan: Plan = (current) => planDispute(current, { id, ...said }, planContext(deps));
  return write(deps, payment, plan, `dispute ${said.status}`);
};

const appliers = {
  outcome: applyOutcome,
  changed: applyChanged,
  'refund-failed': applyRefundFailed,
  dispute: applyDispute,
} as const satisfies { [K in ProcessorUpdate['kind']]: Apply<Extract<ProcessorUpdate, { kind: K }>> };

async function apply(deps: UpdateDeps, row: ProcessorUpdateRow): Promise<Applied & { readonly paymentId?: string }> {
  const { update, processor, merchantId } = row;
  const named = await deps.payments.findForUpdate(processor, update);
  const operation = named && transactionNamed(named, update);
  const captured = operation ? undefined : await capturedByItself(deps.payments, row);
  const { payment, tx } = captured ?? { payment: named, tx: operation };
  // A processor says nothing of an attempt that went to another.
  if (!payment || !tx || routeOf(payment, tx.id).processor !== processor) {
    if (await isOnlyClosed(deps.payments, row)) return applied('nothing is reversed');
    return later('no payment is known by this key or reference');
  }
  if (merchantId !== undefined && payment.merchantId !== merchantId) {
    return flagged('it is about a payment of another merchant than the one whose secret signed it');
  }
  const log = deps.log.with({ paymentId: payment._id, txId: tx.id, traceId: row.traceId, kind: update.kind });
  const run = (captured ? applyOwnCapture : appliers[update.kind]) as Apply<ProcessorUpdate>;
  return { ...(await run(deps, { payment, tx, log }, update)), paymentId: payment._id };
}

async function note(
  deps: UpdateDeps,
  row: ProcessorUpdateRow,
  result: Awaited<ReturnType<typeof apply>>,
): Promise<void> {
  const { _id: id, tries, processor: code, traceId } = row;
  const { reason, paymentId } = result;
  const now = deps.clock.now();
  const waitMs = deps.schedule.updateAgainAfterMs[tries];
  if (result.kind === 'later' && waitMs !== undefined) return deps.updates.postpone(id, reason, after(now, waitMs));
  if (result.kind === 'applied') return deps.updates.settle(id, { status: 'applied', reason, paymentId }, now);
  await deps.updates.settle(id, { status: 'flagged', reason, paymentId }, now);
  deps.metrics.event('update-flagged');
  const { eventId, kind } = row.update;
  deps.log.error('update.needs-a-person', { code, eventId, kind, traceId, reason, ...(paymentId && { paymentId }) });
}

/** A nudge, or a find of the sweep. The claim is the guard, and applying is idempotent. */
export async function handleUpdate(deps: UpdateDeps, updateId: string): Promise<void> {
  const startedMs = performance.now();
  const row = await deps.updates.claim(updateId, deps.clock.now());
  if (!row) return;
  let result: Awaited<ReturnType<typeof apply>>;
  try {
    result = await apply(deps, row);
  } catch (error) {
    deps.log.error('update.not-applied', { code: row.processor, eventId: row.update.eventId, error });
    result = later(`it could not be applied: ${error instanceof Error ? error.name : 'error'}`);
  }
  await note(deps, row, result);
  const seconds = (performance.now() - startedMs) / 1000;
  deps.metrics.step({ pool: 'processor', job: 'apply-update', outcome: result.kind }, seconds);
}

/** What no nudge reached; returns how many there were. */
export async function applyForgotten(deps: UpdateDeps, now: Date): Promise<number> {
  const due = await deps.updates.findDue(now, limits.sweepPageMax);
  await Promise.all(
    due.map((id) =>
      handleUpdate(deps, id).catch((error: unknown) => deps.log.warn('update.not-looked-at', { eventId: id, error })),
    ),
  );
  return due.length;
}
