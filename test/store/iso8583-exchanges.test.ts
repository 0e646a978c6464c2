/** The journal of `iso8583` on the real MongoDB: a key is sent once, and an exchange under reversal takes no more answers. */
import { iso8583Limits } from '../../config/iso8583-limits.js';
import type { IsoExchange } from '../../shared/store/iso8583-exchange.model.js';
import {
  createIsoExchangeRepository,
  type IsoExchangeRepository,
} from '../../shared/store/iso8583-exchange.repository.js';
import { openStore, type Store } from './open-store.js';

let store: Store;
let exchanges: IsoExchangeRepository;
beforeAll(async () => {
  store = await openStore('iso_exchanges', ['IsoExchange']);
  exchanges = createIsoExchangeRepository(store.database);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

const now = new Date();
const later = (ms: number) => new Date(now.getTime() + ms);
const exchange = (_id: string, more: Partial<IsoExchange> = {}): IsoExchange => ({
  ...{ _id, kind: 'purchase', state: 'sent', terminal: 't', merchant: 'm', mti: '0200', processingCode: '000000' },
  ...{ trace: { stan: '000001', at: now }, retrievalReference: 'rrn', amountMinor: 100, currency: 'USD' },
  ...{ deadlineAt: later(1_000), expireAt: later(3_600_000) },
  ...more,
});
const reversal = (stan: string) => ({ stan, at: now, amountMinor: 100 });
const approved = { outcome: { kind: 'approved' }, retrievalReference: 'rrn 2', authorization: 'abc123' };
const declined = { kind: 'declined' };
const gone = { kind: 'failed' };

test('an exchange begins once for a key; a second begin returns the exchange that exists', async () => {
  const begun = await Promise.all(
    Array.from({ length: 8 }, (_, n) => exchanges.begin(exchange('a', { retrievalReference: `rrn ${n}` }))),
  );
  const known = begun.filter((one) => one !== undefined);
  expect(known).toHaveLength(7);
  expect(new Set(known.map((one) => one?.retrievalReference)).size).toBe(1);
  expect(await exchanges.find('a')).toEqual(known[0]);
  expect(await exchanges.find('b')).toBeUndefined();
  await expect(exchanges.begin(exchange('b', { terminal: 'x'.repeat(17_000_000) }))).rejects.toThrow();
});

test('only the first answer of an exchange counts', async () => {
  await exchanges.begin(exchange('a'));
  expect(await exchanges.answer('a', approved)).toBe(true);
  expect(await exchanges.find('a')).toMatchObject({ state: 'answered', ...approved });
  expect(await exchanges.answer('a', { outcome: declined })).toBe(false);
  expect(await exchanges.find('a')).toMatchObject({ state: 'answered', ...approved });
  expect(await exchanges.answer('b', approved)).toBe(false);
});

test('once a reversal has begun no answer counts, and the first reversal is the one that is sent', async () => {
  await exchanges.begin(exchange('a'));
  expect(await exchanges.startReversal('a', reversal('000002'))).toMatchObject({
    ...{ state: 'reversing', reversal: reversal('000002') },
  });
  expect(await exchanges.find('a')).not.toHaveProperty('outcome');
  expect(await exchanges.startReversal('a', reversal('000003'))).toHaveProperty('reversal', reversal('000002'));
  expect(await exchanges.answer('a', approved)).toBe(false);
  await exchanges.endReversal('a', gone);
  expect(await exchanges.find('a')).toMatchObject({ state: 'reversed', outcome: gone });
  expect(await exchanges.startReversal('a', reversal('000004'))).toBeUndefined();
  await exchanges.endReversal('a', declined);
  expect(await exchanges.find('a')).toMatchObject({ state: 'reversed', outcome: gone });
  expect(await exchanges.startReversal('b', reversal('000004'))).toBeUndefined();
});

test('a reversal stores the known outcome if there is none yet, and a decline stays a decline', async () => {
  await exchanges.begin(exchange('a'));
  expect(await exchanges.startReversal('a', reversal('000002'), declined)).toHaveProperty('outcome', declined);
  expect(await exchanges.startReversal('a', reversal('000002'), gone)).toHaveProperty('outcome', declined);
  await exchanges.endReversal('a', gone);
  expect(await exchanges.find('a')).toMatchObject({ state: 'reversed', outcome: declined });
});

test('an answer that decides nothing is stored, for the message and for its reversal', async () => {
  await exchanges.begin(exchange('a'));
  await exchanges.heard('a', 'message', { code: '09' });
  await exchanges.startReversal('a', reversal('000002'));
  await exchanges.heard('a', 'reversal', { code: '25' });
  expect(await exchanges.startReversal('a', reversal('000003'))).toMatchObject({
    ...{ heard: { code: '09' }, reversal: { ...reversal('000002'), heard: { code: '25' } } },
  });
});

test('a heard approval stays; references are stored until a reversal has begun', async () => {
  const { outcome: _none, ...references } = approved;
  await exchanges.begin(exchange('a'));
  await exchanges.heard('a', 'message', { code: '10', approves: true, amountMinor: 40 }, references);
  await exchanges.heard('a', 'message', { code: '09' });
  const heard = { code: '09', approves: true, amountMinor: 40 };
  expect(await exchanges.startReversal('a', reversal('000002'))).toMatchObject({ heard, ...references });
  await exchanges.heard('a', 'message', { code: '00' }, { retrievalReference: 'rrn 3' });
  expect(await exchanges.find('a')).toMatchObject(references);
  await exchanges.begin(exchange('b'));
  await exchanges.startReversal('b', reversal('000002'));
  await exchanges.heard('b', 'message', { code: '10', approves: true }, references);
  expect(await exchanges.find('b')).toMatchObject({ heard: { code: '10', approves: true }, retrievalReference: 'rrn' });
  expect(await exchanges.find('b')).not.toHaveProperty('authorization');
});

test('a reversed approval ends with the outcome of its reversal', async () => {
  await exchanges.begin(exchange('a'));
  await exchanges.answer('a', approved);
  expect(await exchanges.startReversal('a', reversal('000002'), declined)).toMatchObject({
    ...{ state: 'reversing', outcome: approved.outcome },
  });
  await exchanges.endReversal('a', gone);
  expect(await exchanges.find('a')).toMatchObject({ state: 'reversed', outcome: gone });
});

test('forgetting frees the key of an exchange that was not sent, but not of one that was answered', async () => {
  await exchanges.begin(exchange('a'));
  await exchanges.forget('a');
  expect(await exchanges.find('a')).toBeUndefined();
  await exchanges.begin(exchange('b'));
  await exchanges.answer('b', approved);
  await exchanges.forget('b');
  expect(await exchanges.find('b')).toBeDefined();
});

test('unconfirmed reversals are counted, up to a bound', async () => {
  for (const key of ['a', 'b', 'c']) await exchanges.begin(exchange(key));
  for (const key of ['a', 'b']) await exchanges.startReversal(key, reversal('000002'));
  await exchanges.endReversal('b', gone);
  expect(await exchanges.countReversing()).toBe(1);
  const many = Array.from({ length: iso8583Limits.openReversalsCounted + 1 }, (_, n) =>
    exchange(`many ${n}`, { state: 'reversing', trace: { stan: String(n), at: now }, retrievalReference: String(n) }),
  );
  await store.database.collection<IsoExchange>('iso8583_exchanges').insertMany(many);
  expect(await exchanges.countReversing()).toBe(iso8583Limits.openReversalsCounted);
});
