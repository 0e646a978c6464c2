/** The pool of wallet tokens as its process opens it: with the real MongoDB, vault and thread, without Redis. Tests move its clock. */
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgeWalletA } from '../../api/testing/forge/forge-wallet-a.js';
import { forgeWalletB } from '../../api/testing/forge/forge-wallet-b.js';
import type { WalletOrder } from '../../api/testing/forge/order.js';
import { type Config, loadConfig } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import { freePort } from '../../scripts/setup/ports.mjs';
import { after, DAY_MS } from '../../shared/domain/time.js';
import { certificateRecordId } from '../../shared/domain/wallet/integration.js';
import { openingBinding, type WalletOpening } from '../../shared/domain/wallet/opening.js';
import type { Log, LogFields } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import { openWalletToken } from '../../shared/queue/open-wallet-token.job.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import { createWalletOpeningRepository } from '../../shared/store/wallet-opening.repository.js';
import { createWalletUseRepository } from '../../shared/store/wallet-use.repository.js';
import { openVault } from '../../shared/vault/open-vault.js';
import { testRootKeys } from '../../shared/wallets/test-keys.js';
import type { Pool } from '../../workers/pool.js';
import { openPools, type Pools } from '../../workers/pools.js';
import { dropDatabase } from '../support/drop-database.js';
import { walletOrder } from '../support/enable-wallets.js';
import { testSettings } from '../support/gateway.js';
import { testMongoUri } from '../support/services.js';
import { walletARoots, walletB } from '../wallets/fixtures.js';

const folder = mkdtempSync(join(tmpdir(), 'wallet-pool-'));
const rootsFile = join(folder, 'roots.json');
const start = new Date();
const CLIENT = 'cli_wallet';
const CARD = { number: '4111111111111111', expMonth: 12, expYear: 2034 };

let config: Config;
let database: Database;
let pools: Pools;
let pool: Pool;
let now = start;
const clock = { now: () => now };
const lines: [string, LogFields][] = [];
const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
const steps: object[] = [];

beforeAll(async () => {
  writeFileSync(rootsFile, testRootKeys);
  const closed = await freePort();
  config = loadConfig(
    testSettings({
      MONGODB_URI: testMongoUri('wallet_pool'),
      REDIS_URL: `redis://127.0.0.1:${closed}`,
      WALLET_A_ROOT_KEYS_FILE: rootsFile,
    }),
  );
  database = await openDatabase(config.mongodbUri);
  await database.connection.dropDatabase();
  await ensureIndexes(database);
});
beforeEach(async () => {
  now = start;
  lines.length = 0;
  steps.length = 0;
  writeFileSync(rootsFile, testRootKeys);
  const names = ['wallet_openings', 'wallet_uses', 'wallet_integrations'];
  await Promise.all(names.map((name) => database.collection(name).deleteMany({})));
  const step = (labels: object) => void steps.push(labels);
  const metrics = { ...createMetrics({ process: 'test' }), step };
  pools = await openPools(['wallet'], { config, log, metrics, database, clock });
  [pool] = pools.pools as [Pool];
});
afterEach(async () => {
  await pool?.close();
  await pools?.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await dropDatabase(database);
  await database?.close();
});

const vault = () => openVault(database, config, clock);
const openings = () => createWalletOpeningRepository(database);
const tokenA = (more: Partial<WalletOrder> = {}) => forgeWalletA(walletOrder(more), config.walletAGatewayName, start);

let nth = 0;
/** Stores a token as the API leaves it for the pool, old enough for a sweep to find it. */
async function put(token: string, more: Partial<WalletOpening> = {}): Promise<string> {
  nth += 1;
  const _id = `wop_${nth}`;
  const createdAt = after(now, -limits.walletNudgeFreshMs);
  await openings().insert({
    ...{ _id, clientId: CLIENT, merchantId: 1001, walletType: 'wallet-a-pay', status: 'waiting', createdAt },
    payload: await vault().seal('cvc', token, openingBinding({ _id, clientId: CLIENT }, 'payload')),
    ...{ leaseUntil: createdAt, destroyAt: after(now, limits.walletOpeningKeptMs), ...more },
  });
  return _id;
}
const nudge = (openingId: string) =>
  Promise.all(
    pool.jobs
      .filter(({ name }) => name === openWalletToken.name)
      .map((job) => job.handle({ openingId }, { handedOutOnce: true })),
  );
