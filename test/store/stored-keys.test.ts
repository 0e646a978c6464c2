/** Data keys in both stores, and the reports of running processes on their master keys, on a real MongoDB. */
import { limits } from '../../config/limits.js';
import { DATA_KEYS, type DataKeyRow } from '../../shared/store/data-key.model.js';
import { createDataKeyRepository, type DataKeyRepository } from '../../shared/store/data-key.repository.js';
import { createKeyReportRepository } from '../../shared/store/key-reports.repository.js';
import { later, start } from '../domain/payment/a-payment.js';
import { openStore, type Store } from './open-store.js';

let store: Store;
let keys: DataKeyRepository;
beforeAll(async () => {
  store = await openStore('stored_keys', ['CardDataKey', 'KeyReport']);
});
beforeEach(async () => {
  await Promise.all([store.clear(), cvcKeys().deleteMany({})]);
  keys = createDataKeyRepository(store.database);
});
afterAll(() => store?.close());

const cvcKeys = () => store.database.ephemeral<DataKeyRow>(DATA_KEYS);
const row = (_id: string, more: Partial<DataKeyRow> = {}): DataKeyRow =>
  ({ _id, masterKeyId: 'k1', wrapped: _id, createdAt: start, ...more }) as DataKeyRow;
const put = (where: 'main' | 'ephemeral', ...rows: DataKeyRow[]) =>
  Promise.all(rows.map((one) => keys.insertOrRead(where, one)));
const ids = async (where: 'main' | 'ephemeral', kind: string) => (await keys.list(where, kind)).map(({ _id }) => _id);

describe('data keys', () => {
  test('are separate in each store: those of CVCs are in no backup', async () => {
    await put('main', row('card:1'));
    await put('ephemeral', row('cvc:1'));
    expect(await keys.find('main', 'card:1')).toMatchObject({ _id: 'card:1', masterKeyId: 'k1' });
    expect(await keys.find('ephemeral', 'card:1')).toBeUndefined();
    expect(await cvcKeys().countDocuments({ _id: 'cvc:1' })).toBe(1);
    expect(await keys.find('main', 'cvc:1')).toBeUndefined();
  });

  test('are inserted once for an id, and every other process gets the first', async () => {
    const [first, second] = [row('card:1'), row('card:1', { masterKeyId: 'k2' })];
    expect(await keys.insertOrRead('main', first)).toEqual(first);
    expect(await keys.insertOrRead('main', second)).toMatchObject({ masterKeyId: 'k1' });
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, n) => keys.insertOrRead('main', row('card:2', { masterKeyId: `m${n}` }))),
    );
    expect(new Set(many.map(({ masterKeyId }) => masterKeyId)).size).toBe(1);
  });

  test('are not inserted after an error other than a taken id, which is thrown', async () => {
    await expect(keys.insertOrRead('main', { ...row('card:1'), _id: { $bad: 1 } } as never)).rejects.toThrow();
  });

  test('are listed by exact kind, not by a common prefix', async () => {
    await put('main', row('card:1'), row('card:2'), row('card'), row('cards:1'), row('car:1'), row('card;1'));
    expect((await ids('main', 'card')).sort()).toEqual(['card:1', 'card:2']);
  });

  test('of a kind are destroyed by age', async () => {
    await put('ephemeral', row('cvc:1'), row('cvc:2', { createdAt: later(1) }), row('other:1'));
    expect(await keys.deleteCreatedUntil('ephemeral', 'cvc', later(-1))).toBe(0);
    expect(await keys.deleteCreatedUntil('ephemeral', 'cvc', start)).toBe(1);
    expect([await ids('ephemeral', 'cvc'), await ids('ephemeral', 'other')]).toEqual([['cvc:2'], ['other:1']]);
  });

  test('are destroyed only if they are still marked as unused in the same way', async () => {
    await put('main', row('card:1'), row('card:2'));
    const [one] = await keys.list('main', 'card');
    if (!one) throw new Error('it was stored');
    expect(await keys.deleteUnused('main', one)).toBe(false);
    await keys.markUnused('main', one, start);
    const marked = await keys.find('main', 'card:1');
    expect(marked?.unusedSince).toEqual(start);
    await keys.markUnused('main', one, later(5));
    expect(await keys.deleteUnused('main', marked as DataKeyRow)).toBe(false);
    await keys.markUnused('main', one, undefined);
    expect(await keys.find('main', 'card:1')).not.toHaveProperty('unusedSince');
    expect(await keys.deleteUnused('main', marked as DataKeyRow)).toBe(false);
    await keys.markUnused('main', one, start);
    expect(await keys.deleteUnused('main', marked as DataKeyRow)).toBe(true);
    expect(await ids('main', 'card')).toEqual(['card:2']);
  });

  test('name the master keys that wrap them, over both stores', async () => {
    await put('main', row('card:1'), row('card:2', { masterKeyId: 'k2' }));
    await put('ephemeral', row('cvc:1', { masterKeyId: 'k3' }), row('cvc:2'));
    expect([...(await keys.wrappingKeyIds())].sort()).toEqual(['k1', 'k2', 'k3']);
    const others: string[] = [];
    for await (const { _id } of keys.findWrappedByOthers('main', 'k1')) others.push(_id);
    expect(others).toEqual(['card:2']);
  });

  test('are replaced once by the key that was wrapped again', async () => {
    const [before, after] = [row('card:1'), row('card:1', { masterKeyId: 'k2', wrapped: 'new' })];
    await put('main', before);
    expect(await keys.replace('main', before, after)).toBe(true);
    expect(await keys.replace('main', before, row('card:1', { masterKeyId: 'k9' }))).toBe(false);
    expect(await keys.find('main', 'card:1')).toMatchObject({ masterKeyId: 'k2', createdAt: start });
  });
});

