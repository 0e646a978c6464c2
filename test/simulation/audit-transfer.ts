import type { Payment } from '../../shared/domain/payment/payment.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import { isFinal } from '../../shared/domain/payment/transitions.js';
import type { SimulatedBank } from './simulated-bank.js';
import type { World } from './world.js';

/** At rest: one end, the end that the bank's books ask for, and every transfer is a sale, returned, or flagged. */
export function auditTransfer(world: World, payment: Payment, bank: SimulatedBank): void {
  const { status, capturedMinor, refundedMinor, transactions, alerts = [], expiresAt, amount } = payment;
  if (payment.work) world.violated('rest', `${status} with ${payment.work.kind}`);
  if (!isFinal(status) && status !== 'approved') world.violated('rest', `the payment rests as ${status}`);
  if (transactions.some((tx) => isOpen(tx.status))) world.violated('rest', 'a transaction has no outcome');
  if (payment.transferChecks) world.violated('rest', 'checks are left');

  const inTime = bank.transfers.filter(({ paidAt }) => expiresAt !== undefined && paidAt <= expiresAt);
  const flagged = transactions.filter((tx) => tx.flagged !== undefined);
  const silentAtTheEnd = alerts.some(({ text }) => text.includes('did not answer when the code ran out'));
  const tickets = transactions
    .filter((tx) => tx.kind === 'purchase' && tx.status === 'approved')
    .map((tx) => tx.ticket);
  if (new Set(tickets).size !== tickets.length) world.violated('once', 'a transfer is recorded twice');
  if ((status === 'cancelled') !== bank.cancelled)
    world.violated('books', `${status}, bank cancelled: ${bank.cancelled}`);
  if (bank.cancelled) {
    if (capturedMinor !== refundedMinor) world.violated('books', 'cancelled, and not all of it went back');
    return;
  }
  const seen = capturedMinor - refundedMinor + flagged.reduce((sum, tx) => sum + tx.amountMinor, 0);
  if (seen !== bank.transfers.length * amount.totalMinor) {
    world.violated('books', `${status}: ${seen} seen, ${bank.transfers.length} transfers came`);
  }
  if (status === 'approved' && inTime.length === 0) world.violated('books', 'approved, but nothing came in time');
  if (status === 'expired' && inTime.length > 0 && !silentAtTheEnd)
    world.violated('books', 'expired, but paid in time');
  if (status === 'denied' && !bank.rejected) world.violated('books', 'denied, but the bank did not reject');
}
