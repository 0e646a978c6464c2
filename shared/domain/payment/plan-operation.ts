/**
 * Plans a capture, cancellation or refund that a caller requests: what it changes, or why it is refused. Pure; the result is a
 * union, never an exception (docs/api.md#operations; docs/decisions.md, "Payments").
 */
import { defined } from '../defined.js';
import type { Metadata, OperationKind, Payment, Transaction, TransactionKind } from './payment.js';
import { isTransfer } from './plan-transfer.js';
import type { PaymentStatus } from './statuses.js';
import { newWork } from './work.js';

/** The caller's request, parsed. `amountMinor` absent: the largest possible amount. */
export interface OperationRequest {
  readonly referenceId: string;
  readonly amountMinor?: number | undefined;
  readonly reason?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly requestDigest: string;
  /** API key of the caller. */
  readonly actorKeyId?: string | undefined;
  /** The operation is refused in any other status, because the caller may not do it there. */
  readonly onlyWhile?: PaymentStatus | undefined;
}

export type OperationRefusal =
  /** Another operation of this payment is at the processor: the API waits a little, then answers 409. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'duplicate'; readonly existing: Transaction }
  | { readonly kind: 'wrong-state'; readonly message: string }
  | { readonly kind: 'amount'; readonly message: string }
  /** The payment has the maximum number of operations, or of characters in their descriptions and metadata. */
  | { readonly kind: 'full'; readonly message: string };

export type OperationPlan =
  | { readonly kind: 'planned'; readonly payment: Payment; readonly txId: string }
  | OperationRefusal;

/** Bounds of what operations add to a payment, which is one document: read and written whole, and shown in lists. */
export interface OperationBounds {
  readonly operationsMax: number;
  /** Characters of the descriptions and metadata of all operations together. */
  readonly operationTextMax: number;
}

export interface OperationContext {
  readonly bounds: OperationBounds;
  readonly now: Date;
  readonly txId: string;
  /** Until when the caller of the operation waits (`callerWaits`, `noCallerWaits`). */
  readonly awaitedUntil: Date;
}

interface Rule {
  readonly operation: OperationKind;
  readonly transaction: TransactionKind;
  readonly from: readonly PaymentStatus[];
  /** The most that can be moved, in minor units. */
  readonly available: (payment: Payment) => number;
  readonly wrongState: (status: PaymentStatus) => string;
  readonly tooMuch: string;
}

const rules = {
  capture: {
    operation: 'capture',
    transaction: 'capture',
    from: ['authorized'],
    available: (payment) => payment.authorizedMinor - payment.capturedMinor,
    wrongState: (status) => `Only an authorized payment can be captured; this one is ${status}.`,
    tooMuch: 'must not be more than the authorized amount',
  },
  cancellation: {
    operation: 'cancel',
    transaction: 'cancellation',
    from: ['authorized'],
    available: (payment) => payment.authorizedMinor,
    wrongState: (status) =>
      status === 'approved' || status === 'partially-refunded'
        ? 'The payment is captured: refund it instead.'
        : `Only an authorized payment can be cancelled; this one is ${status}.`,
    tooMuch: 'a cancellation is always full',
  },
  refund: {
    operation: 'refund',
    transaction: 'refund',
    from: ['approved', 'partially-refunded'],
    available: (payment) => payment.capturedMinor - payment.refundedMinor,
    wrongState: (status) =>
      status === 'authorized'
        ? 'The payment is not captured: cancel it instead.'
        : `Only an approved or partially refunded payment can be refunded; this one is ${status}.`,
    tooMuch: 'must not be more than what is left of the captured amount',
  },
} as const satisfies Record<string, Rule>;

/** A bank transfer has no hold: a cancellation closes its code, or returns its money. */
const transferCancellation: Rule = {
  operation: 'cancel',
  transaction: 'cancellation',
  from: ['pending', 'approved'],
  available: (payment) => payment.amount.totalMinor,
  wrongState: (status) =>
    status === 'partially-refunded'
      ? 'A part of the money went back already: refund the rest instead.'
      : `Only a pending or an approved bank transfer can be cancelled; this one is ${status}.`,
  tooMuch: 'a cancellation is always full',
};

export type CallerOperation = keyof typeof rules;

/** Returns the operation that the processor is asked to do. */
export const operationKindOf = (kind: CallerOperation) => rules[kind].operation;

const ruleOf = (payment: Payment, kind: CallerOperation): Rule =>
  kind === 'cancellation' && isTransfer(payment) ? transferCancellation : rules[kind];

/** Builds `capture:<ref>`, `cancellation:<ref>`, `refund:<ref>`: references are unique per client and kind of operation. */
export const refKey = (kind: CallerOperation | 'payment', referenceId: string) => `${kind}:${referenceId}`;

