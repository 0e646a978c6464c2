import { randomBytes } from 'node:crypto';
import { createAuthenticator } from '../../api/identity/authenticator.js';
import { readSandboxKeys } from '../../api/pages/sandbox/sandbox-file.js';
import { configureMethod } from '../../scripts/provisioning/configure-method.js';
import { createClient } from '../../scripts/provisioning/create-client.js';
import { createMerchant } from '../../scripts/provisioning/create-merchant.js';
import { revokeKey, rotateKey } from '../../scripts/provisioning/end-key.js';
import { grantMerchants } from '../../scripts/provisioning/grant-merchants.js';
import { issueKey } from '../../scripts/provisioning/issue-key.js';
import { openProvisioning } from '../../scripts/provisioning/provisioning.js';
import { seedSandbox } from '../../scripts/sandbox/seed-sandbox.js';
import { systemClock } from '../../shared/clock.js';
import { cardBrands } from '../../shared/domain/payment-method-catalog.js';
import { createLog } from '../../shared/log.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { dropDatabase } from '../support/drop-database.js';
import { testMongoUri } from '../support/services.js';

const config = {
  environment: 'testing',
  apiKeyPepper: randomBytes(32),
  publicBaseUrl: 'http://127.0.0.1:8080',
  operatorPort: 9080,
  operatorUser: 'operator',
  operatorPassword: 'a long operator password',
  sandboxProcessorUrl: 'http://127.0.0.1:9090',
} as const;

let database: Database;
beforeAll(async () => {
  database = await openDatabase(testMongoUri('provisioning'));
  await ensureIndexes(database);
});
afterAll(async () => {
  await dropDatabase(database);
  await database.close();
});

const provisioning = () => openProvisioning(database, config, systemClock);

async function principalOf(clientId: string, apiKey: string) {
  const { authenticate } = createAuthenticator({
    clients: provisioning().clients,
    pepper: config.apiKeyPepper,
    environment: 'testing',
    clock: systemClock,
    log: createLog('test', 'silent'),
  });
  return authenticate(`Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`);
}

test('the file has exactly the promised fields, and its credentials have the promised rights', async () => {
  const file = await seedSandbox(database, config);
  const key = expect.stringMatching(/^sk_test_/);
  const clientId = expect.stringMatching(/^cli_[0-9a-f]{32}$/);
  expect(file).toEqual({
    baseUrl: 'http://127.0.0.1:8080',
    clientId,
    apiKey: key,
    merchants: [
      { id: 1001, name: 'Sandbox Books' },
      { id: 1002, name: 'Sandbox Coffee' },
    ],
    secondary: { clientId: file.clientId, apiKey: key, merchants: [1001] },
    other: { clientId, apiKey: key, merchants: [{ id: 2001 }] },
    operator: { baseUrl: 'http://127.0.0.1:9080', user: 'operator', password: 'a long operator password' },
    processor: { ledgerUrl: 'http://127.0.0.1:9090/ledger' },
  });
  expect(file.other.clientId).not.toBe(file.clientId);
  expect((await principalOf(file.clientId, file.apiKey))?.merchants).toBe('all');
  expect((await principalOf(file.clientId, file.secondary.apiKey))?.merchants).toEqual([1001]);
  expect((await principalOf(file.other.clientId, file.other.apiKey))?.merchants).toBe('all');
  const { merchants, paymentMethods } = provisioning();
  for (const id of [1001, 1002, 2001]) {
    expect((await merchants.findMerchant(id))?.clientId).toBe(id === 2001 ? file.other.clientId : file.clientId);
    const methods = await paymentMethods.findPaymentMethodsOf(id);
    const transfers = id === 1001 ? ['instant-transfer'] : [];
    expect(methods.map((method) => method.id).sort()).toEqual([...cardBrands, ...transfers].sort());
    const [transfer] = methods.filter(({ mode }) => mode === 'payment-facilitator');
    expect(transfer?.id).toBe(transfers[0]);
    for (const { mode, enabled, settings } of methods.filter((method) => method !== transfer)) {
      expect({ mode, enabled, processor: settings.paymentProcessor }).toEqual({
        mode: 'gateway',
        enabled: true,
        processor: { id: 'sandbox', acquirer: 'sandbox-acquirer' },
      });
    }
  }
});

test('seeding again keeps valid keys, refreshes addresses and adds nothing', async () => {
  const before = await seedSandbox(database, config);
  const earlier = readSandboxKeys(JSON.stringify(before));
  const counts = () =>
    Promise.all(
      ['clients', 'merchants', 'paymentMethods', 'apiKeys'].map((name) => database.collection(name).countDocuments()),
    );
  const countsBefore = await counts();
  const moved = { ...config, publicBaseUrl: 'http://127.0.0.1:9999', operatorPort: 1 };
  const after = await seedSandbox(database, moved, earlier ? { earlier } : {});
  expect(after).toEqual({
    ...before,
    baseUrl: moved.publicBaseUrl,
    operator: { ...before.operator, baseUrl: 'http://127.0.0.1:1' },
  });
  expect(await counts()).toEqual(countsBefore);
});

