/** Money that arrived for a code and belongs to no sale (docs/decisions.md, "Surplus money"). Pure. */
import { responseCodes } from '../response-codes.js';
import { alerted } from './alerted.js';
import type { Payment, Transaction } from './payment.js';
import type { PlanContext } from './plan-context.js';

/** Money that arrived at the bank for a code. */
export interface Transfer {
  /** The bank's own number of the transfer. */
  readonly id: string;
  /** When the payer paid, by the bank's clock. */
  readonly paidAt: Date;
  readonly amountMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
  /** Whether the money went back to the payer already, with a cancellation. */
  readonly returned: boolean;
}

/** Whether a transfer pays the sale: not returned, and with its amount and currency. */
export const paysSale = (payment: Payment, { amountMinor, currency, returned }: Transfer): boolean =>
  !returned && amountMinor === payment.amount.totalMinor && currency === payment.amount.currency;

function reasonOf(payment: Payment, transfer: Transfer): string {
  if (!paysSale(payment, transfer)) return 'paid-another-amount';
  if (payment.status === 'expired') return 'paid-after-expiry';
  return payment.capturedMinor > 0 ? 'paid-twice' : 'paid-after-end';
}

const transactionOf = ({ transactions }: Payment, { id }: Transfer): Transaction | undefined =>
  transactions.find(({ kind, ticket, status }) => kind === 'purchase' && ticket === id && status === 'approved');

const toReturn = (reason: string) => `${reason}: to be refunded`;

/** Whether a person still has to send the money back to the payer. */
export const isToReturn = ({ reason, flagged }: Transaction): boolean =>
  reason !== undefined && flagged === toReturn(reason);

function withSurplus(payment: Payment, transfer: Transfer, reason: string, context: PlanContext): Payment {
  const surplus: Transaction = {
    id: context.newTxId(),
    kind: 'purchase',
    referenceId: payment.referenceId,
    amountMinor: transfer.amountMinor,
    ...(transfer.currency !== payment.amount.currency && { currency: transfer.currency }),
    status: 'approved',
    createdAt: transfer.paidAt,
    processedAt: context.now,
    resultCode: responseCodes.approved,
    resultMessage: 'Paid; to be refunded',
    ticket: transfer.id,
    reason,
    flagged: toReturn(reason),
  };
  const text = `transfer ${transfer.id} is ${reason.replaceAll('-', ' ')}: the money has to go back to the payer`;
  return alerted({ ...payment, transactions: [...payment.transactions, surplus] }, context.now, text);
}

const RETURNED = 'returned by the bank';

function markReturned(payment: Payment, tx: Transaction, flagged: string, text: string, { now }: PlanContext): Payment {
  const returned: Transaction = { ...tx, resultMessage: `Paid; ${RETURNED}`, flagged };
  const transactions = payment.transactions.map((known) => (known === tx ? returned : known));
  return alerted({ ...payment, transactions }, now, text);
}

/** Whether the merchant counts on the money: the gateway has neither cancelled nor fully refunded the payment. */
const isKept = ({ status }: Payment): boolean => status === 'approved' || status === 'partially-refunded';

/**
 * Notes that the bank returned a transfer. A bank that cancels returns all money that came, so money that was flagged to be sent back must
 * not be sent a second time. If the bank returned the sale unasked, or by a cancellation that is not known here, the merchant may have
 * delivered unpaid.
 */
function withReturned(payment: Payment, { id }: Transfer, tx: Transaction, context: PlanContext): Payment {
  const { reason, flagged } = tx;
  if (isToReturn(tx)) {
    const text = `transfer ${id} was ${RETURNED}: it must not be sent back again`;
    return markReturned(payment, tx, `${reason}: ${RETURNED}`, text, context);
  }
  if (reason !== undefined || flagged !== undefined || !isKept(payment)) return payment;
  const text = `transfer ${id} was ${RETURNED} without a cancellation: the merchant may have delivered unpaid`;
  return markReturned(payment, tx, RETURNED, text, context);
}

/** Records money that belongs to no sale and flags it for refund. Amounts and status of the payment do not change. */
export function recordSurplus(payment: Payment, transfers: readonly Transfer[], context: PlanContext): Payment {
  return transfers.reduce((current, transfer) => {
    const known = transactionOf(current, transfer);
    if (known) return transfer.returned ? withReturned(current, transfer, known, context) : current;
    return transfer.returned ? current : withSurplus(current, transfer, reasonOf(payment, transfer), context);
  }, payment);
}
