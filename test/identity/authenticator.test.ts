import { randomBytes } from 'node:crypto';
import { createAccessTokens } from '../../api/identity/access-token.js';
import { newApiKey } from '../../api/identity/api-key.js';
import { createAuthenticator } from '../../api/identity/authenticator.js';
import { limits } from '../../config/limits.js';
import { createClient } from '../../scripts/provisioning/create-client.js';
import { createMerchant } from '../../scripts/provisioning/create-merchant.js';
import { revokeKey, rotateKey } from '../../scripts/provisioning/end-key.js';
import { grantMerchants } from '../../scripts/provisioning/grant-merchants.js';
import { issueKey } from '../../scripts/provisioning/issue-key.js';
import { openProvisioning, type Provisioning } from '../../scripts/provisioning/provisioning.js';
import type { Log, LogFields } from '../../shared/log.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { dropDatabase } from '../support/drop-database.js';
import { testMongoUri } from '../support/services.js';

const pepper = randomBytes(32);
const clock = { ms: Date.UTC(2027, 0, 1), now: () => new Date(clock.ms) };
const config = { environment: 'testing', apiKeyPepper: pepper } as const;

const records: { message: string; fields: LogFields }[] = [];
const log: Log = {
  debug: () => {},
  info: (message, fields = {}) => void records.push({ message, fields }),
  warn: () => {},
  error: () => {},
  with: () => log,
};

const accessTokens = createAccessTokens(config, clock);

let database: Database;
let provisioning: Provisioning;
let clientId: string;

beforeAll(async () => {
  database = await openDatabase(testMongoUri('identity'));
  await ensureIndexes(database);
});
afterAll(async () => {
  await dropDatabase(database);
  await database.close();
});
beforeEach(async () => {
  records.length = 0;
  provisioning = openProvisioning(database, config, clock);
  clientId = (await createClient(provisioning, { name: 'Shop' }))._id;
});

const header = (id: string, key: string) => `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`;

/** Creates an authenticator as in another process, which records its reads. */
function processOf(environment: 'testing' | 'production' = 'testing') {
  const reads: string[] = [];
  const clients = {
    findKeys: (id: string) => {
      reads.push(id);
      return provisioning.clients.findKeys(id);
    },
  };
  return { ...createAuthenticator({ clients, pepper, environment, accessTokens, clock, log }), reads };
}

test('a primary key may use all merchants, a secondary key only its granted merchants', async () => {
  const [one, two] = await Promise.all([
    createMerchant(provisioning, { clientId, name: 'One' }),
    createMerchant(provisioning, { clientId, name: 'Two' }),
  ]);
  const primary = await issueKey(provisioning, { clientId });
  const secondary = await issueKey(provisioning, { clientId, merchantIds: [one.id] });
  const { authenticate } = processOf();
  expect(await authenticate(header(clientId, primary.apiKey))).toEqual({
    clientId,
    keyId: primary.keyId,
    merchants: 'all',
  });
  expect(await authenticate(header(clientId, secondary.apiKey))).toEqual({
    clientId,
    keyId: secondary.keyId,
    merchants: [one.id],
  });
  await grantMerchants(provisioning, { keyId: secondary.keyId, merchantIds: [one.id, two.id] });
  clock.ms += limits.principalCacheMs;
  expect((await authenticate(header(clientId, secondary.apiKey)))?.merchants).toEqual([one.id, two.id]);
});

test('no header, another scheme, a foreign key, an unknown client or a malformed header is not authenticated', async () => {
  const { apiKey } = await issueKey(provisioning, { clientId });
  const stranger = (await createClient(provisioning, { name: 'Other' }))._id;
  const { authenticate } = processOf();
  const unknown = `cli_${'0'.repeat(32)}`;
  for (const sent of [
    undefined,
    'Bearer abc',
    'Basic !',
    header(stranger, apiKey),
    header(unknown, apiKey),
    header(clientId, newApiKey('testing')),
    header(clientId, `${apiKey}x`),
    header(clientId, ''),
    header('', apiKey),
    header('{"$ne":null}', apiKey),
  ]) {
    expect(await authenticate(sent)).toBeUndefined();
  }
  expect(await authenticate(header(clientId, apiKey))).toBeDefined();
});

test('malformed credentials are refused without a read, and the log has neither keys nor malformed user names', async () => {
  const { apiKey } = await issueKey(provisioning, { clientId });
  const { authenticate, reads } = processOf();
  await authenticate(header(clientId, `${apiKey}x`));
  await authenticate(header('not a client', apiKey));
  await authenticate(header(clientId, newApiKey('production')));
  expect(reads).toEqual([]);
  expect(records).toHaveLength(3);
  await authenticate(header(clientId, newApiKey('testing')));
  expect(records.at(-1)).toEqual({
    message: 'sign-in.refused',
    fields: { reason: 'the client has no such active key', clientId },
  });
  expect(JSON.stringify(records)).not.toMatch(/sk_|not a client/);
});

