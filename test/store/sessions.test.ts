/** Sessions on the real MongoDB: which keys see them, which of two concurrent changes wins, and what the sweeps find. */
import { limits } from '../../config/limits.js';
import type { Session } from '../../shared/domain/session/session.js';
import { createSessionRepository, type SessionRepository } from '../../shared/store/session.repository.js';
import { OF_LATER_RELEASE, openStore, type Store } from './open-store.js';

let store: Store;
let sessions: SessionRepository;
beforeAll(async () => {
  store = await openStore('sessions', ['Session']);
  sessions = createSessionRepository(store.database);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

const start = Date.UTC(2026, 0, 2, 3, 4, 5);
const at = (seconds: number) => new Date(start + seconds * 1_000);
const principal = { clientId: 'shop', keyId: 'key_a', merchants: 'all' } as const;

const session = (_id: string, more: Partial<Session> = {}): Session => ({
  _id,
  clientId: 'shop',
  keyId: 'key_a',
  merchants: 'all',
  merchantId: 1,
  traceId: 'trace',
  type: 'checkout',
  referenceId: `reference of ${_id}`,
  requestDigest: 'digest',
  status: 'pending',
  version: 1,
  createdAt: at(0),
  updatedAt: at(0),
  expiresAt: at(600),
  settings: { paymentMethodTypes: ['card'], tokenization: { type: 'temporal', features: [] } },
  tries: 0,
  events: [],
  eventSeq: 0,
  removeAt: new Date(Date.now() + 3_600_000),
  ...more,
});
const put = async (...all: Session[]) => {
  for (const one of all) expect(await sessions.insert(one)).toBe('inserted');
};
type Filter = Parameters<SessionRepository['list']>[1];
const listed = async (
  filter: Filter = {},
  who: Parameters<SessionRepository['list']>[0] = principal,
  page = 1,
  size = 10,
) => {
  const found = await sessions.list(who, filter, { page, size });
  return { ids: found.sessions.map(({ _id }) => _id), totalItems: found.totalItems };
};

test('a reference that exists already is a duplicate; another client may have the same reference', async () => {
  await put(session('a', { referenceId: 'r' }));
  expect(await sessions.insert(session('b', { referenceId: 'r' }))).toBe('duplicate');
  expect(await sessions.insert(session('a'))).toBe('duplicate');
  await put(session('c', { referenceId: 'r', clientId: 'other' }));
  expect(await sessions.findByReference('shop', 'r')).toMatchObject({ _id: 'a', schemaVersion: 1 });
  expect(await sessions.findByReference('other', 'r')).toHaveProperty('_id', 'c');
  expect(await sessions.findByReference('third', 'r')).toBeUndefined();
  await expect(sessions.insert(session('d', { traceId: 'x'.repeat(17_000_000) }))).rejects.toThrow();
});

test('a key lists its sessions and those of the keys it replaced, newest first, in pages', async () => {
  await put(session('a'), session('b', { createdAt: at(1) }), session('c', { createdAt: at(1) }));
  await put(session('of another key', { keyId: 'key_b' }), session('of another client', { clientId: 'other' }));
  expect(await listed()).toEqual({ ids: ['c', 'b', 'a'], totalItems: 3 });
  expect(await listed({}, principal, 2, 2)).toEqual({ ids: ['a'], totalItems: 3 });
  expect((await listed({}, { ...principal, keyId: 'key_c', rootKeyId: 'key_a' })).ids).toEqual(['c', 'b', 'a']);
  expect((await listed({}, { ...principal, keyId: 'key_b' })).ids).toEqual(['of another key']);
});

test('a list is filtered by merchant, reference and an inclusive range of dates', async () => {
  await put(session('a'), session('b', { merchantId: 2, createdAt: at(1) }), session('c', { createdAt: at(2) }));
  expect((await listed({ merchantId: 2 })).ids).toEqual(['b']);
  expect((await listed({ referenceId: 'reference of a' })).ids).toEqual(['a']);
  expect((await listed({ minDate: at(1) })).ids).toEqual(['c', 'b']);
  expect((await listed({ maxDate: at(1) })).ids).toEqual(['b', 'a']);
  expect((await listed({ minDate: at(1), maxDate: at(1) })).ids).toEqual(['b']);
});

test('a secondary key lists only the sessions of its merchants, also when it asks for another', async () => {
  await put(session('a'), session('b', { merchantId: 2 }));
  const secondary = { ...principal, merchants: [2] };
  expect(await listed({}, secondary)).toEqual({ ids: ['b'], totalItems: 1 });
  expect((await listed({ merchantId: 2 }, secondary)).ids).toEqual(['b']);
  expect(await listed({ merchantId: 1 }, secondary)).toEqual({ ids: [], totalItems: 0 });
});

test('a change is planned again from the newest session, and is stored once', async () => {
  const before = session('a');
  await put(before);
  const grown = (one: Session) => ({ ...one, tries: one.tries + 1 });
  expect(await sessions.update(before, grown)).toMatchObject({ tries: 1, version: 2 });
  // `before` is no longer the newest version.
  expect(await sessions.update(before, grown)).toMatchObject({ tries: 2, version: 3 });
  expect(await sessions.findById('a')).toMatchObject({ tries: 2, version: 3 });
  expect(await sessions.update(before, () => undefined)).toBeUndefined();
  expect(await sessions.findById('a')).toMatchObject({ version: 3 });
});

test('a session that is gone is an error that says so', async () => {
  await expect(sessions.update(session('a'), (one) => one)).rejects.toThrow('session a is gone');
});

test('a change that others always overtake fails after its last try and changes nothing', async () => {
  await put(session('a'));
  const rows = store.database.collection<Session>('sessions');
  let tries = 0;
  const overtaken = new Proxy(rows, {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'replaceOne') return member.bind(target);
      return async (...args: Parameters<typeof rows.replaceOne>) => {
        tries += 1;
        await rows.updateOne({ _id: 'a' }, { $inc: { version: 1 } });
        return target.replaceOne(...args);
      };
    },
  });
  const slow = createSessionRepository(Object.create(store.database, { collection: { value: () => overtaken } }));
  await expect(slow.update(session('a'), (one) => ({ ...one, tries: 9 }))).rejects.toThrow(
    `session a was written by others ${limits.saveTriesMax} times in a row`,
  );
  expect(tries).toBe(limits.saveTriesMax);
  expect(await sessions.findById('a')).toMatchObject({ tries: 0, version: 1 + tries });
});