const read = async (id: string) => (await openings().find(id)) as WalletOpening;
const statusOf = async (id: string) => (await read(id)).status;

/** Opens the credential of an opening, as the API does. */
async function credentialOf(id: string) {
  const opening = await read(id);
  if (!opening.credential) throw new Error(`${id} is ${opening.status}: ${opening.reason}`);
  const opened = await vault().open(opening.credential, openingBinding(opening, 'credential'));
  return JSON.parse(opened.toString('utf8'));
}

const [newer, older] = walletB.keys as [(typeof walletB.keys)[number], (typeof walletB.keys)[number]];
const spki = ({ privateKey }: typeof newer) =>
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64');

async function putCertificate(key: typeof newer, expiresAt = key.expiresAt) {
  const { publicKeyHash, merchantIdentifier } = key;
  const binding = { recordId: certificateRecordId(1001, publicKeyHash), field: 'privateKey', clientId: CLIENT };
  const privateKey = await vault().seal('wallet', key.privateKey.export({ format: 'der', type: 'pkcs8' }), binding);
  const certificate = { publicKeyHash, publicKey: spki(key), merchantIdentifier, privateKey, expiresAt };
  await createWalletIntegrationRepository(database).addCertificate(1001, { ...certificate, uploadedAt: start });
}
const enableB = () =>
  createWalletIntegrationRepository(database).enable(
    { merchantId: 1001, walletType: 'wallet-b-pay' },
    { mode: 'api' },
    start,
  );
const tokenB = (key: typeof newer) => {
  const { merchantIdentifier } = key;
  const recipient = { publicKey: spki(key), merchantIdentifier, totalMinor: 1050, currencyNumber: '840' };
  return forgeWalletB(walletOrder(), recipient, start);
};

test('the content of a wallet-a token is sealed for its row, and the opening is counted', async () => {
  const id = await put(tokenA());
  await nudge(id);
  expect(await credentialOf(id)).toMatchObject({ ...CARD, kind: 'cryptogram' });
  expect(steps).toEqual([{ pool: 'wallet', job: openWalletToken.name, outcome: 'opened' }]);
  // A daily key seals it, not a key that seals cards or certificates.
  expect((await read(id)).credential?.kid).toMatch(/^cvc:/);
});

test('a wallet-b token is opened by any key of its merchant that has not expired', async () => {
  const asB = { walletType: 'wallet-b-pay' } as const;
  const none = await put(await tokenB(newer), asB);
  await nudge(none);
  expect(await read(none)).toMatchObject({ status: 'refused', reason: 'unknown-key' });
  await enableB();
  await putCertificate(older, start);
  await putCertificate(newer);
  const [over, good] = [await put(await tokenB(older), asB), await put(await tokenB(newer), asB)];
  await Promise.all([nudge(over), nudge(good)]);
  expect(await read(over)).toMatchObject({ status: 'refused', reason: 'certificate-expired' });
  expect(await credentialOf(good)).toMatchObject({ ...CARD, approved: { totalMinor: 1050, currencyNumber: '840' } });
});

test('a broken key of another certificate does not stop a wallet-b token from being opened', async () => {
  await enableB();
  await putCertificate(older);
  await putCertificate(newer);
  const broken = { $set: { 'certificates.1.privateKey.kid': 'wallet:1' } } as never;
  await database.collection('wallet_integrations').updateOne({}, broken);
  const asB = { walletType: 'wallet-b-pay' } as const;
  const [good, lost] = [await put(await tokenB(newer), asB), await put(await tokenB(older), asB)];
  await Promise.all([nudge(good), nudge(lost)]);
  expect(await credentialOf(good)).toMatchObject(CARD);
  expect(await read(lost)).toMatchObject({ status: 'refused', reason: 'unknown-key' });
  expect(lines).toContainEqual(['vault.envelope-tampered', { error: expect.any(Error) }]);
});

test('a refused token has a reason and no credential', async () => {
  const [forged, elsewhere] = [await put(tokenA({ broken: 'bad-signature' })), await put(tokenA(), { merchantId: 7 })];
  await Promise.all([nudge(forged), nudge(elsewhere)]);
  const reasons = [(await read(forged)).reason, (await read(elsewhere)).reason];
  expect(reasons).toEqual(['unverifiable', 'wrong-merchant']);
  expect(await read(forged)).not.toHaveProperty('credential');
  expect(steps.map((step) => (step as { outcome: string }).outcome).sort()).toEqual([...reasons].sort());
});