test('a refusal is logged with the address it came from, for every kind of credentials', async () => {
  const { authenticate } = processOf();
  const from = '203.0.113.9';
  for (const sent of [
    'Basic !',
    header('', newApiKey('testing')),
    'Bearer abc',
    header(clientId, newApiKey('testing')),
  ]) {
    expect(await authenticate(sent, from)).toBeUndefined();
  }
  expect(records.map(({ fields }) => fields)).toEqual([
    { reason: expect.any(String), address: from },
    { reason: expect.any(String), address: from },
    { reason: expect.any(String), address: from },
    { reason: 'the client has no such active key', clientId, address: from },
  ]);
});

test('a key of testing is refused in production', async () => {
  const { apiKey } = await issueKey(provisioning, { clientId });
  expect(await processOf('production').authenticate(header(clientId, apiKey))).toBeUndefined();
});

test('a revoked key is refused within five seconds by a process that knew it', async () => {
  const issued = await issueKey(provisioning, { clientId });
  const { authenticate } = processOf();
  expect(await authenticate(header(clientId, issued.apiKey))).toBeDefined();
  await revokeKey(provisioning, issued.keyId);
  clock.ms += 4_999;
  expect(await authenticate(header(clientId, issued.apiKey))).toBeUndefined();
});

test('the five seconds of the cache do not begin again with each use', async () => {
  const issued = await issueKey(provisioning, { clientId });
  const { authenticate } = processOf();
  await authenticate(header(clientId, issued.apiKey));
  await revokeKey(provisioning, issued.keyId);
  for (let ms = 0; ms < 4_500; ms += 500) {
    clock.ms += 500;
    await authenticate(header(clientId, issued.apiKey));
  }
  expect(await authenticate(header(clientId, issued.apiKey))).toBeUndefined();
});

test('an expired key is refused at once, and a rotated key overlaps with its successor', async () => {
  const old = await issueKey(provisioning, { clientId });
  const { authenticate } = processOf();
  expect(await authenticate(header(clientId, old.apiKey))).toBeDefined();
  const next = await rotateKey(provisioning, { keyId: old.keyId, overlapMs: 60_000 });
  // A successor has the id of the first key, and so sees the objects that the first key created.
  const successor = { keyId: next.keyId, rootKeyId: old.keyId };
  expect(await authenticate(header(clientId, next.apiKey))).toMatchObject(successor);
  clock.ms += 59_999;
  expect(await authenticate(header(clientId, old.apiKey))).toBeDefined();
  clock.ms += 1;
  expect(await authenticate(header(clientId, old.apiKey))).toBeUndefined();
  expect(await authenticate(header(clientId, next.apiKey))).toBeDefined();
});

test.each<[string, (keyId: string, merchantId: number) => Promise<unknown>]>([
  ['revoked', (keyId) => revokeKey(provisioning, keyId)],
  ['taken a merchant from', (keyId, merchantId) => provisioning.clients.removeMerchants(keyId, [merchantId])],
  ['given a merchant', (keyId, merchantId) => provisioning.clients.addMerchants(keyId, [merchantId + 1])],
])('a key that is %s during its rotation has no successor with the earlier rights', async (_what, change) => {
  const { id } = await createMerchant(provisioning, { clientId, name: 'One' });
  const { keyId } = await issueKey(provisioning, { clientId, merchantIds: [id] });
  const announce = async () => void (await change(keyId, id));
  const rotation = rotateKey(provisioning, { keyId, overlapMs: 60_000, announce });
  await expect(rotation).rejects.toThrow('was changed by another command');
  const line = (await provisioning.clients.findEveryKey(clientId)).filter(({ rootKeyId }) => rootKeyId === keyId);
  expect(line).toEqual([expect.objectContaining({ revokedAt: clock.now() })]);
});

test('a new key works at once in a process that has cached its client', async () => {
  const first = await issueKey(provisioning, { clientId });
  const { authenticate } = processOf();
  await authenticate(header(clientId, first.apiKey));
  const second = await issueKey(provisioning, { clientId });
  expect(await authenticate(header(clientId, second.apiKey))).toMatchObject({ keyId: second.keyId });
});

test('the keys of a client are read once for many requests, and again when they are too old', async () => {
  const { apiKey } = await issueKey(provisioning, { clientId });
  const { authenticate, reads } = processOf();
  await Promise.all(Array.from({ length: 50 }, () => authenticate(header(clientId, apiKey))));
  await authenticate(header(clientId, apiKey));
  expect(reads).toHaveLength(1);
  clock.ms += limits.principalCacheMs;
  await authenticate(header(clientId, apiKey));
  expect(reads).toHaveLength(2);
});

