/** The only place where the status of a payment changes: by moves of the table, each with one event. Pure. */
import { authorizationOf } from './attempts.js';
import { announceableFrom } from './awaited.js';
import type { Payment, PaymentEvent } from './payment.js';
import type { PaymentStatus } from './statuses.js';
import { isFinal, nextStatus, type PaymentEventName } from './transitions.js';

/** What a change needs from outside: the time, and how a callback body is rendered for a subscriber. */
export interface Moment {
  readonly now: Date;
  renderCallback(payment: Payment): string;
}

/** A move that the table does not have: a bug in the gateway. Nothing was changed. */
export class IllegalMoveError extends Error {
  constructor(
    readonly from: PaymentStatus,
    readonly event: PaymentEventName,
  ) {
    super(`a payment that is ${from} cannot be ${event}`);
    this.name = 'IllegalMoveError';
  }
}

const eventAt = (payment: Payment, seq: number, status: PaymentStatus, now: Date): PaymentEvent => ({
  seq,
  status,
  at: now,
  notBefore: announceableFrom(payment, now),
});

/** Whether callbacks are sent. For a link only about payments that succeeded, and their later changes; declines are not sent. */
const hasSubscriber = (payment: Payment): boolean =>
  payment.callbackUrl !== undefined && (!payment.paymentLink || authorizationOf(payment)?.status === 'approved');

/** Adds the callback body to the newest event and sets when it is due, if there is a subscriber. */
function announced(payment: Payment, moment: Moment): Payment {
  const last = payment.events.at(-1);
  if (!hasSubscriber(payment) || !last) return payment;
  const events = payment.events.with(-1, { ...last, body: moment.renderCallback(payment) });
  return { ...payment, events, announceAt: payment.announceAt ?? last.notBefore };
}

/** Events kept without a subscriber. Only a payment with a subscriber keeps all events until they are announced. */
const EVENTS_KEPT = 12;
const trimmed = (payment: Payment, events: readonly PaymentEvent[]) =>
  payment.callbackUrl ? events : events.slice(-EVENTS_KEPT);

/**
 * Applies `moves` in order. Only the last is announced: the others are never visible, because all happen in one write.
 * Call this function last, because the callback body shows the payment as it is then.
 * @throws {IllegalMoveError} when the table does not have one of the moves.
 */
export function applyMoves(payment: Payment, moves: readonly PaymentEventName[], moment: Moment): Payment {
  const events = [...payment.events];
  let { status, eventSeq } = payment;
  for (const [index, move] of moves.entries()) {
    const moved = nextStatus(status, move);
    if (!moved) throw new IllegalMoveError(status, move);
    status = moved;
    eventSeq += 1;
    const recorded = eventAt(payment, eventSeq, status, moment.now);
    events.push(index < moves.length - 1 ? { ...recorded, passed: true } : recorded);
  }
  const next: Payment = { ...payment, updatedAt: moment.now, status, eventSeq, events: trimmed(payment, events) };
  return announced(isFinal(status) ? { ...next, deadline: undefined } : next, moment);
}

/** Announces a change that does not change the status (an operation that was refused or failed after `pending`). */
export function announceUnchanged(payment: Payment, moment: Moment): Payment {
  const eventSeq = payment.eventSeq + 1;
  const events = [...payment.events, eventAt(payment, eventSeq, payment.status, moment.now)];
  const next: Payment = { ...payment, updatedAt: moment.now, eventSeq, events: trimmed(payment, events) };
  return announced(next, moment);
}

/** Returns the move that has to come first for a payment that is `created`. */
export const submittedFirst = ({ status }: Payment): readonly PaymentEventName[] =>
  status === 'created' ? ['submitted'] : [];

/** Makes a `created` payment `pending`: a payment that a caller may know is never `created`. */
export function submittedIfCreated(payment: Payment, moment: Moment): Payment {
  return payment.status === 'created' ? applyMoves(payment, ['submitted'], moment) : payment;
}
