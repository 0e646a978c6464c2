/** API keys and their clients on the real MongoDB: which are found, and that the earliest end of a key is kept. */
import type { ApiKeyRow } from '../../shared/store/client.model.js';
import { type ClientRepository, createClientRepository } from '../../shared/store/client.repository.js';
import { openStore, type Store } from './open-store.js';

let store: Store;
let clients: ClientRepository;
beforeAll(async () => {
  store = await openStore('keys', ['Client', 'ApiKey']);
  clients = createClientRepository(store.database);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

const start = Date.UTC(2026, 0, 2, 3, 4, 5);
const at = (seconds: number) => new Date(start + seconds * 1_000);
const client = (_id: string, seconds = 0) => ({ _id, name: `name of ${_id}`, createdAt: at(seconds) });
const key = (_id: string, more: Partial<ApiKeyRow> = {}): ApiKeyRow => ({
  _id,
  clientId: 'shop',
  digest: `digest of ${_id}`,
  last4: 'abcd',
  kind: 'primary',
  merchantIds: [],
  createdAt: at(0),
  ...more,
});
const idsOf = (found: readonly { readonly _id: string }[]) => found.map(({ _id }) => _id);

test('clients are found by id, and all of them oldest first', async () => {
  for (const one of [client('c', 1), client('b', 1), client('a', 2)]) await clients.insertClient(one);
  await expect(clients.insertClient(client('a'))).rejects.toMatchObject({ code: 11000 });
  expect(await clients.findClient('a')).toEqual(client('a', 2));
  expect(await clients.findClient('none')).toBeUndefined();
  expect(idsOf(await clients.findClients())).toEqual(['b', 'c', 'a']);
});

test('the keys of a client are found without the revoked ones, or all of them oldest first', async () => {
  await clients.insertKey(key('new', { createdAt: at(1), expiresAt: at(2) }));
  await clients.insertKey(key('b'));
  await clients.insertKey(key('a', { revokedAt: at(1) }));
  await clients.insertKey(key('of another', { clientId: 'other' }));
  await expect(clients.insertKey(key('same', { digest: 'digest of a' }))).rejects.toMatchObject({ code: 11000 });
  expect(await clients.findKey('new')).toEqual(key('new', { createdAt: at(1), expiresAt: at(2) }));
  expect(await clients.findKey('none')).toBeUndefined();
  expect(idsOf(await clients.findKeys('shop')).sort()).toEqual(['b', 'new']);
  expect(idsOf(await clients.findEveryKey('shop'))).toEqual(['a', 'b', 'new']);
});

test('the merchants of a secondary key can be replaced, those of a primary key cannot', async () => {
  await clients.insertKey(key('primary'));
  await clients.insertKey(key('secondary', { kind: 'secondary', merchantIds: [1] }));
  expect(await clients.setMerchants('secondary', [2, 3])).toBe(true);
  expect(await clients.findKey('secondary')).toHaveProperty('merchantIds', [2, 3]);
  expect(await clients.setMerchants('primary', [2])).toBe(false);
  expect(await clients.findKey('primary')).toHaveProperty('merchantIds', []);
  expect(await clients.setMerchants('none', [2])).toBe(false);
});

test('merchants that are added and removed at once are all added and removed', async () => {
  await clients.insertKey(key('primary'));
  await clients.insertKey(key('secondary', { kind: 'secondary', merchantIds: [1, 2] }));
  const changes = [
    clients.addMerchants('secondary', [3, 4]),
    clients.removeMerchants('secondary', [1]),
    clients.addMerchants('secondary', [2, 5]),
  ];
  expect(await Promise.all(changes)).toEqual([true, true, true]);
  expect([...((await clients.findKey('secondary'))?.merchantIds ?? [])].sort()).toEqual([2, 3, 4, 5]);
  expect([await clients.addMerchants('primary', [2]), await clients.removeMerchants('none', [2])]).toEqual([
    false,
    false,
  ]);
});

test.each([
  ['expireKey', 'expiresAt'],
  ['revokeKey', 'revokedAt'],
] as const)('%s keeps the earliest end', async (end, field) => {
  await clients.insertKey(key('a'));
  const of = async () => (await clients.findKey('a'))?.[field];
  expect(await clients[end]('a', at(5))).toBe(true);
  expect(await of()).toEqual(at(5));
  expect(await clients[end]('a', at(9))).toBe(true);
  expect(await of()).toEqual(at(5));
  expect(await clients[end]('a', at(1))).toBe(true);
  expect(await of()).toEqual(at(1));
  expect(await clients[end]('none', at(1))).toBe(false);
});
