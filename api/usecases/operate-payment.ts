/** Capture, cancellation and refund: reserve in one guarded write, let the worker do it, answer with what came of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { OperationBody } from '../../shared/contract/payment/operation-requests.schema.js';
import { fromMap } from '../../shared/contract/payment/present-payment.js';
import { amountProblems, parseAmount } from '../../shared/domain/money/amount.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import {
  type CallerOperation,
  type OperationRequest,
  type Plan,
  planOperation,
  refKey,
} from '../../shared/domain/payment/plan-operation.js';
import { idFrom, newTransactionId } from '../../shared/ids.js';
import { workPayment } from '../../shared/jobs/work-payment.job.js';
import { digestBody } from '../../shared/vault/body-digest.js';
import { answerOutcome, tellOnce } from './answer-outcome.js';
import { duplicateReference } from './duplicate-reference.js';
import type { Caller, PaymentDeps } from './payment-deps.js';
import { readPayment } from './read-payment.js';
import { resume } from './resume-request.js';

export type OperatePayment = (
  kind: CallerOperation,
  paymentId: string,
  body: OperationBody,
  caller: Caller,
) => Promise<Payment>;

/** Between two looks at a payment whose other operation is still at the processor. */
const BUSY_POLL_MS = 40;

function parseOperationAmount(payment: Payment, amount: string | undefined): number | undefined {
  if (amount === undefined) return undefined;
  const parsed = parseAmount(amount, payment.amount.currency);
  if (parsed.kind === 'amount') return parsed.minor;
  throw new GatewayError('payment-invalid-amount', { params: { amount: [amountProblems[parsed.problem]] } });
}

function toRequest(deps: PaymentDeps, kind: CallerOperation, payment: Payment, body: OperationBody): OperationRequest {
  return {
    referenceId: body.referenceId,
    amountMinor: parseOperationAmount(payment, body.amount),
    reason: body.reason,
    description: body.description,
    metadata: body.metadata && fromMap(body.metadata),
    requestDigest: digestBody(deps.config.digestKey, { kind, paymentId: payment._id, body }),
  };
}

function refusal(plan: Exclude<Plan, { kind: 'planned' }>, request: OperationRequest): GatewayError {
  switch (plan.kind) {
    case 'duplicate':
      return duplicateReference({
        id: plan.existing.id,
        status: plan.existing.status,
        sameRequest: plan.existing.requestDigest === request.requestDigest,
      });
    case 'amount':
      return new GatewayError('payment-invalid-amount', { params: { amount: [plan.message] } });
    case 'wrong-state':
    case 'full':
      return new GatewayError('conflict', { message: plan.message });
    case 'busy':
      return new GatewayError('conflict', {
        message: 'Another operation on this payment is still at the acquirer. Read the payment and try again.',
        retryAfterSeconds: 2,
      });
  }
}

/** The reference is used by another payment of the client: say by which operation. */
async function usedElsewhere(deps: PaymentDeps, payment: Payment, kind: CallerOperation, request: OperationRequest) {
  const holder = await deps.payments.findByRefKey(payment.clientId, refKey(kind, request.referenceId));
  const tx = holder?.transactions.find((known) => known.kind === kind && known.referenceId === request.referenceId);
  return duplicateReference({
    id: tx?.id ?? holder?._id ?? '',
    status: tx?.status ?? holder?.status ?? '',
    sameRequest: tx !== undefined && tx.requestDigest === request.requestDigest,
  });
}

interface Reserved {
  readonly payment: Payment;
  readonly txId: string;
  /** Sequence of the newest event before the operation. */
  readonly sinceSeq: number;
}

/** Writes the reservation; waits a little for another operation that is in flight; one caller of many wins. */
async function reserve(
  deps: PaymentDeps,
  kind: CallerOperation,
  start: Payment,
  request: OperationRequest,
  waitMs: number,
  ownTxId: string | undefined,
): Promise<Reserved> {
  const giveUpAt = performance.now() + limits.operationInFlightWaitMs;
  let payment = start;
  for (;;) {
    const now = deps.clock.now();
    const awaitedUntil = new Date(now.getTime() + waitMs + limits.announceAfterWaitMs);
    const txId = ownTxId ?? newTransactionId();
    const plan = planOperation(payment, kind, request, { now, txId, awaitedUntil, bounds: limits });
    if (plan.kind === 'planned') {
      const saved = await deps.payments.save(payment, plan.payment);
      if (saved === 'duplicate') throw await usedElsewhere(deps, payment, kind, request);
      if (saved !== 'conflict') return { payment: saved, txId: plan.txId, sinceSeq: payment.eventSeq };
    } else if (plan.kind === 'duplicate' && plan.existing.id === ownTxId) {
      // Another call with the same Idempotency-Key was quicker: its outcome is ours.
      return { payment, txId: plan.existing.id, sinceSeq: payment.eventSeq };
    } else if (plan.kind !== 'busy') {
      throw refusal(plan, request);
    }
    if (performance.now() > giveUpAt) throw refusal({ kind: 'busy' }, request);
    await pause(BUSY_POLL_MS * (0.5 + Math.random()));
    payment = (await deps.payments.findById(payment._id)) ?? payment;
  }
}

export function makeOperatePayment(deps: PaymentDeps): OperatePayment {
  return async (kind, paymentId, body, caller) => {
    const found = await readPayment(deps, paymentId, caller.principal);
    const ownTxId = caller.idempotency && idFrom('txn', caller.idempotency.seed);
    const made = found.transactions.find(({ id }) => id === ownTxId);
    if (made) return resume(deps, found, made.id, caller);
    const request = toRequest(deps, kind, found, body);
    const seat = deps.waitingRoom.enter();
    try {
      const { payment, txId, sinceSeq } = await reserve(deps, kind, found, request, seat.waitMs, ownTxId);
      const outcome = deps.outcomes.start(payment, txId);
      const { traceId } = caller;
      const hint = { paymentId, txId, gen: 1, traceId, replyTo: deps.outcomes.channel };
      void deps.hints.add(workPayment[payment.activeOp?.kind ?? 'inquire'], hint);
      const result = await outcome.wait(seat.waitMs);
      tellOnce(caller, deps.payments, result, sinceSeq);
      return answerOutcome(result, txId);
    } finally {
      seat.leave();
    }
  };
}