type OperationTexts = Pick<OperationRequest, 'description' | 'metadata'>;

const textLengthOf = ({ description = '', metadata = [] }: OperationTexts): number =>
  metadata.reduce((sum, { k, v }) => sum + k.length + v.length, description.length);

function refusalOfFull(
  payment: Payment,
  request: OperationRequest,
  bounds: OperationBounds,
): OperationRefusal | undefined {
  const { operationsMax, operationTextMax } = bounds;
  // Only what callers requested counts: transfers that a payer sends again and again must not keep a merchant from refunding.
  const operations = payment.transactions.filter(({ requestDigest }) => requestDigest !== undefined);
  if (operations.length >= operationsMax) {
    return { kind: 'full', message: `Operation limit reached: a payment takes at most ${operationsMax} operations.` };
  }
  const said = textLengthOf(request);
  if (said === 0 || operations.reduce((sum, tx) => sum + textLengthOf(tx), said) <= operationTextMax) return undefined;
  const message = `Metadata and descriptions of all operations of a payment have at most ${operationTextMax} characters.`;
  return { kind: 'full', message };
}

function refusalOf(
  payment: Payment,
  rule: Rule,
  request: OperationRequest,
  bounds: OperationBounds,
): OperationRefusal | undefined {
  const existing = payment.transactions.find(
    (tx) => tx.kind === rule.transaction && tx.referenceId === request.referenceId,
  );
  if (existing) return { kind: 'duplicate', existing };
  if (payment.purpose === 'verification') {
    const message = 'This is a verification: the gateway releases it, and no other operation is possible.';
    return { kind: 'wrong-state', message };
  }
  const { onlyWhile = payment.status } = request;
  if (payment.status !== onlyWhile || !rule.from.includes(payment.status)) {
    // A payment that is being captured may be refundable a moment later.
    if (rule.operation === 'refund' && payment.activeOp?.kind === 'capture') return { kind: 'busy' };
    return { kind: 'wrong-state', message: rule.wrongState(payment.status) };
  }
  if (payment.activeOp) return { kind: 'busy' };
  const available = rule.available(payment);
  if (request.amountMinor !== undefined && request.amountMinor > available) {
    return { kind: 'amount', message: rule.tooMuch };
  }
  return refusalOfFull(payment, request, bounds);
}

/** Reserves the money and adds the transaction and the work, all in one new state of the payment, or says why not. */
export function planOperation(
  payment: Payment,
  kind: CallerOperation,
  request: OperationRequest,
  context: OperationContext,
): OperationPlan {
  const rule = ruleOf(payment, kind);
  const refusal = refusalOf(payment, rule, request, context.bounds);
  if (refusal) return refusal;
  const amountMinor = request.amountMinor ?? rule.available(payment);
  const transaction: Transaction = {
    id: context.txId,
    kind: rule.transaction,
    referenceId: request.referenceId,
    amountMinor,
    status: 'created',
    createdAt: context.now,
    requestDigest: request.requestDigest,
    ...defined({
      actorKeyId: request.actorKeyId,
      reason: request.reason,
      description: request.description,
      metadata: request.metadata,
    }),
  };
  const planned: Payment = {
    ...payment,
    updatedAt: context.now,
    awaitedUntil: context.awaitedUntil,
    refKeys: [...payment.refKeys, refKey(kind, request.referenceId)],
    transactions: [...payment.transactions, transaction],
    heldMinor: rule.operation === 'cancel' ? 0 : amountMinor,
    activeOp: { txId: context.txId, kind: rule.operation },
    work: newWork(rule.operation, context.txId, context.now),
  };
  return { kind: 'planned', payment: planned, txId: context.txId };
}

/** Starts an operation of the gateway itself: delayed capture, expiry of a hold, release of a verification. */
export function planOwnOperation(
  payment: Payment,
  own: { readonly kind: 'capture' | 'cancel'; readonly reason: string; readonly endsAs?: 'expired' },
  context: { readonly now: Date; readonly txId: string },
): Payment {
  const capture = own.kind === 'capture';
  const transaction: Transaction = {
    id: context.txId,
    kind: capture ? 'capture' : 'cancellation',
    referenceId: context.txId,
    amountMinor: payment.authorizedMinor,
    status: 'created',
    createdAt: context.now,
    reason: own.reason,
  };
  return {
    ...payment,
    updatedAt: context.now,
    transactions: [...payment.transactions, transaction],
    heldMinor: capture ? payment.authorizedMinor : 0,
    activeOp: { txId: context.txId, kind: own.kind, ...(own.endsAs && { endsAs: own.endsAs }) },
    work: newWork(own.kind, context.txId, context.now),
  };
}
