/** Capture, cancellation and refund: reserve in one guarded write, let a worker do it, answer with the outcome. */

import { limits } from '../../config/limits.js';
import { pause } from '../../shared/clock.js';
import { conflict, GatewayError } from '../../shared/contract/gateway-error.js';
import { fromMap } from '../../shared/contract/present-payment.js';
import { amountProblems, parseAmount } from '../../shared/domain/money/amount.js';
import { callerWaits, noCallerWaits } from '../../shared/domain/payment/awaited.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import {
  type CallerOperation,
  type OperationPlan,
  type OperationRequest,
  operationKindOf,
  planOperation,
  refKey,
} from '../../shared/domain/payment/plan-operation.js';
import { findTransaction } from '../../shared/domain/payment/transaction.js';
import type { Principal } from '../../shared/domain/principal.js';
import { idFrom, newTransactionId } from '../../shared/ids.js';
import { lacks } from '../../shared/processors/capabilities.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { duplicateReference } from '../http/duplicate-reference.js';
import { waitLeft } from './admission-limit.js';
import { answerRepeatedCall, awaitAnswer } from './answer-outcome.js';
import { digestBody } from './body-digest.js';
import type { OperationBody } from './operation-requests.schema.js';
import { readPayment } from './read-payment.js';

/** @throws {GatewayError} `conflict` when the processor of the payment has no such operation. */
export function refuseUnableOperation(kind: CallerOperation, processor: string, isLacking = lacks): void {
  const operation = operationKindOf(kind);
  if (!isLacking(processor, operation)) return;
  throw conflict(`The processor of this payment cannot ${operation} it.`);
}

function parseOperationAmount(payment: Payment, amount: string | undefined): number | undefined {
  if (amount === undefined) return undefined;
  const parsed = parseAmount(amount, payment.amount.currency);
  if (parsed.kind === 'amount') return parsed.minor;
  throw new GatewayError('payment-invalid-amount', { params: { amount: [amountProblems[parsed.problem]] } });
}

function toRequest(deps: ApiDeps, kind: CallerOperation, payment: Payment, body: OperationBody): OperationRequest {
  return {
    referenceId: body.referenceId,
    amountMinor: parseOperationAmount(payment, body.amount),
    reason: body.reason,
    description: body.description,
    metadata: body.metadata && fromMap(body.metadata),
    requestDigest: digestBody(deps.config.digestKey, { kind, paymentId: payment._id, body }),
  };
}

function refusal(plan: Exclude<OperationPlan, { kind: 'planned' | 'duplicate' }>): GatewayError {
  switch (plan.kind) {
    case 'amount':
      return new GatewayError('payment-invalid-amount', { params: { amount: [plan.message] } });
    case 'wrong-state':
    case 'full':
      return conflict(plan.message);
    case 'busy':
      return new GatewayError('conflict', {
        message: 'Another operation on this payment is still in progress. Read the payment and retry.',
        retryAfterSeconds: limits.retryAfterPaymentSeconds,
      });
  }
}

/** Builds the error for a reference that another operation has, of this payment or of another payment of the client. */
async function usedReference(
  { references }: Pick<ApiDeps, 'references'>,
  holder: Payment | undefined,
  { kind, request, principal }: OperationCall,
): Promise<GatewayError> {
  const { referenceId, requestDigest } = request;
  const tx = holder?.transactions.find((known) => known.kind === kind && known.referenceId === referenceId);
  return duplicateReference(principal, {
    id: tx?.id ?? holder?._id ?? '',
    status: tx?.status ?? holder?.status ?? '',
    sameRequest: await references.isSame(
      principal.clientId,
      refKey(kind, referenceId),
      tx?.requestDigest,
      requestDigest,
    ),
    merchantId: holder?.merchantId,
  });
}

/** Marks an operation by a payer on a page. Its outcome is in no answer to the merchant, so every change is announced by callback. */
export interface ByPayer {
  /** The only status of the payment in which the operation is allowed, regardless of what the page showed before. */
  readonly onlyWhile: NonNullable<OperationRequest['onlyWhile']>;
}

