import type { Payment } from '../../../shared/domain/payment/payment.js';
import { planInstrumentSaved, savedInstrumentOf } from '../../../shared/domain/payment/saved-instrument.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import { approved, createdPayment, firstTx, later, settleContext } from './a-payment.js';

const tokenization = { token: '5f0c9d3a-0000-4000-8000-000000000001', type: 'persistent' } as const;
const renderCallback = (payment: Payment) => savedInstrumentOf(payment)?.token ?? 'no token';

/** A payment that succeeded; its card is being saved. */
function saving(): { payment: Payment; now: Date } {
  const context = { ...settleContext(), renderCallback };
  const before = createdPayment({ tokenization, callbackUrl: 'https://shop.example.com/callbacks' });
  return { payment: settle(before, firstTx(before).id, approved, context), now: context.now };
}

test('the callback of a payment waits for the token of its card, at most a minute', () => {
  const { payment, now } = saving();
  expect(savedInstrumentOf(payment)).toBeUndefined();
  expect(payment.events.at(-1)).toMatchObject({ body: 'no token', notBefore: later(60_000, now) });
});

test('once the card is saved the token is announced, when the wait of the caller is over', () => {
  const { payment } = saving();
  const saved = planInstrumentSaved(payment, true, renderCallback);
  if (!saved) throw new Error('nothing was planned');
  expect(savedInstrumentOf(saved)).toEqual(tokenization);
  const due = new Date(Math.max(payment.awaitedUntil.getTime(), payment.updatedAt.getTime()));
  expect(saved.events.at(-1)).toMatchObject({ body: tokenization.token, notBefore: due });
  expect(saved.announceAt).toEqual(due);
  expect(planInstrumentSaved(saved, true, renderCallback)).toBeUndefined();
});

test('an announced event stays as it is; a card that is not kept is not announced', () => {
  const { payment } = saving();
  const announced = { ...payment, fannedOutSeq: payment.eventSeq, announceAt: undefined };
  const saved = planInstrumentSaved(announced, true, renderCallback);
  expect([saved?.events, saved?.announceAt]).toEqual([announced.events, undefined]);
  const lost = planInstrumentSaved(payment, false, renderCallback);
  expect([lost?.tokenization, lost?.events.at(-1)?.body]).toEqual([undefined, 'no token']);
});
