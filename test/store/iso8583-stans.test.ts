/** STANs over several processes: one row for each terminal and day, from which each process takes blocks. */
import { iso8583Limits } from '../../config/iso8583-limits.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { createIsoStans, StansUsedUpError } from '../../shared/store/iso8583-stan.repository.js';
import { testMongoUri } from '../support/services.js';

let database: Database;
const clock = { ms: Date.UTC(2027, 0, 5, 23, 59, 58), now: () => new Date(clock.ms) };
const rows = () => database.collection<{ _id: string; last: number }>('iso8583_stans');

beforeAll(async () => {
  database = await openDatabase(testMongoUri('stans'));
});
beforeEach(async () => {
  await rows().deleteMany({});
});
afterAll(async () => {
  await database.connection.dropDatabase();
  await database.close();
});

test('STANs of a terminal and day are unique, also when several processes take them at once', async () => {
  const processes = Array.from({ length: 8 }, () => createIsoStans(database, clock));
  const taken = await Promise.all(processes.flatMap((one) => Array.from({ length: 250 }, () => one.next('T1'))));
  expect(new Set(taken.map(({ stan }) => stan)).size).toBe(2_000);
  expect(taken.every(({ stan }) => /^\d{6}$/.test(stan) && stan !== '000000')).toBe(true);
  // Each process took three blocks, and no block was taken twice.
  expect(await rows().find({}).toArray()).toMatchObject([{ _id: 'T1:2027-01-05', last: 24 * iso8583Limits.stanBlock }]);
});

test('STANs begin again with a new day and with another terminal', async () => {
  const stans = createIsoStans(database, clock);
  expect((await stans.next('T1')).stan).toBe('000001');
  expect((await stans.next('T2')).stan).toBe('000001');
  clock.ms += 5_000;
  const { stan, at } = await stans.next('T1');
  expect([stan, at.toISOString()]).toEqual(['000001', '2027-01-06T00:00:03.000Z']);
  expect((await stans.next('T1')).stan).toBe('000002');
});

test('the row of a day has its expiry, and a process that meets a duplicate of the row tries again', async () => {
  clock.ms = Date.UTC(2027, 0, 7, 12);
  const collection = rows();
  let refused = 0;
  const late = new Proxy(collection, {
    get: (target, name) =>
      name === 'findOneAndUpdate' && refused === 0
        ? async () => {
            refused += 1;
            throw Object.assign(new Error('E11000 duplicate key'), { code: 11_000 });
          }
        : Reflect.get(target, name, target),
  });
  const stans = createIsoStans({ ...database, collection: () => late } as never, clock);
  expect((await stans.next('T1')).stan).toBe('000001');
  const day = Date.UTC(2027, 0, 7);
  expect(await rows().findOne({ _id: 'T1:2027-01-07' })).toMatchObject({
    expireAt: new Date(day + iso8583Limits.stansKeptMs),
  });
});

test.each([
  ['a duplicate that does not end', 11_000],
  ['any other error', 50],
])('%s is thrown', async (_what, code) => {
  const refusal = Object.assign(new Error('refused'), { code });
  let calls = 0;
  const refusing = {
    findOneAndUpdate: async () => {
      calls += 1;
      throw refusal;
    },
  };
  const stans = createIsoStans({ ...database, collection: () => refusing } as never, clock);
  await expect(stans.next('T1')).rejects.toBe(refusal);
  expect(calls).toBe(code === 11_000 ? 2 : 1);
});

test('when the STANs of a day run out none is used twice, and every process throws', async () => {
  clock.ms = Date.UTC(2027, 0, 6);
  const stans = createIsoStans(database, clock);
  await rows().insertOne({ _id: 'T1:2027-01-06', last: 999_997 });
  expect((await stans.next('T1')).stan).toBe('999998');
  expect((await stans.next('T1')).stan).toBe('999999');
  await expect(stans.next('T1')).rejects.toThrow(StansUsedUpError);
  await expect(createIsoStans(database, clock).next('T1')).rejects.toThrow(StansUsedUpError);
});