test('a token is judged by the clock of the gateway', async () => {
  const token = tokenA();
  now = after(start, 30 * DAY_MS);
  const id = await put(token);
  await nudge(id);
  expect(await statusOf(id)).toBe('refused');
});

test('two nudges of one token open it once', async () => {
  const id = await put(tokenA());
  await Promise.all([nudge(id), nudge(id)]);
  await nudge(id);
  expect(steps).toHaveLength(1);
});

test('a token that could not be opened waits for its lease to end, then the sweep tries again', async () => {
  const id = await put(tokenA());
  const { payload } = await read(id);
  const rows = database.collection<WalletOpening>('wallet_openings');
  await rows.updateOne({ _id: id }, { $set: { payload: { ...payload, kid: 'no-such-key' } } });
  await nudge(id);
  expect(await statusOf(id)).toBe('waiting');
  expect(lines).toContainEqual(['wallet-token.not-opened', { merchantId: 1001, error: expect.any(Error) }]);
  await rows.updateOne({ _id: id }, { $set: { payload } });
  expect(await pool.sweep()).toEqual({ found: 0, more: false });
  now = after(start, limits.leaseMs);
  expect(await pool.sweep()).toEqual({ found: 1, more: false });
  expect(await statusOf(id)).toBe('opened');
});

test('a sweep leaves fresh tokens to their nudges, and removes what is due', async () => {
  const young = await put(tokenA(), { createdAt: after(start, 1 - limits.walletNudgeFreshMs) });
  const over = await put(tokenA(), { destroyAt: start });
  const uses = createWalletUseRepository(database);
  const use = { walletType: 'wallet-a-pay', uniqueId: 'token', owner: 'a' } as const;
  await uses.claim(use, after(start, -limits.walletUseKeptMs));
  expect(await pool.sweep()).toEqual({ found: 0, more: false });
  expect(await statusOf(young)).toBe('waiting');
  expect(await openings().find(over)).toBeUndefined();
  expect(await uses.claim({ ...use, owner: 'b' }, start)).toBe(true);
});

test('what is due is removed also while the search for waiting tokens fails', async () => {
  const over = await put(tokenA(), { destroyAt: start });
  const silent = () => {
    throw new Error('no primary');
  };
  const collection: Database['collection'] = (name) => {
    const rows = database.collection<never>(name);
    return name === 'wallet_openings' ? Object.assign(Object.create(rows), { find: silent }) : rows;
  };
  const faulty = { ...database, collection };
  const opened = await openPools(['wallet'], {
    ...{ config, log, clock, database: faulty },
    metrics: createMetrics({ process: 'test' }),
  });
  expect(await opened.pools[0]?.sweep()).toEqual({ found: 0, more: false });
  expect(await openings().find(over)).toBeUndefined();
  expect(lines).toContainEqual(['sweep.failed', { kind: 'work', error: new Error('no primary') }]);
  await opened.pools[0]?.close();
  await opened.close();
});

test('a full page asks for the next sweep at once', async () => {
  const [first] = [await put('no token')];
  const row = await read(first);
  const more = Array.from({ length: limits.sweepPageMax }, (_, at) => ({ ...row, _id: `wop_page_${at}` }));
  await database.collection<WalletOpening>('wallet_openings').insertMany(more);
  expect(await pool.sweep()).toEqual({ found: limits.sweepPageMax, more: true });
  expect(await pool.sweep()).toEqual({ found: 1, more: false });
});

test('a sweep reads changed files of roots and keys', async () => {
  await pool.sweep();
  writeFileSync(rootsFile, JSON.stringify(walletARoots));
  now = after(start, limits.walletTrustRefreshMs);
  await pool.sweep();
  const id = await put(tokenA());
  await nudge(id);
  expect(await read(id)).toMatchObject({ status: 'refused', reason: 'unverifiable' });
});

test('a closed pool neither opens nor refuses a token', async () => {
  const id = await put(tokenA());
  await pool.close();
  await nudge(id);
  expect(await statusOf(id)).toBe('waiting');
});
