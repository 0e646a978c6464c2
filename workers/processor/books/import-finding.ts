/** Imports what a processor's books have and the payments lack (`./gateway reconcile --import`). */

import { limits } from '../../../config/limits.js';
import { isAttempt } from '../../../shared/domain/payment/attempts.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { PlanContext } from '../../../shared/domain/payment/plan-context.js';
import { refKey } from '../../../shared/domain/payment/plan-operation.js';
import { isTransfer } from '../../../shared/domain/payment/plan-transfer.js';
import type { Outcome } from '../../../shared/domain/payment/settle.js';
import { findTransaction } from '../../../shared/domain/payment/transaction.js';
import type { BookEntry, Finding } from '../../../shared/domain/reconcile/compare-books.js';
import {
  type Imported,
  planImportedOperation,
  planImportedOutcome,
  planImportedTransfer,
} from '../../../shared/domain/reconcile/plan-import.js';
import { responseCodes } from '../../../shared/domain/response-codes.js';
import { answerProblem, withoutWhole } from '../../../shared/processors/check-answers.js';
import type { Processor } from '../../../shared/processors/processor.js';
import type { PaymentRepository } from '../../../shared/store/payment.repository.js';
import type { ReferenceReservations } from '../../../shared/store/reference-reservation.repository.js';
import { askBank } from '../../ask-bank.js';
import { inquireRequest } from '../processor-requests.js';

export interface ImportDeps {
  readonly payments: Pick<PaymentRepository, 'findById' | 'update'>;
  readonly reservations: Pick<ReferenceReservations, 'blockReference'>;
  /** Finds the client to which the merchant belongs. */
  clientOf(merchantId: number): Promise<string | undefined>;
  planContext(): PlanContext;
}

const TAKEN_BACK = 'only a part of it is approved, which the merchant did not ask for: it is taken back';

/** Note on a difference that is resolved. */
export const TAKEN_OVER = 'the payment has it now';

/** Whether the payment has the key as approved, like the processor. */
export const hasApproved = (payment: Payment, key: string): boolean =>
  findTransaction(payment, key)?.status === 'approved';

const byBooks = {
  resultCode: responseCodes.approved,
  resultMessage: 'Approved, by the books of the processor',
} as const;

type Done = { readonly kind: 'imported' | 'refused'; readonly note: string };

const needsAPerson: Partial<Record<Finding['kind'], string>> = {
  contradicted: 'ask the processor which is true; refund it there, or correct the merchant',
  missing: 'ask the processor which is true',
  'amount-differs': 'ask the processor which amount is true',
  doubled: 'have one of the two taken back at the processor',
};

/**
 * Compares a line of the books with an operation in flight; `undefined`: it fits. Only an authorization can be approved in part. For a
 * cancellation, or a verification, the amount means nothing.
 */
function problemOf(payment: Payment, { key, entry }: Finding): string | undefined {
  const { purpose, amount } = payment;
  const tx = findTransaction(payment, key);
  if (!tx || !entry || purpose === 'verification' || tx.kind === 'cancellation') return undefined;
  const sent = { key, amountMinor: tx.amountMinor, currency: amount.currency };
  const { amountMinor: approvedMinor, currency } = entry;
  const listed = withoutWhole({ kind: 'approved', ...byBooks, approvedMinor, about: { currency } }, sent);
  return answerProblem(listed, sent, isAttempt(tx) ? 'may-be-partial' : 'whole');
}

/** Returns the outcome: the processor's answer about the key, which says more than a line of its books; without an answer, the line. */
async function outcomeOf(processor: Processor, payment: Payment, { key, entry }: Finding): Promise<Outcome> {
  const named = { ...payment, transactions: [...payment.transactions, ...unnamed(payment, entry)] };
  const answer = processor.traits.inquiresBySending ? undefined : await processor.inquire(inquireRequest(named, key));
  if (answer?.kind === 'found' && answer.outcome.kind === 'approved') return answer.outcome;
  const asked = payment.purpose === 'payment' && payment.transactions.find((tx) => tx.id === key && isAttempt(tx));
  const part = asked && entry && entry.amountMinor < asked.amountMinor ? { approvedMinor: entry.amountMinor } : {};
  return { kind: 'approved', ...byBooks, ...part };
}

const asKind = { capture: 'capture', cancellation: 'cancellation', refund: 'refund' } as const;

/** Makes a transaction of the operation if the payment has none, to inquire about it. */
function unnamed(payment: Payment, entry: BookEntry | undefined): Payment['transactions'][number][] {
  const kind = asKind[entry?.kind as keyof typeof asKind];
  if (!entry || !kind || findTransaction(payment, entry.key)) return [];
  const { key: id, amountMinor, at } = entry;
  return [{ id, kind, referenceId: id, amountMinor, status: 'created', createdAt: new Date(at) }];
}