describe('reports of running processes', () => {
  const reports = () => createKeyReportRepository(store.database);
  const rows = () => store.database.collection<{ _id: string; expireAt: Date }>('key_reports');
  const holder = (role: string, host: string, pid: number, more: object = {}) =>
    ({ role, host, pid, masterKeyIds: ['k1'], ...more }) as never;

  test('are sorted by role, host and pid, without the fields of the store', async () => {
    await reports().renew('b', holder('web', 'host-b', 2));
    await reports().renew('a', holder('web', 'host-a', 9));
    await reports().renew('d', holder('web', 'host-b', 1));
    await reports().renew('c', holder('processor', '$host', 5, { processors: ['sandbox'] }));
    expect(await reports().findLive()).toEqual([
      { role: 'processor', host: '$host', pid: 5, masterKeyIds: ['k1'], processors: ['sandbox'] },
      { role: 'web', host: 'host-a', pid: 9, masterKeyIds: ['k1'] },
      { role: 'web', host: 'host-b', pid: 1, masterKeyIds: ['k1'] },
      { role: 'web', host: 'host-b', pid: 2, masterKeyIds: ['k1'] },
    ]);
    await reports().remove('c');
    expect((await reports().findLive()).map(({ role }) => role)).toEqual(['web', 'web', 'web']);
  });

  test('end after their time by the clock of MongoDB unless they are renewed', async () => {
    await reports().renew('a', holder('web', 'host-a', 1));
    const { timeMs } = await store.database.readClock();
    const [stored] = await rows().find({}).toArray();
    const leftMs = (stored?.expireAt.getTime() ?? 0) - timeMs;
    expect(leftMs).toBeLessThanOrEqual(limits.keyReportMs);
    expect(leftMs).toBeGreaterThan(0);
    await rows().updateOne({ _id: 'a' }, { $set: { expireAt: new Date(timeMs - 1) } });
    expect(await reports().findLive()).toEqual([]);
    await reports().renew('a', holder('web', 'host-a', 1));
    expect(await reports().findLive()).toHaveLength(1);
    expect(await rows().countDocuments({})).toBe(1);
  });
});
