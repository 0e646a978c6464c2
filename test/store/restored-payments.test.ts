/** What a restore changes in the payments, on a real MongoDB: each statement finds them by an index, however many are stored. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Collection, Where } from '../../shared/store/database.js';
import { distrustUnsent, holdDueDeadlines } from '../../shared/store/restored-payments.js';
import { createdPayment, later } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('restored');
});
afterAll(() => store?.close());

/** The collection, and the conditions of the statements that are sent to it. */
function watched() {
  const conditions: Where<Payment>[] = [];
  const names: readonly string[] = ['find', 'updateMany', 'countDocuments'];
  const collection = new Proxy(store.payments, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (names.includes(String(property))) conditions.push(args[0] as Where<Payment>);
        return (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  }) as Collection<Payment>;
  return { collection, conditions };
}

test('no statement after a restore reads every payment', async () => {
  const due = createdPayment({ authorizeBy: later(60_000) });
  await store.put(due, createdPayment());
  const { collection, conditions } = watched();
  await distrustUnsent(collection, later(0));
  await holdDueDeadlines(collection, [], later(0));
  expect((await store.read(due._id)).authorizeBy).toEqual(later(0));
  expect(conditions.length).toBeGreaterThan(4);
  for (const condition of conditions) {
    const explained = await store.payments.find(condition as object).explain('queryPlanner');
    expect(JSON.stringify(explained)).not.toContain('COLLSCAN');
  }
});