/** Settles what the gateway was about to do, or did, when the backup was made: it ended before what the processor did afterwards. */
async function settleInFlight(deps: ImportDeps, processor: Processor, payment: Payment, key: string): Promise<Payment> {
  const txId = payment.activeOp?.txId ?? payment.work?.txId;
  if (txId === undefined || txId === key || processor.traits.inquiresBySending) return payment;
  const answer = await processor.inquire(inquireRequest(payment, txId));
  if (answer.kind !== 'found' || answer.outcome.kind === 'pending') return payment;
  const { outcome } = answer;
  const context = { ...deps.planContext(), traits: processor.traits, bounds: limits };
  const settled = await deps.payments.update(payment, (current) => {
    const planned = planImportedOutcome(current, txId, outcome, context);
    return planned.kind === 'imported' ? planned.payment : undefined;
  });
  return settled ?? payment;
}

/** Records that a bank transfer was paid, if the backup has it as not paid and it was refunded since. */
async function settleTransfer(
  deps: ImportDeps,
  processor: Processor,
  payment: Payment,
  { entry }: Finding,
): Promise<Payment> {
  if (entry?.kind !== 'refund' || !isTransfer(payment)) return payment;
  const answer = await askBank(processor, payment, deps.planContext().now);
  if (!answer) return payment;
  const plan = (current: Payment) => planImportedTransfer(current, answer, deps.planContext());
  return (await deps.payments.update(payment, plan)) ?? payment;
}

async function importIntoPayment(deps: ImportDeps, processor: Processor, finding: Finding): Promise<Done> {
  const { key, entry, paymentId } = finding;
  const found = paymentId === undefined ? undefined : await deps.payments.findById(paymentId);
  const arrived = found && (await settleTransfer(deps, processor, found, finding));
  const payment = arrived && (await settleInFlight(deps, processor, arrived, key));
  if (!payment || !entry) return { kind: 'refused', note: 'what it acts on is not known: see the payment there' };
  const problem = finding.kind === 'not-settled' ? problemOf(payment, finding) : undefined;
  if (problem !== undefined) return { kind: 'refused', note: `${problem}: ask the processor which amount is true` };
  const outcome = await outcomeOf(processor, payment, finding);
  const context = { ...deps.planContext(), traits: processor.traits, bounds: limits };
  let planned: Imported | undefined;
  let isThere = false;
  await deps.payments.update(payment, (current) => {
    isThere = hasApproved(current, key);
    planned =
      finding.kind === 'not-settled'
        ? planImportedOutcome(current, key, outcome, context)
        : planImportedOperation(current, entry, outcome, context);
    return planned.kind === 'imported' ? planned.payment : undefined;
  });
  if (planned?.kind === 'imported') {
    const isReversing = planned.payment.work?.kind === 'reverse';
    return { kind: 'imported', note: isReversing ? TAKEN_BACK : TAKEN_OVER };
  }
  // Another operator, or an inquiry, was faster.
  if (isThere) return { kind: 'imported', note: TAKEN_OVER };
  return { kind: 'refused', note: planned?.reason ?? 'the payment is gone' };
}

/** Uses up the payment's reference: a request with it is answered 409 and not charged a second time. */
async function occupyReference(deps: ImportDeps, { entry }: Finding, processor: Processor): Promise<Done> {
  if (entry?.referenceId === undefined || entry.merchantId === undefined) {
    return {
      kind: 'refused',
      note: 'the processor does not say its reference: a request under it would be charged again',
    };
  }
  const clientId = await deps.clientOf(entry.merchantId);
  if (clientId === undefined) return { kind: 'refused', note: 'its merchant is not known' };
  const key = refKey('payment', entry.referenceId);
  await deps.reservations.blockReference(`books:${processor.code}:${entry.key}`, clientId, key);
  return {
    kind: 'imported',
    note: 'its reference is used up: charged no second time. Refund it there, or have it delivered',
  };
}

/** Imports one difference. `refused`: a person has to look at it. */
export async function importFinding(deps: ImportDeps, processor: Processor, finding: Finding): Promise<Done> {
  if (finding.kind === 'unknown-payment') return occupyReference(deps, finding, processor);
  if (finding.kind === 'unknown-operation' || finding.kind === 'not-settled') {
    return importIntoPayment(deps, processor, finding);
  }
  return { kind: 'refused', note: needsAPerson[finding.kind] ?? '' };
}
