import type { Payment } from '../../../shared/domain/payment/payment.js';
import {
  holdCallbackForToken,
  planInstrumentSaved,
  savedInstrumentOf,
} from '../../../shared/domain/payment/saved-instrument.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import { approved, createdPayment, firstTx, later, settleContext } from './a-payment.js';

const tokenization = { token: '5f0c9d3a-0000-4000-8000-000000000001', type: 'persistent' } as const;
const renderCallback = (payment: Payment) => savedInstrumentOf(payment)?.token ?? 'no token';

/** Builds a payment that succeeded and whose card is being saved. */
function saving(): { payment: Payment; now: Date } {
  const context = { ...settleContext(), renderCallback };
  const before = createdPayment({ tokenization, callbackUrl: 'https://shop.example.com/callbacks' });
  return { payment: settle(before, firstTx(before).id, approved, context), now: context.now };
}

test('the callback of a payment waits at most a minute for the token of its card', () => {
  const { payment, now } = saving();
  expect(savedInstrumentOf(payment)).toBeUndefined();
  expect(payment.events.at(-1)).toMatchObject({ body: 'no token', notBefore: later(60_000, now) });
});

test('the token of a saved card is announced when the wait of the caller is over', () => {
  const { payment } = saving();
  const saved = planInstrumentSaved(payment, true, renderCallback);
  if (!saved) throw new Error('nothing was planned');
  expect(savedInstrumentOf(saved)).toEqual(tokenization);
  const due = new Date(Math.max(payment.awaitedUntil.getTime(), payment.updatedAt.getTime()));
  expect(saved.events.at(-1)).toMatchObject({ body: tokenization.token, notBefore: due });
  expect(saved.announceAt).toEqual(due);
  expect(planInstrumentSaved(saved, true, renderCallback)).toBeUndefined();
});

test('an announced event does not change, and the token of a card that is not kept is not announced', () => {
  const { payment } = saving();
  const announced = { ...payment, fannedOutSeq: payment.eventSeq, announceAt: undefined };
  const saved = planInstrumentSaved(announced, true, renderCallback);
  expect([saved?.events, saved?.announceAt]).toEqual([announced.events, undefined]);
  const lost = planInstrumentSaved(payment, false, renderCallback);
  expect([lost?.tokenization, lost?.events.at(-1)?.body]).toEqual([undefined, 'no token']);
});

test('a payment that was not authorized has no saved card', () => {
  const authorized = createdPayment({ tokenization, authorizedMinor: 1 });
  expect(savedInstrumentOf(authorized)).toBe(tokenization);
  expect(savedInstrumentOf({ ...authorized, authorizedMinor: 0 })).toBeUndefined();
});

/** Builds a payment with events that are not announced yet. `bodies`: the callback bodies, `undefined` without a subscriber. */
function withEvents(bodies: readonly (string | undefined)[], more: Partial<Payment> = {}): Payment {
  const events = bodies.map((body, index) => ({
    ...{ seq: index + 1, status: 'approved' as const, at: later(index * 100), notBefore: later(60_000) },
    ...(body !== undefined && { body }),
  }));
  return createdPayment({
    ...{ tokenization, authorizedMinor: 1050, tokenizeAt: later(0), awaitedUntil: later(50) },
    ...{ events, eventSeq: events.length, announceAt: later(60_000), ...more },
  });
}

describe('the callback that waits for the token', () => {
  const held = (payment: Payment, until = later(90_000)) => holdCallbackForToken(payment, until);
  const notBefore = (payment: Payment) => payment.events.map((event) => event.notBefore);

  test('is only the newest', () => {
    const payment = withEvents(['one', 'two', 'three']);
    expect(notBefore(held(payment))).toEqual([later(60_000), later(60_000), later(90_000)]);
    expect(held(payment).events.map(({ body }) => body)).toEqual(['one', 'two', 'three']);
  });

  test('is never sent earlier than without the wait', () => {
    const payment = withEvents(['one']);
    expect(notBefore(held(payment, later(30_000)))).toEqual([later(60_000)]);
  });

  test('does not exist when no card is being saved or there is no subscriber', () => {
    for (const payment of [
      withEvents(['one'], { tokenizeAt: undefined }),
      withEvents(['one', undefined]),
      withEvents([]),
    ]) {
      expect(held(payment)).toBe(payment);
    }
  });
});

describe('after the card is saved', () => {
  const saved = (payment: Payment) => {
    const plan = planInstrumentSaved(payment, true, renderCallback);
    if (!plan) throw new Error('nothing was planned');
    return plan;
  };

  test('a waiting event is due at its time or when its caller stopped waiting, and the newest has the token', () => {
    const { events, announceAt } = saved(withEvents(['one', 'two']));
    expect(events).toMatchObject([
      { body: 'one', notBefore: later(50) },
      { body: tokenization.token, notBefore: later(100) },
    ]);
    expect(announceAt).toEqual(later(50));
  });

  test('an event that was announced or has no subscriber does not change and is not due', () => {
    const payment = withEvents(['announced', undefined, 'three', 'four'], { fannedOutSeq: 1 });
    const plan = saved(payment);
    expect(plan.events.slice(0, 2)).toEqual(payment.events.slice(0, 2));
    expect(plan.events.slice(2)).toMatchObject([{ notBefore: later(200) }, { notBefore: later(300) }]);
    expect(plan.announceAt).toEqual(later(200));
  });

  test('an event that is due earlier keeps its time', () => {
    const payment = withEvents(['one']);
    const early = { ...payment, events: payment.events.map((event) => ({ ...event, notBefore: later(20) })) };
    expect(saved(early)).toMatchObject({ announceAt: later(20), events: [{ notBefore: later(20) }] });
  });

  test('without a waiting event nothing is due to be announced', () => {
    for (const payment of [withEvents([]), withEvents(['one', undefined]), withEvents(['one'], { fannedOutSeq: 1 })]) {
      const plan = saved(payment);
      expect([plan.tokenizeAt, plan.events, plan.announceAt]).toEqual([undefined, payment.events, payment.announceAt]);
    }
  });
});
