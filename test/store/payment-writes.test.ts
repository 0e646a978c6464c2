import mongoose from 'mongoose';
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { createPaymentWrites } from '../../shared/store/payment-writes.js';
import { createdPayment, later } from '../domain/payment/a-payment.js';
import { faulty, openPaymentStore, type PaymentStore } from './payment-store.js';

const { mongo } = mongoose;

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('writes');
});
afterAll(() => store?.close());

const many = (count: number) => Array.from({ length: count }, () => createdPayment());
const renamed = (payment: Payment, invoiceNumber: string): Payment => ({ ...payment, invoiceNumber });

describe.each([
  ['batched', true],
  ['alone', false],
])('writes sent %s', (_name, batched) => {
  const writes = () => createPaymentWrites(store.payments, batched);
  const withFaults = () => {
    const faults = faulty(store.payments);
    return { ...faults, ...createPaymentWrites(faults.collection, batched) };
  };
  const stored = async (more: Partial<Payment> = {}): Promise<Payment> => {
    const payment = createdPayment(more);
    await store.put(payment);
    return store.read(payment._id);
  };

  test('insert: the payment is read as it was inserted, and undefined fields are not stored', async () => {
    const payment = createdPayment({ deadline: undefined, alerts: [{ at: later(1), text: 'a' }] });
    expect(await writes().insert(payment)).toBe('inserted');
    const read = await store.read(payment._id);
    const { card, cvc, deadline: _none, ...rest } = payment;
    expect(read).toMatchObject(rest);
    expect(read).not.toHaveProperty('deadline');
    expect(Buffer.from(read.card?.ct ?? [])).toEqual(card?.ct);
    expect(Buffer.from(read.cvc?.iv ?? [])).toEqual(cvc?.iv);
  });

  test('insert: a used reference in a batch is reported only to its caller', async () => {
    const { insert } = writes();
    const used = createdPayment();
    await insert(used);
    const fresh = many(20);
    const twin = createdPayment({ refKeys: fresh[3]?.refKeys ?? [] });
    const duplicate = createdPayment({ refKeys: used.refKeys });
    const foreign = createdPayment({ refKeys: used.refKeys, clientId: 'cli_b' });
    const all = [...fresh.slice(0, 10), duplicate, ...fresh.slice(10), twin, foreign];
    const results = await Promise.all(all.map(insert));
    const refused = all.filter((_payment, index) => results[index] === 'duplicate');
    expect(refused).toHaveLength(2);
    expect(refused).toContain(duplicate);
    // Of the two payments with the same reference exactly one is stored.
    expect([twin, fresh[3]].filter((payment) => refused.includes(payment as Payment))).toHaveLength(1);
    expect(await store.payments.countDocuments({ _id: { $in: all.map(({ _id }) => _id) } })).toBe(all.length - 2);
  });

  test('a 3DS session belongs to one payment: a second one with its id is a duplicate', async () => {
    const { insert, save } = writes();
    const threeDs = { required: true, reason: 'amount-at-threshold', sessionId: createdPayment()._id } as const;
    expect(await insert(createdPayment({ threeDs }))).toBe('inserted');
    expect(await insert(createdPayment({ threeDs }))).toBe('duplicate');
    const other = await stored();
    expect(await save(other, { ...other, threeDs })).toBe('duplicate');
    expect(await store.read(other._id)).toEqual(other);
  });

  test('insert: after a lost acknowledgement the payment is looked up, not inserted again', async () => {
    const { insert, loseAnswer, loseRequest, calls } = withFaults();
    const payment = createdPayment();
    loseAnswer('insertMany');
    expect(await insert(payment)).toBe('inserted');
    loseRequest('insertMany');
    await expect(insert(createdPayment())).rejects.toThrow('connection closed');
    expect(calls('insertMany')).toBe(2);
  });

  test('insert: the same payment a second time is a duplicate', async () => {
    const { insert } = writes();
    const payment = createdPayment();
    expect([await insert(payment), await insert(payment)]).toEqual(['inserted', 'duplicate']);
  });

  test('save: changes are written, the version grows and only the newest tokens are kept', async () => {
    const { save } = writes();
    let payment = await stored();
    for (let n = 1; n <= 12; n += 1) {
      const result = await save(payment, { ...renamed(payment, `INV-${n}`), cvc: undefined });
      if (typeof result === 'string') throw new Error(result);
      payment = result;
      const read = await store.read(payment._id);
      expect(read).toMatchObject({ version: n + 1, invoiceNumber: `INV-${n}` });
      expect(read).not.toHaveProperty('cvc');
      expect(payment).toMatchObject({ version: n + 1, invoiceNumber: `INV-${n}` });
    }
    expect((await store.read(payment._id)).writes).toHaveLength(8);
  });

  test('save: of many changes to the same version one wins, and the others get a conflict', async () => {
    const { save } = writes();
    const payment = await stored();
    const results = await Promise.all(
      Array.from({ length: 24 }, (_, n) => save(payment, renamed(payment, `INV-${n}`))),
    );
    const winners = results.filter((result) => typeof result !== 'string');
    expect(winners).toHaveLength(1);
    expect(results.filter((result) => result === 'conflict')).toHaveLength(23);
    expect((await store.read(payment._id)).invoiceNumber).toBe((winners[0] as Payment).invoiceNumber);
  });

  test('save: conflicts, successes and duplicates of one batch each get their own answer', async () => {
    const { save } = writes();
    const payments = await Promise.all(Array.from({ length: 30 }, () => stored()));
    const clientId = batched ? 'cli_dup_batched' : 'cli_dup_alone';
    await store.put(createdPayment({ refKeys: ['capture:taken'], clientId }));
    const mine = await Promise.all(Array.from({ length: 3 }, () => stored({ clientId })));
    const stale = payments.slice(0, 10);
    await store.payments.updateMany({ _id: { $in: stale.map(({ _id }) => _id) } }, { $inc: { version: 1 } });
    const [results, duplicates] = await Promise.all([
      Promise.all(payments.map((payment) => save(payment, renamed(payment, 'INV-new')))),
      Promise.all(mine.map((payment) => save(payment, { ...payment, refKeys: [...payment.refKeys, 'capture:taken'] }))),
    ]);
    expect(results.slice(0, 10)).toEqual(Array(10).fill('conflict'));
    expect(results.slice(10).every((result) => typeof result !== 'string' && result.version === 2)).toBe(true);
    expect(duplicates).toEqual(['duplicate', 'duplicate', 'duplicate']);
    for (const payment of mine) expect((await store.read(payment._id)).version).toBe(1);
  });

  test('save: a batch writes what each save alone would have written', async () => {
    const { save } = writes();
    const cvc = createdPayment().cvc;
    const hostile = { k: '$name', v: '$$ROOT' };
    const payments = await Promise.all(
      Array.from({ length: 12 }, (_, n) => stored({ ...(n % 2 === 0 && { cvc }), invoiceNumber: '$old' })),
    );
    await store.payments.updateMany({ _id: { $in: payments.map(({ _id }) => _id) } }, { $set: { answered: [1, 2] } });
    const after = payments.map(
      (payment, n): Payment => ({
        ...renamed(payment, `$amount.${n}`),
        metadata: [hostile],
        processedAt: later(n),
        alerts: [{ at: later(n), text: '$$NOW' }],
        cvc: undefined,
      }),
    );
    const results = await Promise.all(payments.map((payment, n) => save(payment, after[n] as Payment)));
    for (const [n, { cvc: _gone, ...expected }] of after.entries()) {
      const read = await store.read(expected._id);
      expect(read).not.toHaveProperty('cvc');
      expect(read).toMatchObject({
        invoiceNumber: `$amount.${n}`,
        metadata: [hostile],
        processedAt: later(n),
        alerts: [{ at: later(n), text: '$$NOW' }],
        version: 2,
        // The API writes this field without a new version: the save does not lose it.
        answered: [1, 2],
        transactions: expected.transactions,
      });
      expect(read.writes).toHaveLength(1);
      expect(results[n]).toMatchObject({ _id: expected._id, version: 2 });
    }
  });

  test('save: after a lost acknowledgement of a batch only the saves that it wrote succeed', async () => {
    const { save, loseAnswer } = withFaults();
    const payments = await Promise.all(Array.from({ length: 6 }, () => stored()));
    const stale = payments.slice(0, 2).map(({ _id }) => _id);
    await store.payments.updateMany({ _id: { $in: stale } }, { $inc: { version: 1 } });
    loseAnswer('bulkWrite');
    const results = await Promise.all(payments.map((payment) => save(payment, renamed(payment, 'INV-lost'))));
    expect(results.slice(0, 2)).toEqual(['conflict', 'conflict']);
    for (const result of results.slice(2)) expect(result).toMatchObject({ version: 2, invoiceNumber: 'INV-lost' });
  });

  test('save: a write whose acknowledgement is lost succeeds without a second write', async () => {
    const { save, loseAnswer, calls } = withFaults();
    const payment = await stored();
    loseAnswer('bulkWrite');
    expect(await save(payment, renamed(payment, 'INV-won'))).toMatchObject({ version: 2, invoiceNumber: 'INV-won' });
    expect(calls('bulkWrite')).toBe(1);
    expect(await store.read(payment._id)).toMatchObject({ version: 2, invoiceNumber: 'INV-won' });
  });

  test('save: a write succeeds even when others wrote after it before it was looked up', async () => {
    const faults = faulty(store.payments);
    const { save } = createPaymentWrites(faults.collection, batched);
    const other = writes();
    const payment = await stored();
    faults.loseAnswer('bulkWrite');
    const original = faults.collection.find.bind(faults.collection);
    let overtaken = false;
    const slow = new Proxy(faults.collection, {
      get: (target, property) =>
        property !== 'find'
          ? Reflect.get(target, property, target)
          : (...args: Parameters<typeof original>) => ({
              toArray: async () => {
                if (!overtaken) {
                  overtaken = true;
                  let current = await store.read(payment._id);
                  for (let n = 0; n < 3; n += 1)
                    current = (await other.save(current, renamed(current, `INV-o${n}`))) as Payment;
                }
                return original(...args).toArray();
              },
            }),
    });
    const result = await createPaymentWrites(slow, batched).save(payment, renamed(payment, 'INV-mine'));
    expect(result).toMatchObject({ version: 2, invoiceNumber: 'INV-mine' });
    expect(await store.read(payment._id)).toMatchObject({ version: 5, invoiceNumber: 'INV-o2' });
    expect(await save(payment, renamed(payment, 'INV-late'))).toBe('conflict');
  });

  test('save: a lost acknowledgement of a write that changed nothing is a conflict', async () => {
    const { save, loseAnswer } = withFaults();
    const payment = await stored();
    await writes().save(payment, renamed(payment, 'INV-first'));
    loseAnswer('bulkWrite');
    expect(await save(payment, renamed(payment, 'INV-second'))).toBe('conflict');
    expect((await store.read(payment._id)).invoiceNumber).toBe('INV-first');
  });

  test('save: a write that never arrived is an error, not a conflict', async () => {
    const { save, loseRequest } = withFaults();
    const payment = await stored();
    loseRequest('bulkWrite');
    await expect(save(payment, renamed(payment, 'INV-x'))).rejects.toThrow('connection closed');
    expect((await store.read(payment._id)).version).toBe(1);
  });

  test('save: a write that a former primary refused is sent again once', async () => {
    const { save, loseRequest, calls } = withFaults();
    const payment = await stored();
    loseRequest('bulkWrite', new mongo.MongoServerError({ message: 'not primary', code: 10_107 }));
    expect(await save(payment, renamed(payment, 'INV-again'))).toMatchObject({
      invoiceNumber: 'INV-again',
      version: 2,
    });
    expect(calls('bulkWrite')).toBe(2);
    expect(await store.read(payment._id)).toMatchObject({ invoiceNumber: 'INV-again', version: 2 });
  });

  test('insert: a refused document of a statement rejects with the message of MongoDB, and the other is stored', async () => {
    const [sound, wrong] = [createdPayment(), createdPayment({ invoiceNumber: 7 as never })];
    const { insert } = writes();
    const [kept, refused] = await Promise.allSettled([insert(sound), insert(wrong)]);
    expect(kept).toMatchObject({ value: 'inserted' });
    expect(refused).toMatchObject({
      reason: { message: 'MongoDB refused a write: Document failed validation', code: 121 },
    });
  });

  test('save: a save that MongoDB refuses fails alone, and the others of its statement are written', async () => {
    const payments = await Promise.all(Array.from({ length: 9 }, () => stored()));
    const { save } = writes();
    const results = await Promise.allSettled(
      payments.map((payment, n) => save(payment, renamed(payment, n === 4 ? (7 as never) : 'INV-sound'))),
    );
    const [refused] = results.splice(4, 1);
    expect(refused).toMatchObject({
      reason: { message: 'MongoDB refused a write: Document failed validation', code: 121 },
    });
    for (const result of results) expect(result).toMatchObject({ value: { version: 2, invoiceNumber: 'INV-sound' } });
    expect(await Promise.all(payments.map(async ({ _id }) => (await store.read(_id)).version))).toEqual([
      ...[2, 2, 2, 2, 1, 2, 2, 2, 2],
    ]);
  });

  test('save: saves that are too large together are written, and one that is too large itself fails alone', async () => {
    const megabytes = (count: number) => 'x'.repeat(count * 1024 * 1024);
    const payments = await Promise.all(Array.from({ length: 5 }, () => stored()));
    const grown = await stored({ traceId: megabytes(9) });
    const { save } = writes();
    const small = await Promise.allSettled(
      [...payments, grown].map((payment) => save(payment, renamed(payment, megabytes(payment === grown ? 7 : 1)))),
    );
    expect(small.map(({ status }) => status)).toEqual([...Array(5).fill('fulfilled'), 'rejected']);
    expect(small.at(-1)).toMatchObject({ reason: { code: 17_419 } });
    const current = await Promise.all(payments.map(({ _id }) => store.read(_id)));
    const large = await Promise.allSettled(
      current.map((payment, n) => save(payment, renamed(payment, megabytes(n === 2 ? 17 : 4)))),
    );
    expect(large.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    ]);
  });

  test('save: a payment that is gone is a conflict', async () => {
    const payment = createdPayment();
    expect(await writes().save(payment, renamed(payment, 'INV-x'))).toBe('conflict');
  });

  test('save: a field that the API writes without a new version is never overwritten', async () => {
    const payment = await stored();
    await store.payments.updateOne({ _id: payment._id }, { $set: { answered: [1, 2] } });
    await writes().save(payment, { ...renamed(payment, 'INV-n'), answered: [] });
    expect(await store.read(payment._id)).toMatchObject({ invoiceNumber: 'INV-n', answered: [1, 2] });
  });

  test('a batch is never larger than its bound', async () => {
    const { insert, calls } = withFaults();
    await Promise.all(many(limits.batchItemsMax + 1).map(insert));
    expect(calls('insertMany')).toBe(batched ? 2 : limits.batchItemsMax + 1);
  });
});
