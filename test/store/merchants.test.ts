/** Merchants, their payment methods, logos and settings of links on the real MongoDB. */
import { limits } from '../../config/limits.js';
import { createLinkSettingsRepository } from '../../shared/store/link-settings.repository.js';
import { createMerchantRepository, type MerchantRepository } from '../../shared/store/merchant.repository.js';
import { createMerchantLogoRepository } from '../../shared/store/merchant-logo.repository.js';
import {
  createMerchantPaymentMethodRepository,
  findProcessorsInUse,
  type MerchantPaymentMethodRepository,
} from '../../shared/store/merchant-payment-method.repository.js';
import {
  createProcessorCredentialsRepository,
  credentialsId,
} from '../../shared/store/processor-credentials.repository.js';
import { openStore, type Store } from './open-store.js';

const start = Date.UTC(2026, 0, 2, 3, 4, 5);
const at = (seconds: number) => new Date(start + seconds * 1_000);
let now = at(0);
const clock = { now: () => now };

let store: Store;
let merchants: MerchantRepository;
let methods: MerchantPaymentMethodRepository;
beforeAll(async () => {
  const models = [
    'Merchant',
    'Counter',
    'PaymentMethod',
    'MerchantLogo',
    'PaymentLinkSettings',
    'ProcessorCredentials',
  ];
  store = await openStore('merchants', models);
});
beforeEach(async () => {
  await store.clear();
  now = at(0);
  merchants = createMerchantRepository(store.database, clock);
  methods = createMerchantPaymentMethodRepository(store.database, clock);
});
afterAll(() => store?.close());

const shop = (name: string, more: { id?: number; clientId?: string } = {}) =>
  merchants.insertMerchant({ clientId: 'shop', name, ...more });
/** Opens a repository as in another process, with an empty cache. */
const elsewhere = () => createMerchantRepository(store.database, clock);