test('a revoked, foreign or missing key leads to new ones', async () => {
  const before = await seedSandbox(database, config);
  const earlier = { primary: before.apiKey, secondary: before.secondary.apiKey, other: before.other.apiKey };
  const swapped = await seedSandbox(database, config, { earlier: { ...earlier, secondary: earlier.primary } });
  expect(swapped.apiKey).not.toBe(before.apiKey);
  const principal = await principalOf(before.clientId, before.secondary.apiKey);
  await revokeKey(provisioning(), principal?.keyId ?? '');
  expect((await seedSandbox(database, config, { earlier })).apiKey).not.toBe(before.apiKey);
});

test('two seeds at once on an empty database both succeed', async () => {
  for (const name of ['clients', 'merchants', 'paymentMethods', 'apiKeys'])
    await database.collection(name).deleteMany({});
  const files = await Promise.all([seedSandbox(database, config), seedSandbox(database, config)]);
  for (const file of files) expect(await principalOf(file.clientId, file.apiKey)).toBeDefined();
  expect(await database.collection('merchants').countDocuments()).toBe(3);
});

test('there is no sandbox in production', async () => {
  await expect(seedSandbox(database, { ...config, environment: 'production' })).rejects.toThrow(
    'no sandbox in production',
  );
});

test.each(['', '{', 'null', '[]', '{"apiKey":"a"}', '{"apiKey":1,"secondary":{"apiKey":2},"other":null}'])(
  'the text %s is not an earlier file',
  (text) => {
    expect(readSandboxKeys(text)).toBeUndefined();
  },
);

describe('commands give a reason when they are refused', () => {
  const refused = (message: RegExp) => ({ name: 'ProvisioningError', message: expect.stringMatching(message) });

  test('for clients, merchants, keys, grants and methods', async () => {
    const tools = provisioning();
    const { _id: clientId } = await createClient(tools, { name: 'A' });
    const { _id: otherId } = await createClient(tools, { name: 'B' });
    const own = await createMerchant(tools, { clientId, name: 'Own' });
    const foreign = await createMerchant(tools, { clientId: otherId, name: 'Foreign' });
    const primary = await issueKey(tools, { clientId });
    const secondary = await issueKey(tools, { clientId, merchantIds: [own.id] });
    const { keyId } = secondary;
    const visa = { merchantId: own.id, id: 'visa', mode: 'gateway', settings: {} } as const;

    await expect(createClient(tools, { id: clientId, name: 'C' })).rejects.toMatchObject(
      refused(/client cli_.* already/),
    );
    await expect(createMerchant(tools, { clientId: 'cli_x', name: 'M' })).rejects.toMatchObject(refused(/no client/));
    await expect(createMerchant(tools, { clientId, name: 'M', id: own.id })).rejects.toMatchObject(
      refused(/merchant \d+ already/),
    );
    for (const id of [0, -1, 1.5, 2 ** 31]) {
      await expect(createMerchant(tools, { clientId, name: 'M', id })).rejects.toMatchObject(refused(/whole number/));
    }
    await expect(issueKey(tools, { clientId: 'cli_x' })).rejects.toMatchObject(refused(/no client/));
    await expect(issueKey(tools, { clientId, merchantIds: [foreign.id] })).rejects.toMatchObject(
      refused(/has no merchant/),
    );
    await expect(grantMerchants(tools, { keyId, merchantIds: [foreign.id] })).rejects.toMatchObject(
      refused(/has no merchant/),
    );
    await expect(grantMerchants(tools, { keyId: primary.keyId, merchantIds: [] })).rejects.toMatchObject(
      refused(/secondary/),
    );
    await expect(revokeKey(tools, 'key_x')).rejects.toMatchObject(refused(/no key/));
    await revokeKey(tools, primary.keyId);
    await expect(rotateKey(tools, { keyId: primary.keyId, overlapMs: 0 })).rejects.toMatchObject(refused(/active key/));
    await expect(configureMethod(tools, { ...visa, merchantId: 999_999 })).rejects.toMatchObject(
      refused(/no merchant/),
    );
    await expect(configureMethod(tools, { ...visa, id: 'oca', mode: 'payment-facilitator' })).rejects.toMatchObject(
      refused(/OCA can be used in mode gateway only/),
    );
    await configureMethod(tools, visa);
    const rotated = await rotateKey(tools, { keyId, overlapMs: 0 });
    expect((await principalOf(clientId, rotated.apiKey))?.merchants).toEqual([own.id]);
  });
});
