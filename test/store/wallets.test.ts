/** Wallets on the real MongoDB: integrations and certificates, tokens that one process opens, and tokens that are used up. */
import { limits } from '../../config/limits.js';
import type { WalletCertificate } from '../../shared/domain/wallet/integration.js';
import type { WalletOpening } from '../../shared/domain/wallet/opening.js';
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import { createWalletOpeningRepository } from '../../shared/store/wallet-opening.repository.js';
import { createWalletUseRepository } from '../../shared/store/wallet-use.repository.js';
import { OF_LATER_RELEASE, openStore, type Store } from './open-store.js';

let store: Store;
beforeAll(async () => {
  store = await openStore('wallets', ['WalletIntegration', 'WalletOpening', 'WalletUse']);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

const start = new Date('2026-01-02T03:04:05Z');
const later = (ms: number) => new Date(start.getTime() + ms);

describe('integrations', () => {
  const integrations = () => createWalletIntegrationRepository(store.database);
  const A = { merchantId: 1, walletType: 'wallet-a-pay' } as const;
  const B = { merchantId: 1, walletType: 'wallet-b-pay' } as const;
  const certificate = (publicKeyHash: string, expiresAt = later(1_000)) =>
    ({
      publicKeyHash,
      publicKey: 'key',
      merchantIdentifier: 'm',
      expiresAt,
      uploadedAt: later(5),
    }) as WalletCertificate;

  test('enabling again keeps the configuration time, and the profile unless a new one is given', async () => {
    const { enable, disable, find } = integrations();
    const profile = { profileMode: 'service', allowedOrigins: ['https://a.example'] } as never;
    const first = await enable(A, { mode: 'api', profile }, start);
    expect(first).toEqual({ ...A, enabled: true, mode: 'api', profile, configuredAt: start, lastUpdatedAt: start });
    const again = await enable(A, { mode: 'both' }, later(1));
    expect(again).toEqual({ ...first, mode: 'both', lastUpdatedAt: later(1) });
    expect(await find(1, 'wallet-a-pay')).toEqual(again);
    expect(await find(1, 'wallet-b-pay')).toBeUndefined();
    expect(await find(2, 'wallet-a-pay')).toBeUndefined();
    expect(await disable(1, 'wallet-a-pay', later(2))).toEqual({ ...again, enabled: false, lastUpdatedAt: later(2) });
    expect(await disable(1, 'wallet-b-pay', later(2))).toBeUndefined();
  });

  test('the newest certificates are kept, newest first; a known key or a disabled wallet adds none', async () => {
    const { enable, disable, addCertificate } = integrations();
    expect(await addCertificate(1, certificate('a'))).toBeUndefined();
    await enable(B, { mode: 'api' }, start);
    const names = Array.from({ length: limits.walletCertificatesKept + 1 }, (_, n) => `hash${n}`);
    for (const name of names) expect(await addCertificate(1, certificate(name))).toBeDefined();
    const last = names.at(-1) as string;
    expect(await addCertificate(1, certificate(last))).toBeUndefined();
    const now = await integrations().find(1, 'wallet-b-pay');
    expect(now?.certificates?.map(({ publicKeyHash }) => publicKeyHash)).toEqual(names.slice(1).reverse());
    expect(now).toMatchObject({ lastUpdatedAt: later(5) });
    await disable(1, 'wallet-b-pay', later(6));
    expect(await addCertificate(1, certificate('new'))).toBeUndefined();
  });

  test('an operator is warned at intervals when the newest certificate of an enabled wallet ends soon', async () => {
    const { enable, disable, addCertificate, findEnding, markWarned } = integrations();
    for (const merchantId of [1, 2, 3]) await enable({ ...B, merchantId }, { mode: 'api' }, start);
    await addCertificate(1, certificate('ends', later(10)));
    await addCertificate(2, certificate('ends later', later(11)));
    await addCertificate(3, certificate('ends too', later(10)));
    await disable(3, 'wallet-b-pay', start);
    const ending = async (warnedBefore: Date) =>
      (await findEnding(later(11), warnedBefore)).map(({ merchantId }) => merchantId);
    expect(await ending(start)).toEqual([1]);
    const marked = await Promise.all(Array.from({ length: 8 }, () => markWarned(1, start, later(1))));
    expect(marked.filter(Boolean)).toHaveLength(1);
    expect(await integrations().find(1, 'wallet-b-pay')).toHaveProperty('warnedAt', later(1));
    expect([await ending(later(1)), await ending(later(2))]).toEqual([[], [1]]);
    expect(await markWarned(1, later(1), later(3))).toBe(false);
    expect(await markWarned(1, later(2), later(3))).toBe(true);
    // There was no warning for the new certificate yet.
    await addCertificate(1, certificate('new', later(10)));
    expect(await ending(start)).toEqual([1]);
    expect(await integrations().find(1, 'wallet-b-pay')).not.toHaveProperty('certificateEndsAt');
  });
});

describe('openings', () => {
  const openings = () => createWalletOpeningRepository(store.database);
  const opening = (_id: string, more: Partial<WalletOpening> = {}): WalletOpening => ({
    ...{ _id, clientId: 'shop', merchantId: 1, walletType: 'wallet-a-pay', status: 'waiting' },
    ...{ payload: { v: 1, kid: 'k' } as never, createdAt: start, leaseUntil: start, destroyAt: later(60_000) },
    ...more,
  });

  test('one process claims a token, and another may when the lease is over', async () => {
    const { insert, claim, find } = openings();
    await insert(opening('a'));
    expect(await find('a')).toEqual({ ...opening('a'), schemaVersion: 1 });
    expect(await claim('a', later(-1))).toBeUndefined();
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim('a', start)));
    expect(claims.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await find('a')).toHaveProperty('leaseUntil', later(limits.leaseMs));
    expect(await claim('a', later(limits.leaseMs - 1))).toBeUndefined();
    expect(await claim('a', later(limits.leaseMs))).toBeDefined();
  });

  test('the result of an opening is stored once, and the token is not opened again', async () => {
    const { insert, claim, settle, find, remove } = openings();
    await insert(opening('a'));
    await settle('a', { status: 'refused', reason: 'signature' });
    await settle('a', { status: 'opened', credential: {} as never });
    expect(await find('a')).toMatchObject({ status: 'refused', reason: 'signature' });
    expect(await find('a')).not.toHaveProperty('credential');
    expect(await claim('a', later(1))).toBeUndefined();
    await insert(opening('b'));
    await remove('a');
    expect([await find('a'), (await find('b'))?._id]).toEqual([undefined, 'b']);
  });

  test('waiting openings without a holder are found, longest waiting first, until they are due for destruction', async () => {
    const { insert, findWaiting, claim, settle } = openings();
    const made = (_id: string, ms: number, more: Partial<WalletOpening> = {}) =>
      insert(opening(_id, { createdAt: later(ms), ...more }));
    await made('b', 2);
    await made('a', 1);
    await made('too young', 4);
    await made('held', 1, { leaseUntil: later(11) });
    await made('over', 1, { destroyAt: later(10) });
    await made('of a later release', 1, { schemaVersion: OF_LATER_RELEASE });
    await made('done', 1);
    await settle('done', { status: 'refused', reason: 'x' });
    expect(await findWaiting(later(3), later(10), 10)).toEqual(['a', 'b']);
    expect(await findWaiting(later(3), later(10), 1)).toEqual(['a']);
    expect(await claim('over', later(10))).toBeUndefined();
    expect(await claim('of a later release', later(10))).toBeUndefined();
  });

  test('a due opening is removed, whatever its result', async () => {
    const { insert, removeDue, settle, find } = openings();
    await insert(opening('a', { destroyAt: later(1) }));
    await insert(opening('b', { destroyAt: later(1) }));
    await insert(opening('c', { destroyAt: later(2) }));
    await settle('b', { status: 'opened', credential: {} as never });
    expect(await removeDue(start)).toBe(0);
    expect(await removeDue(later(1))).toBe(2);
    expect(await find('c')).toBeDefined();
  });
});

test('a token belongs to the first owner that claims it, which may claim it again, until the use is removed', async () => {
  const uses = createWalletUseRepository(store.database);
  const use = (owner: string, more: object = {}) =>
    ({ walletType: 'wallet-a-pay', uniqueId: 'token', owner, ...more }) as const;
  const claims = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => uses.claim(use(owner), start)));
  expect(claims.filter(Boolean)).toHaveLength(1);
  const winner = ['a', 'b', 'c', 'd'][claims.indexOf(true)] as string;
  expect(await uses.claim(use(winner), start)).toBe(true);
  expect(await uses.claim({ ...use('e'), uniqueId: 'another' }, start)).toBe(true);
  expect(await uses.claim({ ...use('e'), walletType: 'wallet-b-pay' }, start)).toBe(true);
  expect(await uses.removeDue(later(limits.walletUseKeptMs - 1))).toBe(0);
  expect(await uses.removeDue(later(limits.walletUseKeptMs))).toBe(3);
  expect(await uses.claim(use('f'), start)).toBe(true);
  await expect(uses.claim(use('x'.repeat(17_000_000), { uniqueId: 'large' }), start)).rejects.toThrow();
});
