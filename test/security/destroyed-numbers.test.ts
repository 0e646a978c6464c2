/**
 * An attacker has both databases and all keys of the installation. The data stored about a card whose number was destroyed must not
 * lead back to the number, although its first eight and last four digits are known.
 */
import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { digestBody } from '../../api/payments/body-digest.js';
import { luhnValid } from '../../shared/domain/card/card-checks.js';
import type { Envelope, Payment } from '../../shared/domain/payment/payment.js';
import { createDataKeyRepository } from '../../shared/store/data-key.repository.js';
import { createLocalKeyProvider } from '../../shared/vault/local-key-provider.js';
import { openVault } from '../../shared/vault/open-vault.js';
import { bindingOf } from '../../workers/open-card.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

const DAY_MS = 24 * 3_600_000;
const DECLINED = '4000000000000002';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'destroyed', settings: { CARD_TESTING_THROTTLES: 'on' } });
});
afterAll(() => gateway?.close());

/** Returns every valid number with the first and last digits that the payment shows. */
function candidatesOf(bin: string, last4: string): string[] {
  const open = 16 - bin.length - last4.length;
  return Array.from({ length: 10 ** open }, (_, n) => `${bin}${String(n).padStart(open, '0')}${last4}`).filter(
    luhnValid,
  );
}

/** Collects texts and bytes anywhere in a document; bytes as base64url, as a keyed digest may be written. */
function leavesOf(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') found.add(value);
  if (value === null || typeof value !== 'object') return;
  const { buffer } = value as { buffer?: unknown };
  const bytes = value instanceof Uint8Array ? value : buffer instanceof Uint8Array ? buffer : undefined;
  if (bytes) found.add(Buffer.from(bytes).toString('base64url'));
  else for (const member of Object.values(value)) leavesOf(member, found);
}

async function everythingStored(): Promise<Set<string>> {
  const { connection } = gateway.database;
  const found = new Set<string>();
  for (const name of [connection.name, `${connection.name}_ephemeral`]) {
    const db = connection.getClient().db(name);
    for (const { name: collection } of await db.listCollections().toArray()) {
      leavesOf(await db.collection(collection).find().toArray(), found);
    }
  }
  return found;
}

/** Returns the keys of the installation and all data keys that they unwrap. */
async function keysLeft(): Promise<KeyObject[]> {
  const { config, database } = gateway;
  const provider = createLocalKeyProvider(config.vaultMasterKeys);
  const repository = createDataKeyRepository(database);
  const rows = [];
  for (const kind of ['card', 'cvc', 'wallet', 'velocity']) {
    for (const store of ['main', 'ephemeral'] as const) rows.push(...(await repository.list(store, kind)));
  }
  const unwrapped = await Promise.all(rows.map((row) => provider.unwrap(row._id, row)));
  const secrets = [config.fingerprintKey, config.digestKey, config.apiKeyPepper];
  return [...unwrapped, ...secrets, ...config.vaultMasterKeys.map(({ key }) => key)].map((key) => createSecretKey(key));
}

/** Finds the candidates that a stored value distinguishes from the others. */
async function numbersFound(payment: Payment, bodyOf: (number: string) => unknown): Promise<Set<string>> {
  const { bin = '', last4 = '' } = payment.paymentMethod.card ?? {};
  const candidates = candidatesOf(bin, last4);
  const stored = await everythingStored();
  const keys = await keysLeft();
  const found = new Set<string>();
  for (const number of candidates) {
    const texts = (bytes: Buffer) =>
      ['base64url', 'base64', 'hex'].map((form) => bytes.toString(form as BufferEncoding));
    const digests = keys.map((key) => createHmac('sha256', key).update(number).digest());
    const all = [...digests, createHash('sha256').update(number).digest()].flatMap(texts);
    if ([number, ...all].some((text) => stored.has(text))) found.add(number);
  }
  const digests = candidates.map((number) => digestBody(gateway.config.digestKey, bodyOf(number)));
  const alike = candidates.filter((_, at) => stored.has(digests[at] ?? ''));
  if (alike.length < candidates.length) for (const number of alike) found.add(number);
  const vault = openVault(gateway.database, gateway.config, { now: () => new Date() });
  for (const field of ['card', 'cvc'] as const) {
    const envelope = payment[field] as Envelope | undefined;
    const opened = envelope && (await vault.open(envelope, bindingOf(payment, field))).toString();
    for (const number of candidates) if (opened?.includes(number)) found.add(number);
  }
  return found;
}

async function pay(number: string) {
  const body = paymentBody({}, { number });
  const { body: answer } = await gateway.call('POST', '/v1/payments', body);
  const id = answer.id ?? answer.params.paymentId[0];
  const bodyOf = (candidate: string) => ({
    ...body,
    paymentMethod: { ...body.paymentMethod, card: { ...body.paymentMethod.card, number: candidate } },
  });
  return { read: async () => (await gateway.payments.findById(id)) as Payment, bodyOf };
}

const declines = () => gateway.database.collection('card_declines').countDocuments({});

test('no stored value leads back to a destroyed number, even with all keys of the installation', async () => {
  const { read, bodyOf } = await pay(DECLINED);
  while ((await declines()) === 0) await new Promise((done) => setTimeout(done, 20));
  // A control of the search: it finds the number by the envelope and by the decline that is counted for a month.
  expect(await numbersFound(await read(), bodyOf)).toContain(DECLINED);

  const later = new Date(Date.now() + 32 * DAY_MS);
  await gateway.payments.destroyDueEnvelopes(later);
  expect(await numbersFound(await read(), bodyOf)).toContain(DECLINED);
  const vault = openVault(gateway.database, gateway.config, { now: () => later });
  expect(await vault.destroyExpiredKeys(later)).toBeGreaterThan(0);

  expect(await declines()).toBe(1);
  const payment = await read();
  expect(payment).toMatchObject({ paymentMethod: { card: { bin: '40000000', last4: '0002', expirationMonth: 12 } } });
  expect(await numbersFound(payment, bodyOf)).toEqual(new Set());
});

test('the fingerprint of a saved card is destroyed with its number', async () => {
  const body = paymentBody({}, { number: '4242424242424242', tokenizationSettings: { type: 'store' } });
  expect((await gateway.call('POST', '/v1/payments', body)).status).toBe(200);
  const saved = gateway.database.collection('payment_instruments');
  const before = await saved.findOne({});
  expect(before).toMatchObject({ cardFingerprint: expect.stringMatching(/^[\w-]{43}$/), card: expect.anything() });

  const now = new Date();
  await saved.updateOne({}, { $set: { cardDestroyAt: now } });
  const kept = async () => Object.keys((await saved.findOne({})) ?? {});
  while ((await kept()).includes('card')) {
    await new Promise((done) => setTimeout(done, 20));
  }
  expect((await kept()).filter((name) => name === 'card' || name === 'cardFingerprint')).toEqual([]);
});