/** The requested operation, and its caller. */
interface OperationCall {
  readonly kind: CallerOperation;
  readonly request: OperationRequest;
  readonly principal: Principal;
  readonly byPayer: ByPayer | undefined;
  /** Id of the transaction, derived from the caller's Idempotency-Key; `undefined`: there is no key, and the id is new. */
  readonly ownTxId: string | undefined;
}

/** Throws for every refusal except that another operation is in flight. @throws {GatewayError} */
async function refuseUnlessBusy(
  deps: Pick<ApiDeps, 'references'>,
  plan: Exclude<OperationPlan, { kind: 'planned' }>,
  payment: Payment,
  asked: OperationCall,
): Promise<void> {
  if (plan.kind === 'duplicate') throw await usedReference(deps, payment, asked);
  if (plan.kind !== 'busy') throw refusal(plan);
}

interface Reserved {
  readonly payment: Payment;
  readonly txId: string;
  /** Sequence of the newest event before the operation. */
  readonly sinceSeq: number;
}

/** Writes the reservation. Waits briefly for another operation in flight; of several callers at once, one wins. */
async function reserve(deps: ApiDeps, start: Payment, asked: OperationCall, waitMs: number): Promise<Reserved> {
  const { kind, request, byPayer, ownTxId } = asked;
  const giveUpAt = performance.now() + limits.operationInFlightWaitMs;
  let payment = start;
  for (;;) {
    const now = deps.clock.now();
    const awaitedUntil = byPayer ? noCallerWaits(now) : callerWaits(now, waitMs, limits.announceAfterWaitMs);
    const txId = ownTxId ?? newTransactionId();
    const plan = planOperation(payment, kind, request, { now, txId, awaitedUntil, bounds: limits });
    if (plan.kind === 'planned') {
      const saved = await deps.payments.save(payment, plan.payment);
      if (saved === 'duplicate') {
        const holder = await deps.payments.findByRefKey(payment.clientId, refKey(kind, request.referenceId));
        throw await usedReference(deps, holder, asked);
      }
      if (saved !== 'conflict') return { payment: saved, txId: plan.txId, sinceSeq: payment.eventSeq };
    } else if (plan.kind === 'duplicate' && plan.existing.id === ownTxId) {
      // Another call with the same Idempotency-Key was faster: its outcome is the outcome of this call.
      return { payment, txId: plan.existing.id, sinceSeq: payment.eventSeq };
    } else {
      await refuseUnlessBusy(deps, plan, payment, asked);
    }
    if (performance.now() > giveUpAt) throw refusal({ kind: 'busy' });
    await pause(limits.busyPollMs * (0.5 + Math.random()));
    payment = (await deps.payments.findById(payment._id)) ?? payment;
  }
}

/** The operation that a caller requests. */
interface RequestedOperation {
  readonly kind: CallerOperation;
  readonly paymentId: string;
  readonly body: OperationBody;
  /** Absent: the merchant requests it. */
  readonly byPayer?: ByPayer;
}

/**
 * Reserves the operation in one guarded write, lets a worker do it, and answers with the outcome.
 * @throws {GatewayError} as the endpoints of captures, cancellations and refunds declare
 */
export async function operatePayment(
  deps: ApiDeps,
  { kind, paymentId, body, byPayer }: RequestedOperation,
  caller: Caller,
): Promise<Payment> {
  const found = await readPayment(deps, paymentId, caller.principal);
  const ownTxId = caller.idempotency && idFrom('txn', caller.idempotency.seed);
  const made = findTransaction(found, ownTxId);
  if (made) return answerRepeatedCall(deps, found, made.id, caller);
  refuseUnableOperation(kind, found.processor);
  const request = { ...toRequest(deps, kind, found, body), actorKeyId: caller.principal.keyId, ...byPayer };
  const slot = deps.admissionLimit.enter();
  try {
    const asked = { kind, request, principal: caller.principal, byPayer, ownTxId };
    const left = waitLeft(slot.waitMs);
    const { payment, txId, sinceSeq } = await reserve(deps, found, asked, slot.waitMs);
    return await awaitAnswer(deps, payment, caller, { txId, waitMs: left(), sinceSeq });
  } finally {
    slot.leave();
  }
}
