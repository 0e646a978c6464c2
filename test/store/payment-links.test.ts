/** Payment links on the real MongoDB: who sees and pays them, which of two concurrent changes wins, and what the sweeps find. */
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { settleLink } from '../../shared/flows/settle-link.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { createPaymentLinkRepository, type PaymentLinkRepository } from '../../shared/store/payment-link.repository.js';
import { OF_LATER_RELEASE, openStore, type Store } from './open-store.js';

let store: Store;
let links: PaymentLinkRepository;
beforeAll(async () => {
  store = await openStore('links', ['PaymentLink']);
  links = createPaymentLinkRepository(store.database);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

const start = Date.UTC(2026, 0, 2, 3, 4, 5);
const at = (seconds: number) => new Date(start + seconds * 1_000);
const principal = { clientId: 'shop', keyId: 'key_a', merchants: 'all' } as const;

const link = (_id: string, more: Partial<PaymentLink> = {}): PaymentLink => ({
  _id,
  externalId: `external id of ${_id}`,
  clientId: 'shop',
  keyId: 'key_a',
  merchants: 'all',
  merchantId: 1,
  traceId: 'trace',
  type: 'regular',
  status: 'active',
  createdAt: at(0),
  updatedAt: at(0),
  currencies: ['USD'],
  settings: { amountMode: 'fixed', skipPreCheckout: false },
  splitDestinations: [],
  entries: 0,
  claim: 1,
  ...more,
});
const put = async (...all: PaymentLink[]) => {
  for (const one of all) expect(await links.insert(one)).toBe('inserted');
};
const idsOf = (found: readonly { readonly _id: string }[]) => found.map(({ _id }) => _id);
type List = Parameters<PaymentLinkRepository['list']>;
const listed = async (filter: List[1] = {}, who: List[0] = principal, page: List[2] = { page: 1, size: 10 }) => {
  const found = await links.list(who, filter, page, at(0));
  return { ids: idsOf(found.links), totalItems: found.totalItems };
};

test('an id or an external id that exists already is a duplicate', async () => {
  await put(link('a'));
  expect(await links.insert(link('a', { externalId: 'another' }))).toBe('duplicate');
  expect(await links.insert(link('b', { externalId: link('a').externalId }))).toBe('duplicate');
  expect(await links.findById('a')).toEqual({ ...link('a'), schemaVersion: 1 });
  expect(await links.findByExternalId(link('a').externalId)).toHaveProperty('_id', 'a');
  expect(await links.findByExternalId('a')).toBeUndefined();
  await expect(links.insert(link('c', { description: 'x'.repeat(17_000_000) }))).rejects.toThrow();
});

test('the newest quick-pay link of a merchant that can be paid now is found', async () => {
  const quick = (_id: string, seconds: number, more: Partial<PaymentLink> = {}) =>
    link(_id, { type: 'quick-pay', createdAt: at(seconds), ...more });
  const owner = { clientId: 'shop', merchantId: 1 };
  const found = async () => (await links.findQuickPay(owner, at(0)))?._id;
  expect(await found()).toBeUndefined();
  await put(
    quick('old', 1),
    quick('new', 2),
    quick('disabled', 3, { status: 'disabled' }),
    quick('over', 4, { validUntil: at(0) }),
    quick('not yet', 5, { validFrom: at(1) }),
    quick('of another merchant', 6, { merchantId: 2 }),
    quick('of another client', 7, { clientId: 'other' }),
    link('regular', { createdAt: at(8) }),
  );
  expect(await found()).toBe('new');
  await put(quick('from now on', 9, { validFrom: at(0), validUntil: at(1) }));
  expect(await found()).toBe('from now on');
});

test('a list is newest first, in pages, without pictures, of the merchants that the key may see', async () => {
  await put(
    link('a', { picture: { address: 'x', svg: '<svg/>' } }),
    link('b', { merchantId: 2, createdAt: at(1) }),
    link('c', { createdAt: at(1), type: 'one-time' }),
    link('z', { clientId: 'other' }),
  );
  expect(await listed()).toEqual({ ids: ['c', 'b', 'a'], totalItems: 3 });
  expect(await listed({}, principal, { page: 2, size: 2 })).toEqual({ ids: ['a'], totalItems: 3 });
  expect((await links.list(principal, {}, { page: 1, size: 10 }, at(0))).links[2]).not.toHaveProperty('picture');
  expect((await listed({ merchantId: 2 })).ids).toEqual(['b']);
  expect((await listed({ type: 'one-time' })).ids).toEqual(['c']);
  const secondary = { ...principal, merchants: [2] };
  expect(await listed({}, secondary)).toEqual({ ids: ['b'], totalItems: 1 });
  expect((await listed({ merchantId: 2 }, secondary)).ids).toEqual(['b']);
  expect(await listed({ merchantId: 1 }, secondary)).toEqual({ ids: [], totalItems: 0 });
});

test('a link whose time is over is listed as expired even before the sweep marks it', async () => {
  await put(
    link('open'),
    link('still', { validUntil: at(1) }),
    link('over', { validUntil: at(0) }),
    link('swept', { status: 'expired' }),
    link('done', { status: 'completed', validUntil: at(0) }),
    link('off', { status: 'disabled' }),
  );
  const of = async (status: PaymentLink['status']) => (await listed({ status })).ids.sort();
  expect(await of('active')).toEqual(['open', 'still']);
  expect(await of('expired')).toEqual(['over', 'swept']);
  expect(await of('completed')).toEqual(['done']);
  expect(await of('disabled')).toEqual(['off']);
});

describe('among many links MongoDB reads only those of the page', () => {
  const MANY = 400;
  const rare = { status: 'disabled', type: 'one-time', merchantId: 2 } as const;
  const ofQuery = { op: 'query', ns: /payment_links$/ };
  const profiled = async (ask: () => Promise<unknown>) => {
    const db = store.database.connection.db;
    await db?.command({ profile: 2 });
    await ask();
    await db?.command({ profile: 0 });
    const seen = await db?.collection('system.profile').find(ofQuery).sort({ ts: -1 }).limit(1).toArray();
    return seen?.[0];
  };
  beforeEach(async () => {
    // The expired links are the oldest: a search passes all other links before it finds them.
    await put(link('rare', rare), link('over', { validUntil: at(0) }), link('swept', { status: 'expired' }));
    await Promise.all(Array.from({ length: MANY }, (_, n) => put(link(`many ${n}`, { createdAt: at(n + 1) }))));
  });

  test.each<[List[1], number]>([
    [{ status: 'disabled' }, 1],
    [{ type: 'one-time' }, 1],
    [{ status: 'expired' }, 2],
    [{ status: 'active' }, 10],
    [{ merchantId: 1, status: 'expired' }, 2],
    [{ merchantId: 1, type: 'one-time', status: 'active' }, 0],
    [{ merchantId: 2, type: 'one-time' }, 1],
    [{}, 10],
  ])('%j', async (filter, found) => {
    let ids: string[] = [];
    const seen = await profiled(async () => {
      ids = (await listed(filter)).ids;
    });
    expect(ids).toHaveLength(found);
    expect(seen).toMatchObject({ nreturned: found, docsExamined: found });
    expect(seen).not.toHaveProperty('hasSortStage');
  });

  test('the search for a quick-pay link reads nothing when there is none', async () => {
    expect(await profiled(() => links.findQuickPay({ clientId: 'shop', merchantId: 1 }, at(0)))).toMatchObject({
      docsExamined: 0,
    });
  });
});

test('a link moves once, only from the given states, and is not due for a check any more', async () => {
  await put(link('a', { checkAt: at(5) }));
  expect(await links.move('a', ['disabled'], 'active', at(1))).toBeUndefined();
  const moved = await links.move('a', ['disabled', 'active'], 'expired', at(1));
  expect(moved).toMatchObject({ status: 'expired', updatedAt: at(1) });
  expect(moved).not.toHaveProperty('checkAt');
  expect(await links.findById('a')).toEqual(moved);
  expect(await links.move('a', ['active'], 'disabled', at(2))).toBeUndefined();
  expect(await links.move('none', ['active'], 'disabled', at(2))).toBeUndefined();
});

test('split destinations are replaced as a whole', async () => {
  await put(link('a', { splitDestinations: [{ old: true }] as never }));
  const changed = await links.setSplit('a', [{ new: true }] as never, at(1));
  expect(changed).toMatchObject({ splitDestinations: [{ new: true }], updatedAt: at(1) });
  expect(await links.findById('a')).toEqual(changed);
  expect(await links.setSplit('none', [], at(1))).toBeUndefined();
});

test('each of many payers at once gets its own number', async () => {
  await put(link('a'));
  const numbers = await Promise.all(Array.from({ length: 8 }, () => links.countEntry('a')));
  expect(numbers.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await expect(links.countEntry('none')).rejects.toThrow('payment link none is gone');
});

test('a failed claim is followed by the next claim once', async () => {
  await put(link('a'));
  expect(await links.nextClaim('a', 1)).toMatchObject({ claim: 2 });
  expect(await links.nextClaim('a', 1)).toMatchObject({ claim: 2 });
  // A caller that saw an earlier claim fail does not undo a later claim.
  expect(await links.nextClaim('a', 2)).toMatchObject({ claim: 3 });
  expect(await links.nextClaim('a', 1)).toMatchObject({ claim: 3 });
  expect(await links.nextClaim('none', 1)).toBeUndefined();
});

test('a check is planned while the link is active, and a check requested meanwhile stays due', async () => {
  await put(link('a'), link('off', { status: 'disabled' }), link('over', { status: 'expired' }));
  const checkAt = async (id: string) => (await links.findById(id))?.checkAt;
  expect([await links.lookAt('a', at(1)), await links.lookAt('off', at(1))]).toEqual([true, false]);
  expect([await checkAt('a'), await checkAt('off')]).toEqual([at(1), undefined]);
  // The link was read without a check, and a check was requested since.
  await links.lookAgain({ _id: 'a' }, at(9));
  await links.lookAgain({ _id: 'a', checkAt: at(0) }, undefined);
  expect(await checkAt('a')).toEqual(at(1));
  await links.lookAgain({ _id: 'a', checkAt: at(1) }, at(2));
  expect(await checkAt('a')).toEqual(at(2));
  await links.lookAgain({ _id: 'a', checkAt: at(2) }, undefined);
  expect(await links.findById('a')).not.toHaveProperty('checkAt');
  await links.lookAgain({ _id: 'a' }, at(3));
  await links.lookAgain({ _id: 'off' }, at(3));
  expect([await checkAt('a'), await checkAt('off')]).toEqual([at(3), undefined]);
  // An expired link is still checked for a payment that began before its end.
  await links.lookAgain({ _id: 'over' }, at(3));
  expect(await checkAt('over')).toEqual(at(3));
});

test('a link read before a payer came does not expire: the payment decides', async () => {
  const payments = createPaymentRepository(store.database, true);
  await put(link('a', { type: 'one-time', validUntil: at(1), checkAt: at(1) }));
  const [seen] = await links.findToCheck(at(1), 9);
  if (!seen) throw new Error('the link is not found');
  expect(await links.lookAt('a', at(5))).toBe(true);
  expect(await settleLink({ links, payments }, seen, at(1))).toEqual(seen);
  expect(await links.findById('a')).toMatchObject({ status: 'active', checkAt: at(5) });
  const [again] = await links.findToCheck(at(5), 9);
  expect(await settleLink({ links, payments }, again ?? seen, at(5))).toMatchObject({ status: 'expired' });
  expect(await links.findById('a')).not.toHaveProperty('checkAt');
  expect(await links.lookAt('a', at(9))).toBe(false);
  await put(link('unseen'));
  expect(await links.expire({ _id: 'unseen' }, at(1))).toMatchObject({ status: 'expired', updatedAt: at(1) });
  expect(await links.expire({ _id: 'unseen' }, at(2))).toBeUndefined();
});

test('a picture is stored only for the address that is wanted now', async () => {
  await put(link('a'));
  const picture = async () => (await links.findById('a'))?.picture;
  await links.savePicture('a', 'x', '<svg/>');
  expect(await picture()).toBeUndefined();
  await links.wantPicture('a', 'x', at(1));
  expect(await picture()).toEqual({ address: 'x', drawAt: at(1) });
  await links.wantPicture('a', 'x', at(2));
  expect(await picture()).toEqual({ address: 'x', drawAt: at(1) });
  await links.savePicture('a', 'y', '<svg/>');
  expect(await picture()).toEqual({ address: 'x', drawAt: at(1) });
  await links.savePicture('a', 'x', '<svg/>');
  expect(await picture()).toEqual({ address: 'x', svg: '<svg/>' });
  await links.wantPicture('a', 'y', at(3));
  expect(await picture()).toEqual({ address: 'y', drawAt: at(3) });
});

test.each([
  ['findToCheck', (when: Date) => ({ checkAt: when })],
  ['findToDraw', (when: Date) => ({ picture: { address: 'x', drawAt: when } })],
] as const)('%s finds due links, longest waiting first, a page at a time', async (find, due) => {
  await put(
    link('b', due(at(2))),
    link('a', due(at(1))),
    link('c', due(at(3))),
    link('later', due(at(4))),
    link('never'),
  );
  await put(link('of a later release', { ...due(at(0)), schemaVersion: OF_LATER_RELEASE }));
  expect(idsOf(await links[find](at(3), 10))).toEqual(['a', 'b', 'c']);
  expect(idsOf(await links[find](at(3), 2))).toEqual(['a', 'b']);
  expect(idsOf(await links[find](at(3), 1, 2))).toEqual(['c']);
});

test('a link of a newer release is neither moved, claimed nor drawn', async () => {
  const picture = { address: 'x', drawAt: at(0) };
  const newer = link('a', { schemaVersion: OF_LATER_RELEASE, picture });
  await put(newer);
  expect(await links.move('a', ['active'], 'disabled', at(1))).toBeUndefined();
  expect(await links.nextClaim('a', 1)).toMatchObject({ claim: 1 });
  await links.wantPicture('a', 'y', at(1));
  await links.savePicture('a', 'x', '<svg/>');
  expect(await links.findById('a')).toEqual(newer);
});