describe('merchants', () => {
  test('merchant ids begin at 10001 and skip those that were chosen by hand', async () => {
    await shop('chosen', { id: 10_002 });
    expect([(await shop('a')).id, (await shop('b')).id]).toEqual([10_001, 10_003]);
    await expect(shop('taken', { id: 10_002 })).rejects.toMatchObject({ code: 11000 });
    expect(await merchants.findMerchant(10_002)).toEqual({
      ...{ id: 10_002, clientId: 'shop', name: 'chosen', status: 'active' },
      ...{ createdAt: at(0), updatedAt: at(0) },
    });
  });

  test('a long run of ids chosen by hand makes one insert fail, and the next one continues after it', async () => {
    for (let id = 10_001; id < 10_001 + limits.merchantNumberTriesMax; id += 1) await shop('chosen', { id });
    await expect(shop('a')).rejects.toMatchObject({ code: 11000 });
    expect(await shop('b')).toHaveProperty('id', 10_001 + limits.merchantNumberTriesMax);
  });

  test('a change is seen at once in this process, and in another when its cached merchant is too old', async () => {
    const other = elsewhere();
    await shop('a', { id: 1 });
    expect(await other.findMerchant(1)).toHaveProperty('status', 'active');
    expect(await merchants.findMerchant(1)).toHaveProperty('status', 'active');
    now = at(1);
    expect(await merchants.setStatus(1, 'suspended')).toBe(true);
    expect(await merchants.findMerchant(1)).toMatchObject({ status: 'suspended', updatedAt: at(1) });
    expect(await other.findMerchant(1)).toHaveProperty('status', 'active');
    expect(await other.readMerchant(1)).toHaveProperty('status', 'suspended');
    await merchants.setStatus(1, 'active');
    now = new Date(at(1).getTime() + limits.merchantCacheMs + 1);
    expect(await other.findMerchant(1)).toHaveProperty('status', 'active');
  });

  test('a missing merchant is not cached as missing', async () => {
    expect(await merchants.findMerchant(1)).toBeUndefined();
    await shop('a', { id: 1 });
    expect(await merchants.findMerchant(1)).toHaveProperty('name', 'a');
  });

  test('a page has the merchants of a client that the caller may see, newest first, by a part of the name', async () => {
    await shop('Flowers (big)', { id: 1 });
    await shop('flowers and more', { id: 2 });
    now = at(1);
    await shop('Bread', { id: 3 });
    await shop('Flowers', { id: 4, clientId: 'other' });
    const page = async (more: Partial<Parameters<MerchantRepository['pageMerchants']>[0]> = {}) => {
      const found = await merchants.pageMerchants({ clientId: 'shop', merchants: 'all', page: 1, size: 10, ...more });
      return { ids: found.items.map(({ id }) => id), total: found.total };
    };
    expect(await page()).toEqual({ ids: [3, 2, 1], total: 3 });
    expect(await page({ page: 2, size: 2 })).toEqual({ ids: [1], total: 3 });
    expect(await page({ merchants: [1, 4] })).toEqual({ ids: [1], total: 1 });
    expect(await page({ name: 'FLOWERS' })).toEqual({ ids: [2, 1], total: 2 });
    expect(await page({ name: 's (b' })).toEqual({ ids: [1], total: 1 });
    expect(await page({ name: '.*' })).toEqual({ ids: [], total: 0 });
  });

  test('the merchants of a client, and all after an id, are found in the order of their ids', async () => {
    for (const id of [3, 1, 2]) await shop(`m${id}`, { id });
    await shop('m4', { id: 4, clientId: 'other' });
    expect((await merchants.findMerchantsOf('shop')).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect((await merchants.findMerchantsAfter(1, 10)).map(({ id }) => id)).toEqual([2, 3, 4]);
    expect((await merchants.findMerchantsAfter(1, 2)).map(({ id }) => id)).toEqual([2, 3]);
  });

  test('settings of an operator are seen at once and can be removed', async () => {
    await shop('a', { id: 1 });
    await merchants.findMerchant(1);
    now = at(2);
    expect(await merchants.setEmbedOrigins(1, ['https://shop.example'])).toBe(true);
    expect(await merchants.setPageColor(1, 'ff0000')).toBe(true);
    expect(await merchants.setPageContact(1, { phone: '+598 2915 0000' })).toBe(true);
    expect(await merchants.findMerchant(1)).toMatchObject({
      ...{ embedOrigins: ['https://shop.example'], pageColor: 'ff0000', pageContact: { phone: '+598 2915 0000' } },
      updatedAt: at(2),
    });
    now = at(3);
    expect(await merchants.setPageColor(1, undefined)).toBe(true);
    expect(await merchants.setPageContact(1, undefined)).toBe(true);
    const plain = await merchants.findMerchant(1);
    expect(plain).toMatchObject({ embedOrigins: ['https://shop.example'], updatedAt: at(3) });
    expect(plain).not.toHaveProperty('pageColor');
    expect(plain).not.toHaveProperty('pageContact');
    const none = await Promise.all([
      merchants.setStatus(9, 'active'),
      merchants.setEmbedOrigins(9, []),
      merchants.setPageColor(9, undefined),
      merchants.setPageContact(9, undefined),
    ]);
    expect(none).toEqual([false, false, false, false]);
  });

  test('the logo uploaded last counts; of two at the same time the one with the greater address', async () => {
    await shop('a', { id: 1 });
    await merchants.findMerchant(1);
    const logo = (logoUrl: string, seconds: number) => ({
      logoUrl,
      logoContentType: 'image/png',
      logoUploadedAt: at(seconds),
    });
    const url = async () => (await merchants.findMerchant(1))?.logoUrl;
    now = at(9);
    await merchants.setLogo(1, logo('b', 2));
    expect(await merchants.findMerchant(1)).toMatchObject({ ...logo('b', 2), updatedAt: at(9) });
    await merchants.setLogo(1, logo('z', 1));
    await merchants.setLogo(1, logo('a', 2));
    expect(await url()).toBe('b');
    await merchants.setLogo(1, logo('c', 2));
    expect(await url()).toBe('c');
    await merchants.setLogo(1, logo('a', 3));
    expect(await url()).toBe('a');
  });
});

describe('payment methods', () => {
  const method = (id: string, more: object = {}) =>
    ({
      ...{ id, merchantId: 1, mode: 'gateway', enabled: true },
      settings: { paymentProcessor: { id: 'sandbox', acquirer: 'x' } },
      ...more,
    }) as Parameters<MerchantPaymentMethodRepository['insertPaymentMethod']>[0];

  test('a method is inserted once for a merchant, found by merchant and code, and listed oldest first', async () => {
    await methods.insertPaymentMethod(method('visa'));
    now = at(1);
    await methods.insertPaymentMethod(method('amex'));
    await methods.insertPaymentMethod(method('visa', { merchantId: 2 }));
    await expect(methods.insertPaymentMethod(method('visa'))).rejects.toMatchObject({ code: 11000 });
    expect((await methods.findPaymentMethodsOf(1)).map(({ id }) => id)).toEqual(['visa', 'amex']);
    expect(await methods.findPaymentMethod(1, 'visa')).toEqual({
      ...method('visa'),
      createdAt: at(0),
      updatedAt: at(0),
    });
    expect(await methods.findPaymentMethod(3, 'visa')).toBeUndefined();
  });

  test('a replacement keeps the creation time, and `enabled` when the replacement does not have it', async () => {
    await methods.insertPaymentMethod(method('visa', { enabled: false }));
    await methods.findPaymentMethod(1, 'visa');
    now = at(1);
    const { enabled: _, ...replacement } = method('visa', { settings: { terminalNumber: 't' } });
    const replaced = await methods.replacePaymentMethod(replacement);
    const expected = { ...replacement, enabled: false, createdAt: at(0), updatedAt: at(1) };
    expect(replaced).toEqual(expected);
    expect(await methods.findPaymentMethod(1, 'visa')).toEqual(expected);
    expect(await methods.replacePaymentMethod(method('none'))).toBeUndefined();
    await expect(methods.replacePaymentMethod(method('visa', { mode: 'wrong' }))).rejects.toThrow(/validation/i);
  });

  test('saving creates a method, or replaces everything except its creation time', async () => {
    await methods.findPaymentMethod(1, 'visa');
    await methods.savePaymentMethod(method('visa'));
    expect(await methods.findPaymentMethod(1, 'visa')).toMatchObject({ enabled: true, createdAt: at(0) });
    now = at(1);
    await methods.savePaymentMethod(method('visa', { enabled: false }));
    expect(await methods.findPaymentMethod(1, 'visa')).toMatchObject({
      ...{ enabled: false, createdAt: at(0), updatedAt: at(1) },
    });
    await expect(methods.savePaymentMethod(method('visa', { mode: 'wrong' }))).rejects.toThrow(/validation/i);
  });

  test('3DS settings are created once, changed only when they exist, and seen at once', async () => {
    const settings = (enabled: boolean) =>
      ({
        ...{ provider: 'sandbox', metadata: [{ k: 'a', v: 'b' }], enabled },
        rules: { enabled: true, tier: 'basic', thresholds: { api: { USD: 1 }, checkout: {} } },
      }) as Parameters<MerchantPaymentMethodRepository['saveThreeDs']>[2];
    await methods.insertPaymentMethod(method('visa'));
    await methods.findPaymentMethod(1, 'visa');
    expect(await methods.saveThreeDs(1, 'visa', settings(true), 'some')).toBeUndefined();
    expect(await methods.saveThreeDs(1, 'visa', settings(true), 'none')).toMatchObject({ threeDs: settings(true) });
    expect(await methods.findPaymentMethod(1, 'visa')).toMatchObject({ threeDs: settings(true) });
    expect(await methods.saveThreeDs(1, 'visa', settings(false), 'none')).toBeUndefined();
    expect(await methods.saveThreeDs(1, 'visa', settings(false), 'some')).toMatchObject({ threeDs: settings(false) });
    expect(await methods.findPaymentMethod(1, 'visa')).toMatchObject({ threeDs: settings(false) });
    expect(await methods.saveThreeDs(1, 'none', settings(false), 'none')).toBeUndefined();
  });

  test('another process can read past its cache', async () => {
    const other = createMerchantPaymentMethodRepository(store.database, clock);
    await methods.insertPaymentMethod(method('visa'));
    await other.findPaymentMethod(1, 'visa');
    expect(await methods.deletePaymentMethod(1, 'visa')).toBe(true);
    expect(await methods.findPaymentMethod(1, 'visa')).toBeUndefined();
    expect(await methods.deletePaymentMethod(1, 'visa')).toBe(false);
    expect(await other.findPaymentMethod(1, 'visa')).toBeDefined();
    expect(await other.readPaymentMethod(1, 'visa')).toBeUndefined();
  });

  test('the processors in use are those of all routes, each once, sorted by name', async () => {
    const route = (id: string) => ({ paymentProcessor: { id, acquirer: 'x' } });
    await methods.insertPaymentMethod(method('visa', { settings: { ...route('stripe'), routes: [route('adyen')] } }));
    await methods.insertPaymentMethod(method('amex', { settings: { ...route('adyen'), routes: [route('stripe')] } }));
    expect(await findProcessorsInUse(store.database)).toEqual(['adyen', 'stripe']);
  });
});

test('only the newest logos of a merchant are kept, and each is found by its hash', async () => {
  const logos = createMerchantLogoRepository(store.database);
  const logo = (hash: string, seconds: number, merchantId = 1) => ({
    ...{ merchantId, hash, contentType: 'image/png', bytes: Buffer.from(hash), uploadedAt: at(seconds) },
  });
  await logos.saveLogo(logo('other', 0, 2));
  for (let n = 0; n < limits.logosKept + 2; n += 1) await logos.saveLogo(logo(`hash${n}`, n));
  const kept = await Promise.all(
    Array.from({ length: limits.logosKept + 2 }, async (_, n) => (await logos.findLogo(1, `hash${n}`))?.hash),
  );
  expect(kept).toEqual([undefined, undefined, `hash${limits.logosKept}`, `hash${limits.logosKept + 1}`]);
  const found = await logos.findLogo(2, 'other');
  expect(found).toMatchObject({ merchantId: 2, hash: 'other', contentType: 'image/png', uploadedAt: at(0) });
  expect(found).not.toHaveProperty('_id');
  await expect(logos.saveLogo({ ...logo('x', 1), contentType: 'text/html' })).rejects.toThrow(/validation/i);
});

test('link settings are replaced as a whole, and a URL name belongs to one merchant', async () => {
  const settings = createLinkSettingsRepository(store.database);
  const of = (merchantId: number, more: object = {}) =>
    ({ ...{ merchantId, clientId: 'shop', quickPayEnabled: false, updatedAt: at(0) }, ...more }) as never;
  expect(await settings.find(1)).toBeUndefined();
  expect(await settings.replace(of(1, { businessUrlName: 'bread', defaultCurrency: 'USD' }))).toBe('saved');
  expect(await settings.replace(of(2, { businessUrlName: 'bread' }))).toBe('taken');
  expect(await settings.findByName('bread')).toEqual(of(1, { businessUrlName: 'bread', defaultCurrency: 'USD' }));
  expect(await settings.replace(of(1, { businessUrlName: undefined, defaultCurrency: 'EUR' }))).toBe('saved');
  expect(await settings.find(1)).toEqual(of(1, { defaultCurrency: 'EUR' }));
  expect(await settings.findByName('bread')).toBeUndefined();
  expect(await settings.replace(of(2, { businessUrlName: undefined }))).toBe('saved');
  await expect(settings.replace(of(3, { notificationUrl: 'x'.repeat(17_000_000) }))).rejects.toThrow();
});

test('credentials belong to one merchant and processor, and a list of them has no values', async () => {
  const credentials = createProcessorCredentialsRepository(store.database);
  const row = (merchantId: number, processor: string, names = ['key']) => ({
    ...{ _id: credentialsId(merchantId, processor), clientId: 'shop', merchantId, processor, names, updatedAt: at(0) },
    sealed: { v: 1, kid: 'k1' } as never,
  });
  for (const one of [row(1, 'stripe'), row(1, 'adyen'), row(11, 'stripe'), row(2, 'stripe')])
    await credentials.save(one);
  expect(await credentials.find(1, 'stripe')).toEqual(row(1, 'stripe'));
  expect(await credentials.find(3, 'stripe')).toBeUndefined();
  const { sealed, ...listed } = row(1, 'adyen');
  expect(await credentials.list(1)).toEqual([listed, expect.objectContaining({ processor: 'stripe' })]);
  await credentials.save(row(1, 'stripe', ['key', 'secret']));
  expect(await credentials.find(1, 'stripe')).toHaveProperty('names', ['key', 'secret']);
  expect(await credentials.remove(1, 'stripe')).toBe(true);
  expect(await credentials.remove(1, 'stripe')).toBe(false);
  expect((await credentials.list(1)).map(({ processor }) => processor)).toEqual(['adyen']);
});