test('without MongoDB a cached key works until it is too old, then no caller is authenticated', async () => {
  const { apiKey } = await issueKey(provisioning, { clientId });
  let away = false;
  const clients = {
    findKeys: (id: string) => (away ? Promise.reject(new Error('no primary')) : provisioning.clients.findKeys(id)),
  };
  const { authenticate } = createAuthenticator({ clients, pepper, environment: 'testing', clock, log });
  await authenticate(header(clientId, apiKey));
  away = true;
  expect(await authenticate(header(clientId, apiKey))).toBeDefined();
  clock.ms += limits.principalCacheMs;
  await expect(authenticate(header(clientId, apiKey))).rejects.toThrow('no primary');
});

describe('a bearer token', () => {
  const bearer = async (keyId: string, client = clientId) =>
    `Bearer ${await accessTokens.issue({ clientId: client, keyId })}`;

  test('has the current rights of its key', async () => {
    const one = await createMerchant(provisioning, { clientId, name: 'One' });
    const two = await createMerchant(provisioning, { clientId, name: 'Two' });
    const { keyId } = await issueKey(provisioning, { clientId, merchantIds: [one.id] });
    const sent = await bearer(keyId);
    const { authenticate } = processOf();
    expect(await authenticate(sent)).toEqual({ clientId, keyId, merchants: [one.id] });
    await grantMerchants(provisioning, { keyId, merchantIds: [two.id] });
    clock.ms += limits.principalCacheMs;
    expect((await authenticate(sent))?.merchants).toEqual([two.id]);
  });

  test('ends with its key: within five seconds after a revocation, at once on expiry', async () => {
    const [revoked, rotated] = [await issueKey(provisioning, { clientId }), await issueKey(provisioning, { clientId })];
    const { authenticate } = processOf();
    const [first, second] = [await bearer(revoked.keyId), await bearer(rotated.keyId)];
    expect([(await authenticate(first))?.keyId, (await authenticate(second))?.keyId]).toEqual([
      revoked.keyId,
      rotated.keyId,
    ]);
    await revokeKey(provisioning, revoked.keyId);
    await rotateKey(provisioning, { keyId: rotated.keyId, overlapMs: 60_000 });
    clock.ms += 4_999;
    expect(await authenticate(first)).toBeUndefined();
    expect(await authenticate(second)).toBeDefined();
    clock.ms += 60_000;
    expect(await authenticate(second)).toBeUndefined();
  });

  test('of a new key works in a process that has cached its client', async () => {
    const old = await issueKey(provisioning, { clientId });
    const { authenticate } = processOf();
    await authenticate(header(clientId, old.apiKey));
    const young = await issueKey(provisioning, { clientId });
    expect(await authenticate(await bearer(young.keyId))).toMatchObject({ keyId: young.keyId });
  });

  test('is refused with an unknown or foreign key, if malformed, or where tokens are not accepted', async () => {
    const { keyId } = await issueKey(provisioning, { clientId });
    const stranger = (await createClient(provisioning, { name: 'Other' }))._id;
    const { authenticate } = processOf();
    expect(await authenticate(await bearer('key_0'))).toBeUndefined();
    expect(await authenticate(await bearer(keyId, stranger))).toBeUndefined();
    expect(await authenticate('Bearer rubbish')).toBeUndefined();
    const { clients } = provisioning;
    const without = createAuthenticator({ clients, pepper, environment: 'testing', clock, log });
    expect(await without.authenticate(await bearer(keyId))).toBeUndefined();
    expect(await authenticate(await bearer(keyId))).toBeDefined();
    expect(JSON.stringify(records)).not.toMatch(/rubbish|eyJ/);
  });
});

test('the database does not contain a key or a part of it', async () => {
  const { apiKey } = await issueKey(provisioning, { clientId });
  const rows = JSON.stringify(await database.collection('apiKeys').find().toArray());
  expect(rows).not.toContain(apiKey);
  expect(rows).not.toContain(apiKey.slice(8, 40));
  expect(rows).not.toContain(apiKey.slice(0, -4).slice(-12));
});

test('a wrong key takes the same reads and about the same time for a known and an unknown client', async () => {
  const { apiKey } = await issueKey(provisioning, { clientId });
  const unknown = `cli_${'f'.repeat(32)}`;
  const { authenticate, reads } = processOf();
  await authenticate(header(clientId, apiKey));
  const wrong = newApiKey('testing');
  const timesMs: Record<string, number[]> = { [clientId]: [], [unknown]: [] };
  for (let round = 0; round < 300; round++) {
    for (const id of round % 2 ? [clientId, unknown] : [unknown, clientId]) {
      const startMs = performance.now();
      await authenticate(header(id, wrong));
      timesMs[id]?.push(performance.now() - startMs);
    }
  }
  const median = (id: string) => timesMs[id]?.sort((a, b) => a - b)[150] ?? 0;
  // The goal is 5 %. A shared machine is noisier, so the test refuses only a difference that could be measured from outside.
  expect(reads.filter((id) => id === unknown)).toHaveLength(300);
  expect(reads.filter((id) => id === clientId)).toHaveLength(301);
  expect(Math.abs(median(clientId) / median(unknown) - 1)).toBeLessThan(0.5);
});
