/** Saved cards on the real MongoDB: which client finds them, what a charge adds to them, and which sealed cards are destroyed. */
import { limits } from '../../config/limits.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { createIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { modelOn } from '../../shared/store/model-on.js';
import { paymentInstrumentSchema } from '../../shared/store/payment-instrument.model.js';
import {
  createPaymentInstrumentRepository,
  type PaymentInstrumentRepository,
} from '../../shared/store/payment-instrument.repository.js';
import { testMongoUri } from '../support/services.js';

let database: Database;
let instruments: PaymentInstrumentRepository;
beforeAll(async () => {
  database = await openDatabase(testMongoUri('instruments'));
  instruments = createPaymentInstrumentRepository(database);
});
beforeEach(async () => {
  await database.collection('payment_instruments').deleteMany({});
  await database.collection('customers').deleteMany({});
  await database
    .collection<{ _id: string; clientId: string }>('customers')
    .insertOne({ _id: 'cus_1', clientId: 'shop' });
});
afterAll(async () => {
  await database?.connection.dropDatabase();
  await database?.close();
});

const now = new Date('2026-01-02T03:04:05Z');
const sealed = { v: 1, alg: 'A256GCM', kid: 'k1', iv: Buffer.alloc(12), ct: Buffer.alloc(32) };

const token = (_id: string, more: Partial<PaymentInstrument> = {}): PaymentInstrument => ({
  _id,
  clientId: 'shop',
  merchantId: 1001,
  customerId: 'cus_1',
  tokenizationType: 'persistent',
  paymentMethodId: 'visa',
  bin: '424242',
  last4: '4242',
  expMonth: 12,
  expYear: 2034,
  cardFingerprint: `fingerprint of ${_id}`,
  card: sealed as never,
  createdAt: now,
  ...more,
});
const put = async (...all: PaymentInstrument[]) => {
  for (const one of all) expect(await instruments.insert(one)).toBe(true);
};
const idsOf = async (customerId: string, merchants: 'all' | readonly number[] = 'all') =>
  (await instruments.listByCustomer({ clientId: 'shop', merchants }, customerId, now)).map(({ _id }) => _id);

test('a due sealed card is destroyed with its fingerprint; its row and the cards of other rows stay', async () => {
  const due = token('due', { cardDestroyAt: now });
  const later = token('later', { cardDestroyAt: new Date(now.getTime() + 1) });
  await put(due, later, token('never'));
  expect(await instruments.destroyDueCards(now)).toBe(1);
  const { card, cardFingerprint, cardDestroyAt, ...rest } = due;
  expect(await instruments.find('shop', 'due')).toEqual(rest);
  for (const id of ['later', 'never']) {
    expect(await instruments.find('shop', id)).toHaveProperty('cardFingerprint', `fingerprint of ${id}`);
  }
  expect(await instruments.destroyDueCards(now)).toBe(0);
});

test('a sealed card is destroyed half a year after its last month, however long its token is valid', async () => {
  const last = { expMonth: 6, expYear: 2025 };
  const end = Date.UTC(2025, 6, 1) + limits.expiredCardDestroyMs;
  await put(token('ran out', last), token('a month later', { ...last, expMonth: 7 }), token('valid'));
  await put(token('december', { expMonth: 12, expYear: 2024 }), token('for a day', { ...last, cardDestroyAt: now }));
  const withCard = async () => {
    const found = database.collection<PaymentInstrument>('payment_instruments').find({ card: { $exists: true } });
    return (await found.toArray()).map(({ _id }) => _id).sort();
  };
  expect(await instruments.destroyDueCards(new Date(Date.UTC(2025, 0, 1) + limits.expiredCardDestroyMs - 1))).toBe(0);
  expect(await instruments.destroyDueCards(new Date(end - 1))).toBe(1);
  expect(await withCard()).toEqual(['a month later', 'for a day', 'ran out', 'valid']);
  expect(await instruments.destroyDueCards(new Date(end))).toBe(2);
  expect(await withCard()).toEqual(['a month later', 'valid']);
  expect(await instruments.find('shop', 'ran out')).not.toHaveProperty('cardFingerprint');
  expect(await instruments.destroyDueCards(new Date(end))).toBe(0);
});

test('the search for cards that ran out reads an index, and nothing while none are due', async () => {
  await createIndexes(modelOn(database.connection, 'PaymentInstrument', paymentInstrumentSchema));
  await put(token('valid'));
  const found = await database
    .collection<PaymentInstrument>('payment_instruments')
    .find({ card: { $exists: true }, $or: [{ expYear: { $lt: 2025 } }, { expYear: 2025, expMonth: { $lte: 6 } }] })
    .explain('executionStats');
  expect(found).toMatchObject({ executionStats: { totalDocsExamined: 0 } });
});