test('a session of a newer release is neither changed nor swept', async () => {
  const newer = session('a', { schemaVersion: OF_LATER_RELEASE, checkAt: at(0), announceAt: at(0) });
  await put(newer, session('b', { checkAt: at(0), announceAt: at(0) }));
  await expect(sessions.update(newer, (one) => one)).rejects.toThrow('a of sessions was written by a newer release');
  expect((await sessions.findToCheck(at(0), 10)).map(({ _id }) => _id)).toEqual(['b']);
  expect((await sessions.findToAnnounce(at(0), 10)).map(({ _id }) => _id)).toEqual(['b']);
});

test.each([
  ['findToCheck', 'checkAt'],
  ['findToAnnounce', 'announceAt'],
] as const)('%s finds due sessions, longest waiting first, a page at a time', async (find, field) => {
  const due = (_id: string, seconds: number) => session(_id, { [field]: at(seconds) });
  await put(due('b', 2), due('a', 1), due('c', 3), due('later', 4), session('never'));
  expect((await sessions[find](at(3), 10)).map(({ _id }) => _id)).toEqual(['a', 'b', 'c']);
  expect((await sessions[find](at(3), 2)).map(({ _id }) => _id)).toEqual(['a', 'b']);
  expect((await sessions[find](at(3), 1, 2)).map(({ _id }) => _id)).toEqual(['c']);
});

test('removing a session removes no other', async () => {
  await put(session('a'), session('b'));
  await sessions.remove(session('a'));
  expect(await sessions.findById('a')).toBeUndefined();
  expect(await sessions.findById('b')).toBeDefined();
});
