import { planFanOut } from '../../shared/domain/callback/plan-fan-out.js';
import { applyMoves } from '../../shared/domain/payment/apply-moves.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { createAnswerMarks } from '../../shared/store/answer-marks.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { createdPayment, later, moment } from '../domain/payment/a-payment.js';
import { faulty, openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('marks');
});
afterAll(() => store?.close());

const callbackUrl = 'https://shop.example/hook';
const pending = () => applyMoves(createdPayment({ callbackUrl }), ['submitted'], moment());
const paid = () => applyMoves(createdPayment({ callbackUrl }), ['submitted', 'purchased'], moment());

describe.each([
  ['batched', true],
  ['alone', false],
])('marks sent %s', (_name, batched) => {
  const mark = (id: string, first: number, last: number) => createAnswerMarks(store.payments, batched)(id, first, last);
  const put = async (payment: Payment) => {
    await store.put(payment);
    return payment._id;
  };
  const announced = async (id: string) => planFanOut(await store.read(id), later(1e9)).deliveries.map(({ seq }) => seq);

  test('a mark of all events takes the payment out of the fan-out and removes the event bodies', async () => {
    const id = await put(paid());
    await mark(id, 1, 2);
    const stored = await store.read(id);
    expect(stored).toMatchObject({ fannedOutSeq: 2, eventSeq: 2, version: 2 });
    expect(stored).not.toHaveProperty('announceAt');
    expect(stored).not.toHaveProperty('answered');
    expect(stored.events.some((event) => event.body !== undefined)).toBe(false);
    expect(await announced(id)).toEqual([]);
  });

  test('only the answered event is marked, and an event added since is announced', async () => {
    const id = await put(applyMoves(pending(), ['purchased'], moment(later(500))));
    await mark(id, 1, 1);
    const stored = await store.read(id);
    expect(stored).toMatchObject({ fannedOutSeq: 0, answered: [1], announceAt: expect.any(Date) });
    expect(await announced(id)).toEqual([2]);
  });

  test('only the answered event is marked, and an earlier event that still waits is announced', async () => {
    const refunding = applyMoves(paid(), ['refunded'], moment(later(500)));
    const id = await put({ ...refunding, awaitedUntil: later(60_000) });
    await mark(id, 3, 3);
    expect(await store.read(id)).toMatchObject({ fannedOutSeq: 0, answered: [3] });
    expect(await announced(id)).toEqual([2]);
  });

  test('marking the same events a second time changes nothing', async () => {
    const [all, part] = [await put(paid()), await put(applyMoves(pending(), ['purchased'], moment()))];
    for (const [id, first, last] of [
      [all, 1, 2],
      [part, 1, 1],
    ] as const) {
      await mark(id, first, last);
      const once = await store.read(id);
      await mark(id, first, last);
      expect(await store.read(id)).toEqual(once);
    }
  });

  test('a mark of events that were fanned out already changes nothing', async () => {
    const id = await put({ ...paid(), fannedOutSeq: 2 });
    const before = await store.read(id);
    await mark(id, 1, 2);
    expect(await store.read(id)).toEqual(before);
  });

  test('an update decided before the mark is decided again, so that its event is announced', async () => {
    const id = await put(pending());
    const repository = createPaymentRepository(store.database, batched);
    const before = await store.read(id);
    await mark(id, 1, 1);
    let decided = 0;
    await repository.update(before, (payment) => {
      decided += 1;
      return applyMoves(payment, ['purchased'], moment(later(20_000)));
    });
    expect(decided).toBe(2);
    expect(await store.read(id)).toMatchObject({ eventSeq: 2, fannedOutSeq: 1, announceAt: later(20_000) });
    expect(await announced(id)).toEqual([2]);
  });

  test('many marks at once each reach their own payment', async () => {
    const ids = await Promise.all(Array.from({ length: 80 }, () => put(paid())));
    const partly = await Promise.all(
      Array.from({ length: 20 }, () => put(applyMoves(pending(), ['purchased'], moment(later(500))))),
    );
    const marks = createAnswerMarks(store.payments, batched);
    await Promise.all([...ids.map((id) => marks(id, 1, 2)), ...partly.map((id) => marks(id, 1, 1))]);
    const marked = { _id: { $in: ids }, fannedOutSeq: 2, answered: { $exists: false } };
    expect(await store.payments.countDocuments(marked)).toBe(80);
    const noted = { _id: { $in: partly }, fannedOutSeq: 0, answered: [1] };
    expect(await store.payments.countDocuments(noted)).toBe(20);
  });

  test('a mark that fails rejects, and its event is still announced: one callback too many, never one too few', async () => {
    const faults = faulty(store.payments);
    const id = await put(paid());
    faults.loseRequest('bulkWrite');
    await expect(createAnswerMarks(faults.collection, batched)(id, 1, 2)).rejects.toThrow('connection closed');
    expect(await announced(id)).toEqual([2]);
  });
});