test('one statement destroys only a limited number of due cards, the longest due first', async () => {
  const due = Array.from({ length: limits.dueChangedMax + 1 }, (_, n) => token(`due ${n}`, { cardDestroyAt: now }));
  const oldest = token('oldest', { cardDestroyAt: new Date(now.getTime() - 1) });
  await database.collection<PaymentInstrument>('payment_instruments').insertMany([...due, oldest]);
  expect(await instruments.destroyDueCards(now)).toBe(limits.dueChangedMax);
  expect(await instruments.find('shop', 'oldest')).not.toHaveProperty('card');
  expect(await instruments.destroyDueCards(now)).toBe(2);
  expect(await instruments.destroyDueCards(now)).toBe(0);
});

test('a card is found, removed and listed only for its client and customer', async () => {
  await put(token('old'), token('new', { createdAt: new Date(now.getTime() + 1) }), token('other'));
  expect(await instruments.find('another', 'old')).toBeUndefined();
  expect(await instruments.remove('another', 'cus_1', 'old')).toBe(false);
  expect(await instruments.remove('shop', 'cus_2', 'old')).toBe(false);
  expect(await idsOf('cus_1')).toEqual(['new', 'other', 'old']);
  expect(await instruments.remove('shop', 'cus_1', 'old')).toBe(true);
  expect(await instruments.removeAllOf('another', 'cus_1')).toBe(0);
  expect(await instruments.removeAllOf('shop', 'cus_1')).toBe(2);
  expect(await idsOf('cus_1')).toEqual([]);
});

test('neither expired tokens nor cards of other merchants hide a card that can be charged', async () => {
  const saved = database.collection<PaymentInstrument>('payment_instruments');
  const at = (ms: number) => new Date(now.getTime() + ms);
  const newer = (name: string, more: Partial<PaymentInstrument>) =>
    Array.from({ length: limits.instrumentsListed }, (_, n) =>
      token(`${name} ${n}`, { createdAt: at(n + 1), ...more }),
    );
  await put(token('kept'), token('for a day', { createdAt: at(1), expiresAt: at(1) }));
  await saved.insertMany(newer('expired', { expiresAt: now }));
  const listed = await idsOf('cus_1');
  expect(listed).toHaveLength(limits.instrumentsListed);
  expect([listed[0], ...listed.slice(-2)]).toEqual(['expired 499', 'for a day', 'kept']);
  await saved.insertMany(newer('elsewhere', { merchantId: 1002 }));
  expect((await idsOf('cus_1', [1001])).slice(-2)).toEqual(['for a day', 'kept']);
  expect(await idsOf('cus_1', [])).toEqual([]);
});

test('a token is stored once, also without a customer', async () => {
  const { customerId: _none, ...loose } = token('loose');
  await put(token('card'), token('card', { last4: '1111' }));
  await database.collection('customers').deleteMany({});
  await put(loose);
  expect(await instruments.find('shop', 'card')).toHaveProperty('last4', '4242');
  expect(await instruments.find('shop', 'loose')).toHaveProperty('last4', '4242');
});

test('an insert that MongoDB refuses rejects', async () => {
  const larger = 'x'.repeat(17 * 2 ** 20);
  await expect(instruments.insert(token('huge', { cardholderName: larger }))).rejects.toThrow();
});

test("the merchants of a customer's tokens are listed, each once", async () => {
  await put(token('one'), token('two'), token('three', { merchantId: 1002 }));
  expect((await instruments.merchantsOf('shop', 'cus_1')).sort()).toEqual([1001, 1002]);
  expect(await instruments.merchantsOf('another', 'cus_1')).toEqual([]);
});

test('a token of a deleted customer is not stored', async () => {
  expect(await instruments.insert(token('late', { customerId: 'cus_gone' }))).toBe(false);
  expect(await instruments.find('shop', 'late')).toBeUndefined();
});

test('the network transaction id of the first payment is stored once, a new expiry each time', async () => {
  await put(token('card'), token('untouched'));
  await instruments.noteCharge('another', 'card', { networkTransactionId: 'foreign' });
  await instruments.noteCharge('shop', 'card', { networkTransactionId: 'first', networkLinkId: 'link' });
  await instruments.noteCharge('shop', 'card', {
    networkTransactionId: 'second',
    updatedExpiry: { expMonth: 1, expYear: 2040 },
  });
  expect(await instruments.find('shop', 'card')).toMatchObject({
    networkTransactionId: 'first',
    networkLinkId: 'link',
    expMonth: 1,
    expYear: 2040,
  });
  expect(await instruments.find('shop', 'untouched')).toEqual(token('untouched'));
});
