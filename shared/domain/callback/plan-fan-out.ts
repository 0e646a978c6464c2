import type { Payment, PaymentEvent } from '../payment/payment.js';
import { type Delivery, deliveryId } from './delivery.js';

/** What the plan decides about a delivery; the store adds the event id and the state of sending. */
export type PlannedDelivery = Pick<
  Delivery,
  '_id' | 'paymentId' | 'clientId' | 'seq' | 'url' | 'host' | 'body' | 'resourceVersion' | 'createdAt'
>;

export interface FanOutPlan {
  /** Ascending by seq: a later event must never be stored before an earlier one. */
  readonly deliveries: readonly PlannedDelivery[];
  /** The payment afterwards; the same object when there is nothing to change. */
  readonly payment: Payment;
}

/** Whether an event is not announced: it has no subscriber, it was never visible, or the caller got it as its own answer. */
function isSilent(payment: Payment, event: PaymentEvent): boolean {
  return (
    payment.callbackUrl === undefined ||
    event.body === undefined ||
    event.passed === true ||
    (payment.answered ?? []).includes(event.seq)
  );
}

function planDelivery(payment: Payment, event: PaymentEvent): PlannedDelivery[] {
  if (isSilent(payment, event) || payment.callbackUrl === undefined || event.body === undefined) return [];
  return [
    {
      _id: deliveryId(payment._id, event.seq),
      paymentId: payment._id,
      clientId: payment.clientId,
      seq: event.seq,
      url: payment.callbackUrl,
      host: new URL(payment.callbackUrl).host,
      body: event.body,
      resourceVersion: event.seq,
      createdAt: event.at,
    },
  ];
}

function withoutBody({ body: _dropped, ...event }: PaymentEvent): PaymentEvent {
  return event;
}

/**
 * Decides which deliveries the events of a payment become at `now`, and what the payment is after they are stored.
 * Events are taken in order up to the first that has to be announced and may not be yet; a silent event holds up nothing.
 * Planning the same payment again gives the same deliveries, so a crash before the payment is saved is
 * harmless.
 */
export function planFanOut(payment: Payment, now: Date): FanOutPlan {
  const waiting = payment.events
    .filter((event) => event.seq > payment.fannedOutSeq)
    .sort((one, other) => one.seq - other.seq);
  const heldAt = waiting.findIndex((event) => event.notBefore > now && !isSilent(payment, event));
  const taken = heldAt < 0 ? waiting : waiting.slice(0, heldAt);
  const held = heldAt < 0 ? undefined : waiting[heldAt];
  const fannedOutSeq = taken.at(-1)?.seq ?? payment.fannedOutSeq;
  const announceAt = held?.notBefore;
  if (taken.length === 0 && payment.announceAt?.getTime() === announceAt?.getTime()) return { deliveries: [], payment };

  const { announceAt: _before, ...rest } = payment;
  return {
    deliveries: taken.flatMap((event) => planDelivery(payment, event)),
    payment: {
      ...rest,
      events: payment.events.map((event) => (event.seq <= fannedOutSeq ? withoutBody(event) : event)),
      fannedOutSeq,
      ...(announceAt && { announceAt }),
    },
  };
}
