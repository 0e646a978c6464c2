/** Payments for tests of the domain, the store and the workers: whole documents, as the API writes them. */

import { limits } from '../../../config/limits.js';
import type { Moment } from '../../../shared/domain/payment/apply-moves.js';
import type { Payment, TransactionKind } from '../../../shared/domain/payment/payment.js';
import type { ProcessorContext } from '../../../shared/domain/payment/plan-context.js';
import {
  type CallerOperation,
  type OperationRequest,
  planOperation,
} from '../../../shared/domain/payment/plan-operation.js';
import { type Outcome, settle } from '../../../shared/domain/payment/settle.js';
import type { PaymentStatus } from '../../../shared/domain/payment/statuses.js';
import { newWork } from '../../../shared/domain/payment/work.js';
import { makeSchedule } from '../../../shared/domain/schedule.js';
import { newSeed } from '../../../shared/ids.js';

export const start = new Date('2026-03-04T05:06:07.000Z');
export const later = (ms: number, from = start) => new Date(from.getTime() + ms);

const envelope = (kid: string) =>
  ({ v: 1, alg: 'A256GCM', kid, iv: Buffer.alloc(12, 1), ct: Buffer.alloc(24, 2) }) as const;

/** A payment that was just accepted: `created`, its authorization due at once. */
export function createdPayment(more: Partial<Payment> = {}, kind: TransactionKind = 'purchase'): Payment {
  const tail = newSeed();
  const id = more._id ?? `pay_${tail}`;
  const now = more.createdAt ?? start;
  const after = (ms: number) => new Date(now.getTime() + ms);
  const txId = `txn_${tail}`;
  return {
    _id: id,
    clientId: 'cli_a',
    merchantId: 1001,
    traceId: `trace-${tail}`,
    purpose: 'payment',
    refKeys: [`payment:ref-${tail}`],
    requestDigest: 'digest',
    status: 'created',
    version: 1,
    writes: [],
    createdAt: now,
    updatedAt: now,
    referenceId: `ref-${tail}`,
    invoiceNumber: 'INV-1',
    flow: 'direct',
    processingMethod: 'api',
    amount: { totalMinor: 1050, currency: 'USD' },
    captureMethod: kind === 'purchase' ? 'automatic' : 'manual',
    paymentMethod: {
      id: 'visa',
      name: 'Visa',
      type: 'card',
      source: 'card',
      card: { brand: 'visa', last4: '4242', bin: '424242', expirationMonth: 12, expirationYear: 2034 },
    },
    processor: 'fake',
    acquirer: 'acquirer-a',
    authorizedMinor: 0,
    capturedMinor: 0,
    refundedMinor: 0,
    heldMinor: 0,
    transactions: [
      { id: txId, kind, referenceId: `ref-${tail}`, amountMinor: 1050, status: 'created', createdAt: now },
    ],
    work: newWork('authorize', txId, now),
    authorizeBy: after(limits.authorizeWithinMs),
    awaitedUntil: after(16_000),
    events: [],
    eventSeq: 0,
    fannedOutSeq: 0,
    card: envelope('card:1'),
    cvc: envelope('cvc:1'),
    cvcDestroyAt: after(limits.cvcDestroyMs),
    ...more,
  };
}

export const schedule = makeSchedule(limits, { timeScale: 1, processorTimeoutMs: 30_000 });

export const moment = (now = start): Moment => ({ now, renderCallback: (payment) => `body of ${payment.status}` });

let txIds = 0;
const newTxId = () => {
  txIds += 1;
  return `txn_next_${txIds}`;
};
const noTraits = { dedupes: false, tombstones: false, refundNeedsPan: false };

export function settleContext(now = start, more: Partial<ProcessorContext> = {}): ProcessorContext {
  return { ...moment(now), schedule, newTxId, traits: noTraits, ...more };
}

export function unresolvedContext(now = start, traits: Partial<ProcessorContext['traits']> = {}): ProcessorContext {
  return settleContext(now, { traits: { ...noTraits, ...traits } });
}

export const approved: Outcome = {
  kind: 'approved',
  resultCode: '00',
  resultMessage: 'Approved',
  authorization: 'A1B2C3',
  ticket: 'T-1',
};
export const declined: Outcome = {
  kind: 'declined',
  resultCode: '51',
  resultMessage: 'Insufficient funds',
  error: 'declined-by-acquirer',
  declineCode: 'insufficient_funds',
};
export const failed: Outcome = { kind: 'failed', resultCode: '91', resultMessage: 'Offline' };

