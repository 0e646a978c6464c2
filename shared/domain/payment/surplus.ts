/** Money that arrived for a code and belongs to no sale (docs/decisions.md, "Surplus money"). Pure. */
import { responseCodes } from '../response-codes.js';
import { alerted } from './alerted.js';
import type { Payment, Transaction } from './payment.js';
import type { PlanContext } from './plan-context.js';

/** Money that arrived at the bank for a code. */
export interface Transfer {
  /** The bank's own number of it. */
  readonly id: string;
  /** When the payer paid, by the bank's clock. */
  readonly paidAt: Date;
  readonly amountMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
  /** It went back to the payer already, with a cancellation. */
  readonly returned: boolean;
}

/** Whether a transfer is what the sale asks for. */
export const fits = (payment: Payment, { amountMinor, currency, returned }: Transfer): boolean =>
  !returned && amountMinor === payment.amount.totalMinor && currency === payment.amount.currency;

function reasonOf(payment: Payment, transfer: Transfer): string {
  if (!fits(payment, transfer)) return 'paid-another-amount';
  if (payment.status === 'expired') return 'paid-after-expiry';
  return payment.capturedMinor > 0 ? 'paid-twice' : 'paid-after-end';
}

const recordOf = ({ transactions }: Payment, { id }: Transfer): Transaction | undefined =>
  transactions.find(({ kind, ticket, status }) => kind === 'purchase' && ticket === id && status === 'approved');

const toReturn = (reason: string) => `${reason}: to be refunded`;

/** Money that a person still has to send back to its payer. */
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

/** A bank that cancels gives back all that came. What was flagged for a person to send back must not be sent a second time. */
function withReturned(payment: Payment, { id }: Transfer, surplus: Transaction, context: PlanContext): Payment {
  const { reason = '' } = surplus;
  if (surplus.flagged !== toReturn(reason)) return payment;
  const returned: Transaction = {
    ...surplus,
    resultMessage: 'Paid; returned by the bank',
    flagged: `${reason}: returned by the bank`,
  };
  const transactions = payment.transactions.map((tx) => (tx === surplus ? returned : tx));
  const text = `transfer ${id} was returned by the bank: it must not be sent back again`;
  return alerted({ ...payment, transactions }, context.now, text);
}

/** Money that belongs to no sale is written down and flagged for refund; nothing of the payment moves by it. */
export function recordSurplus(payment: Payment, transfers: readonly Transfer[], context: PlanContext): Payment {
  return transfers.reduce((current, transfer) => {
    const known = recordOf(current, transfer);
    if (known) return transfer.returned ? withReturned(current, transfer, known, context) : current;
    return transfer.returned ? current : withSurplus(current, transfer, reasonOf(payment, transfer), context);
  }, payment);
}
