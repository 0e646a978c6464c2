/**
 * Records what was done to a payment at the processor without the gateway, for example by a person in the processor's dashboard. The
 * payment then says what is true, and is flagged for a person. Pure.
 */
import { defined } from '../defined.js';
import { alerted, alertedOnce } from '../payment/alerted.js';
import { authorizationOf } from '../payment/attempts.js';
import { noCallerWaits } from '../payment/awaited.js';
import type { ExternalOperation } from '../payment/external-operation.js';
import type { Payment, Transaction } from '../payment/payment.js';
import type { ProcessorContext } from '../payment/plan-context.js';
import { releaseOf } from '../payment/plan-deadline.js';
import { type OperationBounds, planOwnOperation } from '../payment/plan-operation.js';
import { settle } from '../payment/settle.js';
import { isOpen } from '../payment/statuses.js';
import { responseCodes } from '../response-codes.js';
import { planImportedOperation } from './plan-import.js';

export type ExternalOperationPlan =
  | { readonly kind: 'planned'; readonly payment: Payment; readonly note: string }
  | { readonly kind: 'nothing' }
  /** An operation that is in progress, or not known yet, may be the same one or decide about it. */
  | { readonly kind: 'busy' };

const verbs = { capture: 'captured', cancellation: 'cancelled', refund: 'refunded' } as const;

/** Whether the gateway did it itself, or has recorded it before. */
function isKnown({ status, transactions, capturedMinor }: Payment, done: ExternalOperation): boolean {
  // What was not captured of a hold runs out too, and ends nothing.
  if (done.ranOut) return status !== 'authorized';
  if (done.kind === 'cancellation') return status === 'cancelled' || status === 'expired';
  if (done.processorReference === undefined) return done.kind === 'capture' && capturedMinor === done.amountMinor;
  // An operation that was denied may be made again under the same reference.
  return transactions.some(
    ({ kind, processorReference, status: became }) =>
      kind === done.kind && processorReference === done.processorReference && became !== 'denied',
  );
}

/** Whether a refund is known before its capture, which was done at the processor too: no processor refunds without one. */
const isEarly = ({ status }: Payment, { kind }: ExternalOperation): boolean =>
  kind === 'refund' && status === 'authorized';

const amountOf = (
  { authorizedMinor, capturedMinor, refundedMinor }: Payment,
  { kind, amountMinor }: ExternalOperation,
): number => amountMinor ?? (kind === 'refund' ? capturedMinor - refundedMinor : authorizedMinor);

/** Ends a hold that expired at the processor as the gateway's own limit does: no person did anything, and none has to. */
function ranOut(payment: Payment, context: ProcessorContext): Payment {
  const { now } = context;
  const txId = context.newTxId();
  const waiting = { ...payment, awaitedUntil: noCallerWaits(now) };
  const released = planOwnOperation(waiting, releaseOf(payment), { now, txId });
  const resultMessage = 'Approved: the hold ran out at the processor';
  return settle(released, txId, { kind: 'approved', resultCode: responseCodes.approved, resultMessage }, context);
}

function recorded(
  payment: Payment,
  tx: Transaction,
  done: ExternalOperation,
  context: ProcessorContext & { bounds: OperationBounds },
) {
  const { kind, currency = payment.amount.currency, processorReference } = done;
  const at = context.now.toISOString();
  const amountMinor = amountOf(payment, done);
  const entry = { at, kind, key: context.newTxId(), original: tx.id, amountMinor, currency, result: 'approved' };
  const outcome = {
    kind: 'approved',
    resultCode: responseCodes.approved,
    resultMessage: 'Approved: done at the processor',
    ...defined({ processorReference }),
  } as const;
  return planImportedOperation(payment, entry, outcome, context);
}

export function planExternalOperation(
  payment: Payment,
  done: ExternalOperation,
  context: ProcessorContext & { readonly bounds: OperationBounds },
): ExternalOperationPlan {
  const tx = authorizationOf(payment);
  if (tx?.id !== done.of || isKnown(payment, done)) return { kind: 'nothing' };
  if (isOpen(tx.status) || payment.activeOp || payment.work) return { kind: 'busy' };
  if (tx.status !== 'approved') return { kind: 'nothing' };
  if (isEarly(payment, done)) return { kind: 'busy' };
  if (done.ranOut) {
    return { kind: 'planned', payment: ranOut(payment, context), note: 'recorded: the hold ran out' };
  }
  const what = `${tx.kind} ${tx.id} was ${verbs[done.kind]} at the processor, not by this gateway`;
  const imported = recorded(payment, tx, done, context);
  if (imported.kind === 'imported') {
    const text = `${what}; the payment is ${imported.payment.status} now`;
    return {
      kind: 'planned',
      payment: alerted(imported.payment, context.now, text),
      note: 'recorded: done at the processor',
    };
  }
  const text = `${what}; the payment stays ${payment.status}: ${imported.reason}`;
  const flagged = alertedOnce(payment, context.now, text);
  if (flagged === payment) return { kind: 'nothing' };
  return { kind: 'planned', payment: { ...flagged, updatedAt: context.now }, note: 'flagged: done at the processor' };
}
