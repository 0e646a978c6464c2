/** Audits the end of a story: payments match the books of acquirer and bank to the minor unit, and no caller still waits for an answer. */
import { type Delivery, deliveryId } from '../../shared/domain/callback/delivery.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { authorizationOf } from '../../shared/domain/payment/attempts.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import { isFinal } from '../../shared/domain/payment/transitions.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import type { Session } from '../../shared/domain/session/session.js';
import type { Client } from './client.js';
import type { InvariantChecker } from './invariant-checker.js';
import type { SimulatedBank } from './simulated-bank.js';
import type { SimulatedStore } from './simulated-database.js';
import { type BookEntry, isApproved, type SimulatedAcquirer } from './simulated-processor.js';
import type { SimulatedReceiver } from './simulated-receiver.js';
import type { World } from './world.js';

interface AuditedStory {
  readonly world: World;
  readonly store: SimulatedStore;
  readonly checker: InvariantChecker;
  readonly acquirer: SimulatedAcquirer;
  readonly bank: SimulatedBank;
  readonly receiver: SimulatedReceiver;
  readonly client: Client;
}

const sum = (entries: readonly BookEntry[]) => entries.reduce((total, { amountMinor }) => total + amountMinor, 0);
const isPaid = ({ status }: Payment) => ['approved', 'partially-refunded', 'refunded'].includes(status);

export function auditStory(story: AuditedStory): void {
  const { world, store, acquirer, bank } = story;
  const payments = store.all<Payment>('payments').filter(({ merchantId }) => merchantId !== undefined);
  for (const payment of payments) {
    if (payment.flow === 'pos') auditTransfer(world, payment, bank);
    else auditCard(world, payment, acquirer.books);
  }
  const keys = new Set(payments.flatMap(({ transactions }) => transactions.map(({ id }) => id)));
  for (const { key, byHand } of acquirer.books)
    if (!byHand && !keys.has(key)) world.violated('books', `${key} belongs to no payment`);
  auditSavedCards(story, payments);
  auditSessions(story, payments);
  auditLinks(story, payments);
  auditAnswers(story, payments);
  auditCallbacks(story);
}

/** Checks I5, and that the payment matches the books. */
function auditCard(world: World, payment: Payment, books: readonly BookEntry[]): void {
  const { status, capturedMinor, refundedMinor, transactions, alerts = [] } = payment;
  const ids = new Set(transactions.map(({ id }) => id));
  const isOf = ({ key, original, byHand }: BookEntry) => ids.has(byHand ? (original ?? '') : key);
  const effects = books.filter((entry) => isOf(entry) && isApproved(entry));
  const effectsOf = (kind: BookEntry['kind']) => effects.filter((entry) => entry.kind === kind);
  const keys = effects.map(({ key }) => key);
  if (new Set(keys).size !== keys.length) world.violated('I5', 'one transaction had two approved effects');
  if (effectsOf('authorize').length > 1) world.violated('I5', 'the payer was charged twice');

  // An operation that cannot be resolved is shown to a person, who decides about its money.
  const handedOver = alerts.length > 0;
  if (!handedOver && payment.work) world.violated('rest', `${status} with ${payment.work.kind}`);
  if (!handedOver && (status === 'created' || status === 'pending')) world.violated('rest', `it rests as ${status}`);
  const open = transactions.some((tx) => isOpen(tx.status));
  if (open && !payment.work) world.violated('rest', 'a transaction has no outcome');
  if (open || (handedOver && payment.work)) return;

  const paid = isPaid(payment);
  const oneStep = transactions[0]?.kind === 'purchase';
  const booked = oneStep ? sum(effectsOf('authorize')) : sum(effectsOf('capture'));
  if (booked !== (paid ? capturedMinor : 0))
    world.violated('books', `${status}, ${capturedMinor} captured, ${booked} booked`);
  if (sum(effectsOf('refund')) !== refundedMinor)
    world.violated('books', `${refundedMinor} refunded, ${sum(effectsOf('refund'))} booked`);
  const charged = effectsOf('authorize').length > 0;
  if ((status === 'failed' || status === 'denied') && charged)
    world.violated('books', `${status}, but the payer is charged`);
  if ((paid || status === 'authorized') && !charged) world.violated('books', `${status}, but no payer was charged`);
  const released = effectsOf('cancel').length > 0;
  if (released && (paid || status === 'authorized')) world.violated('books', `${status} and cancelled`);
  if ((status === 'cancelled' || status === 'expired') && !released && !handedOver)
    world.violated('books', `${status}, but the hold stands`);
}

