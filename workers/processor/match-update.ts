/** Finds what an update is about: an operation of the core's, or one that the adapter or the processor did by itself. */

import { isAttempt, routeOf } from '../../shared/domain/payment/attempts.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { findTransaction } from '../../shared/domain/payment/transaction.js';
import type { ExternalOperation, ProcessorUpdate } from '../../shared/processors/updates.js';
import type { PaymentRepository } from '../../shared/store/payment.repository.js';
import type { ProcessorUpdateRow } from '../../shared/store/processor-update.model.js';

/** Finds the operation that an update names, by our key or else by the processor's reference. */
const transactionNamed = (payment: Payment, { key, processorReference }: ProcessorUpdate): Transaction | undefined =>
  findTransaction(payment, key) ??
  payment.transactions.find((tx) => processorReference !== undefined && tx.processorReference === processorReference);

/** Finds an operation that the processor repeated after it had failed: it has the same reference there. */
const madeAgain = (payment: Payment, { kind, processorReference }: Transaction): Transaction | undefined =>
  payment.transactions.find(
    (tx) => tx.status === 'approved' && tx.kind === kind && tx.processorReference === processorReference,
  );

/**
 * Finds the operation that an update is about. `undefined` when something done at the processor cannot be the named operation, because that was
 * declined.
 */
function operationOf(payment: Payment, update: ProcessorUpdate): Transaction | undefined {
  const named = transactionNamed(payment, update);
  if (named?.status !== 'denied') return named;
  if (update.done !== undefined) return undefined;
  // What fails after it was approved is not the one that was refused.
  const failsLater = update.kind === 'outcome' && update.afterApproval === true;
  return failsLater && named.processorReference !== undefined ? (madeAgain(payment, named) ?? named) : named;
}

type Payments = Pick<PaymentRepository, 'findForUpdate'>;

/**
 * Whether the update is about a reversal that the core never began: the adapter closed an operation there that is refused here. If the
 * closing failed, nothing has changed; if the closed operation is not refused here, the update still matters.
 */
async function isOnlyClosed(
  payments: Payments,
  { update, processor, merchantId }: ProcessorUpdateRow,
): Promise<boolean> {
  if (update.kind !== 'outcome' || update.original === undefined) return false;
  const key = update.original;
  const payment = await payments.findForUpdate(processor, { key });
  if (!payment || (merchantId !== undefined && payment.merchantId !== merchantId)) return false;
  const status = findTransaction(payment, key)?.status;
  return update.outcome.kind !== 'approved' || status === 'denied' || status === 'failed';
}

interface Found {
  readonly payment: Payment;
  readonly tx: Transaction;
}

/** Finds the purchase whose capture the update is about. The capture of a hold is an operation, which has its own key. */
async function capturedByItself(
  payments: Payments,
  { update, processor }: ProcessorUpdateRow,
): Promise<Found | undefined> {
  if (update.kind !== 'outcome' || update.purchase === undefined) return undefined;
  const key = update.purchase;
  const payment = await payments.findForUpdate(processor, { key });
  const tx = payment?.transactions.find(({ id, kind }) => id === key && kind === 'purchase');
  return payment && tx && { payment, tx };
}

/** Finds the payment to which something was done at the processor when no operation of ours fits. */
async function externalOperationOf(
  payments: Payments,
  { update: { done }, processor, merchantId }: ProcessorUpdateRow,
): Promise<(Found & { readonly done: ExternalOperation }) | undefined> {
  if (done === undefined) return undefined;
  const payment = await payments.findForUpdate(processor, { key: done.of, processorReference: done.of });
  if (!payment || (merchantId !== undefined && payment.merchantId !== merchantId)) return undefined;
  const tx = payment.transactions.filter(isAttempt).find((one) => [one.id, one.processorReference].includes(done.of));
  if (!tx || routeOf(payment, tx.id).processor !== processor) return undefined;
  return { payment, tx, done: { ...done, of: tx.id } };
}

export type UpdateMatch =
  | (Found & { readonly kind: 'operation' })
  /** The capture of a purchase, which the core does not ask for. */
  | (Found & { readonly kind: 'own-capture' })
  | (Found & { readonly kind: 'external-operation'; readonly done: ExternalOperation })
  /** The adapter closed an operation there that is refused here, so nothing changes. */
  | { readonly kind: 'only-closed' }
  | { readonly kind: 'unknown' };

/** Finds what an update is about. */
export async function matchUpdate(payments: Payments, row: ProcessorUpdateRow): Promise<UpdateMatch> {
  const { update, processor } = row;
  const payment = await payments.findForUpdate(processor, update);
  const tx = payment && operationOf(payment, update);
  const captured = tx ? undefined : await capturedByItself(payments, row);
  const found = tx
    ? ({ kind: 'operation', payment, tx } as const)
    : captured && { kind: 'own-capture' as const, ...captured };
  // A processor's update cannot be about an attempt that went to another processor.
  if (found && routeOf(found.payment, found.tx.id).processor === processor) return found;
  if (await isOnlyClosed(payments, row)) return { kind: 'only-closed' };
  const external = await externalOperationOf(payments, row);
  return external ? { kind: 'external-operation', ...external } : { kind: 'unknown' };
}
