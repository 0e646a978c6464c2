/** One operation of a payment at the processor, as it is stored in the payment. */
import { clearable, count, oneOf, optional, record, type Stored, text, time } from '../described.js';
import { routeTarget } from '../routing/payment-routing.js';
import { processorDetails } from './network-answer.js';
import { metadata } from './payment-amount.js';
import { transactionStatuses } from './statuses.js';

export const transactionKinds = ['purchase', 'authorization', 'capture', 'cancellation', 'refund', 'reversal'] as const;
export type TransactionKind = (typeof transactionKinds)[number];

export const transaction = record({
  /** `txn_…`; also the idempotency key at the processor. */
  id: text,
  kind: oneOf(...transactionKinds),
  referenceId: text,
  amountMinor: count,
  /** Currency of money that a payer sent in another currency than the payment's (ISO 4217). */
  currency: optional(text),
  status: oneOf(...transactionStatuses),
  createdAt: time,
  processedAt: clearable(time),
  /** ISO 8583 response code, for example `00`, `51`. */
  resultCode: optional(text),
  resultMessage: optional(text),
  /** Processor decline code, for example `insufficient_funds`. */
  declineCode: optional(text),
  /** Authorization code of the issuer. */
  authorization: optional(text),
  ...processorDetails,
  reason: optional(text),
  description: optional(text),
  metadata: optional(metadata),
  /** API key that requested the operation, or created the session that was paid; absent for operations of the gateway itself. */
  actorKeyId: optional(text),
  /** HMAC of the request of the operation: it distinguishes a repeated request from another one with the same reference. */
  requestDigest: optional(text),
  /** Error code of the caller's answer, when the operation did not succeed. */
  errorCode: optional(text),
  /** Route of an authorization or purchase that another route followed. */
  leftRoute: optional(record(routeTarget)),
  /** For a reversal: how often the processor accepted the request and then reported that it did not reverse. */
  refusals: optional(count),
  /** Why a person has to look at the transaction: it disagrees with the payment (late update, unconfirmed reversal). */
  flagged: optional(text),
});
export interface Transaction extends Stored<typeof transaction> {}

interface WithTransactions {
  readonly transactions: readonly Transaction[];
}

/** Returns the transaction with this id, which is also its key at the processor; `undefined`: the payment has none. */
export const findTransaction = (
  { transactions }: WithTransactions,
  txId: string | undefined,
): Transaction | undefined => transactions.find(({ id }) => id === txId);

/** Returns the payment with these fields changed in the transaction `txId`; other transactions stay as they are. */
export const changeTransaction = <P extends WithTransactions>(
  payment: P,
  txId: string,
  changes: Partial<Transaction>,
): P => ({
  ...payment,
  transactions: payment.transactions.map((tx) => (tx.id === txId ? { ...tx, ...changes } : tx)),
});
