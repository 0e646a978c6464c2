/** Manual reviews at the processor: the alerts, once each, in whatever order the updates come. */
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { planReview, type ReviewState } from '../../../shared/domain/payment/plan-review.js';
import { approvedPayment, firstTx } from './a-payment.js';

const now = new Date('2026-11-28T12:00:00Z');
const after = (payment: Payment, ...states: readonly ReviewState[]): Payment =>
  states.reduce((current, state) => planReview(current, firstTx(payment), state, now) ?? current, payment);
const textsOf = ({ alerts = [] }: Payment) => alerts.map(({ text }) => text);

const payment = approvedPayment();
const { kind, id } = firstTx(payment);
const opened = `${kind} ${id} is held for manual review at the processor; do not deliver before it ends`;
const accepted = `the manual review of ${kind} ${id} at the processor ended: accepted`;
const rejected = `the manual review of ${kind} ${id} at the processor ended: rejected; cancel or refund it, unless that follows from there`;

test.each<[ReviewState[], string[]]>([
  [['opened'], [opened]],
  [['opened', 'opened'], [opened]],
  [
    ['opened', 'accepted', 'opened', 'accepted'],
    [opened, accepted],
  ],
  [
    ['opened', 'rejected'],
    [opened, rejected],
  ],
  [['accepted', 'opened'], [accepted]],
  [['rejected', 'opened'], [rejected]],
])('a review that is %j alerts a person to %j', (states, texts) => {
  const noted = after(payment, ...states);
  expect(textsOf(noted)).toEqual(texts);
  expect({ ...noted, alerts: undefined, updatedAt: payment.updatedAt }).toEqual({ ...payment, alerts: undefined });
});

test.each([
  { status: 'refunded' },
  { status: 'cancelled' },
  { status: 'expired' },
  { status: 'denied' },
  { status: 'failed' },
  { purpose: 'verification' },
] as Partial<Payment>[])('of a payment of which nothing is to be decided, nothing is said: %j', (over) => {
  for (const state of ['opened', 'accepted', 'rejected'] as const) {
    expect(planReview({ ...payment, ...over }, firstTx(payment), state, now)).toBeUndefined();
  }
});

test.each(['created', 'pending', 'authorized', 'approved', 'partially-refunded'] as const)(
  'a review of a payment that is %s alerts a person: the merchant has money of the payer, or may get it',
  (status) => expect(textsOf(after({ ...payment, status }, 'opened'))).toEqual([opened]),
);
