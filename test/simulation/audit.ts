import type { Payment } from '../../shared/domain/payment/payment.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import { isFinal } from '../../shared/domain/payment/transitions.js';
import type { Booked } from './simulated-processor.js';
import type { World } from './world.js';

const sum = (entries: readonly Booked[]) => entries.reduce((total, { amountMinor }) => total + amountMinor, 0);

/** At rest: I5, and the payment says what the acquirer's books say, to the minor unit. */
export function audit(world: World, payment: Payment, books: readonly Booked[]): void {
  const { status, capturedMinor, refundedMinor, transactions, alerts = [] } = payment;
  const effects = books.filter(
    (entry) => entry.answer !== 'pending' && entry.answer.kind === 'approved' && !entry.reversed,
  );
  const of = (kind: Booked['kind']) => effects.filter((entry) => entry.kind === kind);
  const keys = effects.map(({ key }) => key);
  if (new Set(keys).size !== keys.length) world.violated('I5', 'one transaction had two approved effects');
  if (of('authorize').length > 1) world.violated('I5', 'the payer was charged twice');

  // An operation that cannot be resolved is shown to a person: its money is the person's to judge.
  const handedOver = alerts.length > 0;
  if (!handedOver && payment.work) world.violated('rest', `${status} with ${payment.work.kind}`);
  if (!handedOver && !isFinal(status) && status !== 'approved' && status !== 'partially-refunded') {
    world.violated('rest', `the payment rests as ${status}`);
  }
  const open = transactions.some((tx) => isOpen(tx.status));
  if (open && !payment.work) world.violated('rest', 'a transaction has no outcome');
  if (open || (handedOver && payment.work)) return;

  const paid = ['approved', 'partially-refunded', 'refunded'].includes(status);
  const oneStep = transactions[0]?.kind === 'purchase';
  const booked = oneStep ? sum(of('authorize')) : sum(of('capture'));
  if (booked !== (paid ? capturedMinor : 0))
    world.violated('books', `${status}, ${capturedMinor} captured, ${booked} booked`);
  if (sum(of('refund')) !== refundedMinor)
    world.violated('books', `${refundedMinor} refunded, ${sum(of('refund'))} booked`);
  if (status === 'failed' && of('authorize').length > 0) world.violated('books', 'failed, but the payer is charged');
  if (status === 'denied' && of('authorize').length > 0) world.violated('books', 'denied, but the payer is charged');
  if (paid && of('authorize').length === 0) world.violated('books', `${status}, but nobody was charged`);
  const released = of('cancel').length > 0;
  if (released && paid) world.violated('books', 'captured and cancelled');
  if ((status === 'cancelled' || status === 'expired') && !released && !handedOver)
    world.violated('books', `${status}, but the hold stands`);
}