/** Checks that the payment has ended as the bank's books demand, and that every transfer is a sale, returned, or flagged. */
function auditTransfer(world: World, payment: Payment, bank: SimulatedBank): void {
  const { status, capturedMinor, refundedMinor, transactions, alerts = [], expiresAt, amount } = payment;
  if (payment.work) world.violated('rest', `${status} with ${payment.work.kind}`);
  if (!isFinal(status) && status !== 'approved') world.violated('rest', `the payment rests as ${status}`);
  if (transactions.some((tx) => isOpen(tx.status))) world.violated('rest', 'a transaction has no outcome');

  const inTime = bank.transfers.filter(({ paidAt }) => expiresAt !== undefined && paidAt <= expiresAt);
  const isChecked = payment.transferCheckAt === undefined;
  const flagged = transactions.filter((tx) => tx.flagged !== undefined);
  const bankWasSilentAtExpiry = alerts.some(({ text }) => text.includes('did not answer when the code expired'));
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
  const accountedMinor = capturedMinor - refundedMinor + flagged.reduce((total, tx) => total + tx.amountMinor, 0);
  const transferredMinor = bank.transfers.length * amount.totalMinor;
  // Checks that are still scheduled find late transfers.
  if (accountedMinor > transferredMinor || (accountedMinor < transferredMinor && isChecked))
    world.violated('books', `${status}: ${accountedMinor} seen, ${transferredMinor} came`);
  if (status === 'approved' && inTime.length === 0) world.violated('books', 'approved, but nothing came in time');
  if (status === 'expired' && inTime.length > 0 && !bankWasSilentAtExpiry)
    world.violated('books', 'expired, but paid in time');
  if (status === 'denied' && !bank.rejected) world.violated('books', 'denied, but the bank did not reject');
}

/** Checks that a token exists if its payment succeeded, and that it opens for its own client only. */
function auditSavedCards({ world, store }: AuditedStory, payments: readonly Payment[]): void {
  const saved = store.all<PaymentInstrument>('payment_instruments');
  for (const { tokenization, authorizedMinor } of payments) {
    if (!tokenization) continue;
    const isSaved = saved.some(({ _id }) => _id === tokenization.token);
    if (isSaved !== authorizedMinor > 0) world.violated('token', isSaved ? 'saved without success' : 'not saved');
  }
  if (new Set(saved.map(({ _id }) => _id)).size !== saved.length) world.violated('token', 'saved twice');
}

/** Checks that a session ended as its tries did, and that at most one of them brought money. */
function auditSessions({ world, store }: AuditedStory, payments: readonly Payment[]): void {
  const saved = store.all<PaymentInstrument>('payment_instruments');
  for (const session of store.all<Session>('sessions')) {
    const tries = payments.filter(({ sessionId }) => sessionId === session._id);
    const succeeded = tries.filter((payment) => authorizationOf(payment)?.status === 'approved');
    if (succeeded.length > 1) world.violated('session', 'two tries succeeded');
    const isDone = succeeded.length > 0 || saved.some(({ _id }) => _id === session.instrumentToken);
    if (isDone !== (session.status === 'completed')) world.violated('session', `${session.status}, done: ${isDone}`);
  }
}

/** Checks that a one-time link is paid at most once, and that its status says so. */
function auditLinks({ world, store }: AuditedStory, payments: readonly Payment[]): void {
  for (const link of store.all<PaymentLink>('payment_links')) {
    const paid = payments.filter((payment) => payment.paymentLink?.id === link._id && isPaid(payment));
    if (paid.length > 1) world.violated('link', `it was paid ${paid.length} times`);
    const isDisabled = link.status === 'disabled';
    // A payment that was in progress when the link was disabled may still succeed.
    if (!isDisabled && (paid.length === 1) !== (link.status === 'completed'))
      world.violated('link', `${link.status}, paid ${paid.length} times`);
  }
}

/** Checks I1: what a caller got as an answer is stored. */
function auditAnswers({ world, client }: AuditedStory, payments: readonly Payment[]): void {
  const references = new Set(
    payments.flatMap(({ transactions }) => transactions.map(({ kind, referenceId }) => `${kind} ${referenceId}`)),
  );
  for (const { paymentId, operation } of client.answers) {
    if (paymentId !== undefined && !payments.some(({ _id }) => _id === paymentId))
      world.violated('I1', `${paymentId} was answered, and is not stored`);
    if (operation && /^(capture|cancellation|refund) /.test(operation) && !references.has(operation))
      world.violated('I1', `${operation} was answered, and is not stored`);
  }
}

/** Checks that each event reached the receiver, or its caller as an answer, and that first deliveries of each payment came in order. */
function auditCallbacks({ world, store, checker, receiver, client }: AuditedStory): void {
  const ids = receiver.received.map(({ eventId }) => eventId);
  const stored = new Map(store.all<Delivery>('deliveries').map(({ _id, eventId }) => [_id, eventId]));
  const lastAt = new Map<string, number>();
  for (const { id, seq } of checker.expectedEvents) {
    const at = ids.indexOf(stored.get(deliveryId(id, seq)) ?? '');
    const answered = client.answers.some(({ paymentId, eventSeq = 0 }) => paymentId === id && eventSeq >= seq);
    if (at < 0 && !answered) world.violated('callback', `event ${seq} of ${id} never arrived`);
    if (at < 0) continue;
    if (at < (lastAt.get(id) ?? 0)) world.violated('callback', `event ${seq} of ${id} came before an earlier one`);
    lastAt.set(id, at);
  }
}
