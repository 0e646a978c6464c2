/**
 * Applies an update that a processor sent by itself; one that is late, repeated or out of order changes nothing. Each kind has a function
 * that applies it.
 */
import { planDispute } from '../../shared/domain/payment/plan-dispute.js';
import { planReview } from '../../shared/domain/payment/plan-review.js';
import { planAlert } from '../../shared/domain/payment/plan-update.js';
import { after } from '../../shared/domain/time.js';
import type {
  DisputeUpdate,
  FraudReportUpdate,
  ProcessorUpdate,
  ReviewUpdate,
} from '../../shared/processors/updates.js';
import type { ProcessorUpdateRow } from '../../shared/store/processor-update.model.js';
import { type Plan, planContext } from '../payment-work.js';
import { workPage } from '../sweep-parts.js';
import { applyExternalOperation } from './apply-external-operation.js';
import { applyChanged, applyOutcome, applyOwnCapture, applyRefundFailed } from './apply-operation-update.js';
import { matchUpdate } from './match-update.js';
import {
  type ApplyUpdate,
  applied,
  changeBy,
  flagged,
  later,
  type UpdateDeps,
  type UpdateResult,
  type UpdateSubject,
} from './update-result.js';

const applyDispute: ApplyUpdate<DisputeUpdate> = (deps, { payment }, update) => {
  const { disputeId: id, eventId: _event, key: _key, processorReference: _reference, kind: _kind, ...said } = update;
  const plan: Plan = (current) => planDispute(current, { id, ...said }, planContext(deps));
  return changeBy(deps, payment, plan, `dispute ${said.status}`);
};

/** Alerts a person: a refund before a chargeback is cheaper. If all the money is back already, there is nothing to decide. */
const applyFraudReport: ApplyUpdate<FraudReportUpdate> = (deps, { payment, tx }, { reason }) => {
  const why = reason === undefined ? '' : ` (${reason})`;
  const text = `the issuer reports ${tx.kind} ${tx.id} as fraud${why}; a chargeback may follow`;
  const plan: Plan = (current) =>
    current.status === 'refunded' ? undefined : planAlert(current, deps.clock.now(), text);
  return changeBy(deps, payment, plan, 'fraud reported');
};

/** Alerts a person to a manual review at the processor, and to its end. */
const applyReview: ApplyUpdate<ReviewUpdate> = (deps, { payment, tx }, { state }) =>
  changeBy(deps, payment, (current) => planReview(current, tx, state, deps.clock.now()), `review ${state}`);

const appliers = {
  outcome: applyOutcome,
  changed: applyChanged,
  'refund-failed': applyRefundFailed,
  dispute: applyDispute,
  'fraud-report': applyFraudReport,
  review: applyReview,
} as const satisfies { [K in ProcessorUpdate['kind']]: ApplyUpdate<Extract<ProcessorUpdate, { kind: K }>> };

const subjectOf = (
  deps: UpdateDeps,
  { traceId, update: { kind } }: ProcessorUpdateRow,
  { payment, tx }: Pick<UpdateSubject, 'payment' | 'tx'>,
): UpdateSubject => ({ payment, tx, log: deps.log.with({ paymentId: payment._id, txId: tx.id, traceId, kind }) });

async function applyRow(
  deps: UpdateDeps,
  row: ProcessorUpdateRow,
): Promise<UpdateResult & { readonly paymentId?: string }> {
  const { update, merchantId } = row;
  const match = await matchUpdate(deps.payments, row);
  if (match.kind === 'only-closed') return applied('nothing is reversed');
  if (match.kind === 'unknown') {
    const isLastTry = deps.schedule.updateAgainAfterMs[row.tries] === undefined;
    if (update.mayBeForeign && isLastTry) return applied('it is about nothing that the gateway asked for');
    return later('no payment is known by this key or reference');
  }
  const { payment } = match;
  const subject = subjectOf(deps, row, match);
  if (match.kind === 'external-operation') {
    return { ...(await applyExternalOperation(deps, subject, match.done)), paymentId: payment._id };
  }
  if (merchantId !== undefined && payment.merchantId !== merchantId) {
    return flagged('it is about a payment of another merchant than the one whose secret signed it');
  }
  const applier = (
    match.kind === 'own-capture' ? applyOwnCapture : appliers[update.kind]
  ) as ApplyUpdate<ProcessorUpdate>;
  return { ...(await applier(deps, subject, update)), paymentId: payment._id };
}

async function noteResult(
  deps: UpdateDeps,
  row: ProcessorUpdateRow,
  result: Awaited<ReturnType<typeof applyRow>>,
): Promise<void> {
  const { tries, processor: code, traceId } = row;
  const { reason, paymentId } = result;
  const now = deps.clock.now();
  const waitMs = deps.schedule.updateAgainAfterMs[tries];
  if (result.kind === 'later' && waitMs !== undefined) return deps.updates.postpone(row, reason, after(now, waitMs));
  const status = result.kind === 'applied' ? 'applied' : 'flagged';
  const isSettled = await deps.updates.settle(row, { status, reason, paymentId }, now);
  // When another process claimed it meanwhile, that one says how it ended.
  if (status === 'applied' || !isSettled) return;
  deps.metrics.event('update-flagged');
  const { eventId, kind } = row.update;
  deps.log.error('update.needs-a-person', { code, eventId, kind, traceId, reason, ...(paymentId && { paymentId }) });
}

/** Handles a nudge, or an update that the sweep found. The claim is the guard, and applying is idempotent. */
export async function handleUpdate(deps: UpdateDeps, updateId: string): Promise<void> {
  const startedMs = performance.now();
  const row = await deps.updates.claim(updateId, deps.clock.now());
  if (!row) return;
  let result: Awaited<ReturnType<typeof applyRow>>;
  try {
    result = await applyRow(deps, row);
  } catch (error) {
    deps.log.error('update.not-applied', { code: row.processor, eventId: row.update.eventId, error });
    result = later(`it could not be applied: ${error instanceof Error ? error.name : 'error'}`);
  }
  await noteResult(deps, row, result);
  const seconds = (performance.now() - startedMs) / 1000;
  deps.metrics.step({ pool: 'processor', job: 'apply-update', outcome: result.kind }, seconds);
}

/** Applies the updates that no nudge started; returns how many there were. */
export async function applyForgotten(deps: UpdateDeps, now: Date): Promise<number> {
  return workPage(
    (limit, skip) => deps.updates.findDue(now, limit, skip),
    (id) =>
      handleUpdate(deps, id).then(
        () => true,
        (error: unknown) => {
          deps.log.warn('update.not-looked-at', { eventId: id, error });
          return false;
        },
      ),
  );
}