export const firstTx = (payment: Payment) => payment.transactions[0] as Payment['transactions'][number];
export const lastTx = (payment: Payment) => payment.transactions.at(-1) as Payment['transactions'][number];

/** A purchase that was approved. */
export const approvedPayment = (more: Partial<Payment> = {}): Payment => {
  const payment = createdPayment(more);
  return settle(payment, firstTx(payment).id, approved, settleContext(payment.createdAt));
};
/** A hold that may be captured, cancelled or left to expire. */
export const authorizedPayment = (more: Partial<Payment> = {}): Payment => {
  const payment = createdPayment(more, 'authorization');
  return settle(payment, firstTx(payment).id, approved, settleContext(payment.createdAt));
};

/** With an operation of a caller that was just accepted; of all that is left, unless an amount is given. */
export function operated(
  payment: Payment,
  kind: CallerOperation,
  { now = start, txId = 'txn_op', ...request }: Partial<OperationRequest> & { now?: Date; txId?: string } = {},
): Payment {
  const context = { now, txId, awaitedUntil: now, bounds: limits };
  const plan = planOperation(payment, kind, { referenceId: 'op', requestDigest: 'd', ...request }, context);
  if (plan.kind !== 'planned') throw new Error(plan.kind);
  return plan.payment;
}

/** A payment in every status, without anything in flight; money as that status has it. */
export function paymentIn(status: PaymentStatus, more: Partial<Payment> = {}): Payment {
  const full = { authorizedMinor: 1050, capturedMinor: 1050 };
  const money: Partial<Record<PaymentStatus, Partial<Payment>>> = {
    authorized: { authorizedMinor: 1050, deadline: { kind: 'expire', at: later(60_000) }, expiresAt: later(60_000) },
    approved: full,
    'partially-refunded': { ...full, refundedMinor: 50 },
    refunded: { ...full, refundedMinor: 1050 },
  };
  const { work: _none, ...payment } = createdPayment();
  return { ...payment, status, ...money[status], ...more };
}

/** Every money bound of I7; answers what is broken, empty when nothing is. */
export function moneyProblems(payment: Payment): string[] {
  const { authorizedMinor, capturedMinor, refundedMinor, heldMinor, activeOp } = payment;
  const sums = { authorizedMinor, capturedMinor, refundedMinor, heldMinor };
  const problems = Object.entries(sums)
    .filter(([, value]) => !Number.isSafeInteger(value) || value < 0)
    .map(([name]) => `${name} is not a whole amount`);
  const capturing = activeOp?.kind === 'capture' ? heldMinor : 0;
  const refunding = activeOp?.kind === 'refund' ? heldMinor : 0;
  if (capturedMinor + capturing > authorizedMinor) problems.push('captured and held exceed authorized');
  if (refundedMinor + refunding > capturedMinor) problems.push('refunded and held exceed captured');
  if (heldMinor > 0 && !activeOp) problems.push('an amount is held without an operation');
  return problems;
}

/** Statuses of a payment whose money came in: which of them it has follows from how much of the money went back. */
const refundStatuses: readonly string[] = ['approved', 'partially-refunded', 'refunded'];
const refundStatusOf = ({ capturedMinor, refundedMinor }: Payment): PaymentStatus =>
  refundedMinor === 0 ? 'approved' : refundedMinor === capturedMinor ? 'refunded' : 'partially-refunded';

/** What I2 and I8 say about one document at rest; empty when it is healthy. */
export function stateProblems(payment: Payment): string[] {
  const { status, activeOp, work, deadline, events, eventSeq, transactions } = payment;
  const unsettled = status === 'created' || status === 'pending' || activeOp !== undefined;
  const problems = moneyProblems(payment);
  if (unsettled !== (work !== undefined)) problems.push(`${status} ${work ? 'with' : 'without'} work`);
  if (status === 'authorized' && !deadline) problems.push('authorized without a deadline');
  if (refundStatuses.includes(status) && status !== refundStatusOf(payment)) {
    problems.push(`${status} with ${payment.refundedMinor} of ${payment.capturedMinor} refunded`);
  }
  const open = transactions.some((tx) => tx.status === 'created' || tx.status === 'pending');
  if (open && !work) problems.push('an open transaction without work');
  const seqs = events.map((event) => event.seq);
  const first = eventSeq - events.length + 1;
  if (seqs.some((seq, index) => seq !== first + index)) problems.push(`events ${seqs} of ${eventSeq}`);
  if (events.length > 0 && events.at(-1)?.status !== status) problems.push('the newest event is not the status');
  return problems;
}
