/** Sealing stored records again on a real MongoDB: while others work, after an interruption, and what happens to the data keys. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Schema } from 'mongoose';
import { limits } from '../../config/limits.js';
import { reencrypt } from '../../scripts/provisioning/reencrypt.js';
import type { StoredSchema } from '../../shared/domain/described.js';
import type { Envelope } from '../../shared/domain/payment/payment.js';
import { ensureIndexes, storedModels } from '../../shared/store/collections.js';
import { createDataKeyRepository } from '../../shared/store/data-key.repository.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { createSealedRecordRepository, sealedPlaces } from '../../shared/store/sealed-record.repository.js';
import { openVault } from '../../shared/vault/open-vault.js';
import type { SealBinding } from '../../shared/vault/vault.js';
import { commandOf, soundSettings } from '../config/spawn-entry.js';
import { dropDatabase } from '../support/drop-database.js';
import { testMongoUri } from '../support/services.js';

interface Row {
  readonly _id: string;
  readonly card?: Envelope;
  readonly certificates?: readonly { readonly privateKey: Envelope }[];
}

const env: Record<string, string> = { ...soundSettings(), MONGODB_URI: testMongoUri('reencrypt') };
const [id = '', text = ''] = env['VAULT_MASTER_KEYS']?.split(':') ?? [];
const vaultMasterKeys = [{ id, key: Buffer.from(text, 'base64') }];
const clock = { ms: 0, now: () => new Date(clock.ms) };

let database: Database;
beforeAll(async () => {
  database = await openDatabase(testMongoUri('reencrypt'));
});
beforeEach(async () => {
  await database.connection.dropDatabase();
  await ensureIndexes(database);
  clock.ms = Date.UTC(2026, 0, 1, 10);
});
afterAll(async () => {
  await dropDatabase(database);
  await database.close();
});

const vault = () => openVault(database, { vaultMasterKeys }, clock);
const rows = (collection: string) => database.collection<Row>(collection);
const kidsOf = async () => (await rows('vault_keys').find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
const bindingOf = (recordId: string): SealBinding & { owner: object } => ({
  recordId,
  field: 'card',
  clientId: 'cli_1',
  owner: { merchantId: 1001, customerId: 'cus_1' },
});
const certificateBinding = { recordId: '1001:wallet-b-pay:hash', field: 'privateKey', clientId: 'cli_1' };

/** Stores payments or saved cards, sealed in this hour. Records of an earlier release name no owner. */
async function store(collection: string, names: readonly string[], earlier = false) {
  const { owner, ...bare } = bindingOf('');
  const made = names.map(async (recordId) => ({
    _id: recordId,
    clientId: 'cli_1',
    merchantId: 1001,
    customerId: 'cus_1',
    version: 1,
    refKeys: [recordId],
    card: await vault().seal('card', `card of ${recordId}`, { ...bare, recordId, ...(!earlier && { owner }) } as never),
  }));
  await rows(collection).insertMany(await Promise.all(made));
}

async function storeCertificate() {
  await database.collection<{ _id: number }>('merchants').insertOne({ _id: 1001, clientId: 'cli_1' } as never);
  const privateKey = await vault().seal('wallet', 'private key', certificateBinding);
  await rows('wallet_integrations').insertOne({
    _id: '1001:wallet-b-pay',
    merchantId: 1001,
    certificates: [{ publicKeyHash: 'hash', privateKey }],
  } as never);
}

/** Returns the ids of the records, after checking that each opens to its own text. */
async function opened(collection: string): Promise<string[]> {
  const reader = vault();
  const found = await rows(collection).find().sort({ _id: 1 }).toArray();
  const texts = found.map(async ({ _id, card }) => {
    expect((await reader.open(card as Envelope, bindingOf(_id))).toString()).toBe(`card of ${_id}`);
    return _id;
  });
  return Promise.all(texts);
}

const deps = (more: Partial<Parameters<typeof reencrypt>[0]> = {}) => ({
  vault: vault(),
  records: createSealedRecordRepository(database),
  dataKeys: createDataKeyRepository(database),
  clock,
  dryRun: false,
  progress: () => {},
  ...more,
});
const counts = (more: object = {}) => ({
  sealedAgain: 0,
  changedMeanwhile: 0,
  unopened: 0,
  unopenedRecords: [],
  keysRetired: 0,
  keysUnused: 0,
  ...more,
});
const nextHour = () => {
  clock.ms += limits.dataKeyEpochMs;
};

test('records of earlier keys are sealed again, and a key is destroyed a day after its last use', async () => {
  await store('payments', ['pay_1', 'pay_2']);
  await storeCertificate();
  nextHour();
  await store('payment_instruments', ['tok_1']);
  const before = await kidsOf();
  nextHour();
  expect(await reencrypt(deps({ dryRun: true }))).toEqual(counts({ sealedAgain: 4 }));
  expect(await kidsOf()).toEqual(before);

  expect(await reencrypt(deps())).toEqual(counts({ sealedAgain: 4, keysUnused: 3 }));
  expect(await opened('payments')).toEqual(['pay_1', 'pay_2']);
  expect(await opened('payment_instruments')).toEqual(['tok_1']);
  const [integration] = await rows('wallet_integrations').find().toArray();
  const key = integration?.certificates?.[0]?.privateKey as Envelope;
  expect((await vault().open(key, certificateBinding)).toString()).toBe('private key');
  expect(before).not.toContain(key.kid);
  expect(await reencrypt(deps())).toEqual(counts({ keysUnused: 3 }));
  expect(await kidsOf()).toEqual(expect.arrayContaining(before));

  // A record that was written late needs its key: the key is not destroyed, and waits for another day.
  const late = { ...(await rows('payments').findOne({ _id: 'pay_1' })), _id: 'pay_3', refKeys: ['pay_3'] };
  clock.ms -= 2 * limits.dataKeyEpochMs;
  const card = await vault().seal('card', 'card of pay_3', bindingOf('pay_3'));
  clock.ms += 2 * limits.dataKeyEpochMs + limits.dataKeyUnusedMs;
  await rows('payments').insertOne({ ...late, card } as never);
  // The run does not see the record that was written meanwhile.
  const records = { ...createSealedRecordRepository(database), batches: async function* () {} };
  expect(await reencrypt(deps({ records }))).toMatchObject({
    sealedAgain: 0,
    keysRetired: 2,
  });
  expect(await kidsOf()).toContain(card.kid);
  expect(await reencrypt(deps())).toMatchObject({ sealedAgain: 5, keysRetired: 0 });
  expect(await kidsOf()).toContain(card.kid);
  clock.ms += limits.dataKeyUnusedMs;
  await reencrypt(deps());
  expect(await kidsOf()).not.toContain(card.kid);
  expect(await opened('payments')).toEqual(['pay_1', 'pay_2', 'pay_3']);
});

test('an envelope of an earlier release is bound to its merchant and customer, also in its own hour', async () => {
  await store('payment_instruments', ['tok_1'], true);
  expect(await reencrypt(deps())).toEqual(counts({ sealedAgain: 1 }));
  const [row] = await rows('payment_instruments').find().toArray();
  expect(row?.card?.v).toBe(2);
  expect(await opened('payment_instruments')).toEqual(['tok_1']);
});

test('records that others destroy or change meanwhile are kept, and so are those that do not open', async () => {
  await store('payments', ['pay_1', 'pay_2', 'pay_3', 'pay_4']);
  const old = await rows('payments').findOne({ _id: 'pay_3' });
  await rows('payments').updateOne(
    { _id: 'pay_3' },
    { $set: { card: { ...(old?.card as Envelope), ct: randomBytes(40) } } },
  );
  nextHour();
  const theirs = await vault().seal('card', 'card of pay_2', bindingOf('pay_2'));
  const records = createSealedRecordRepository(database);
  const said: string[] = [];
  const result = await reencrypt(
    deps({
      progress: (line) => said.push(line),
      records: {
        ...records,
        replace: async (place, changes) => {
          await rows('payments').updateOne({ _id: 'pay_1' }, { $unset: { card: '' } } as never);
          await rows('payments').updateOne({ _id: 'pay_2' }, { $set: { card: theirs } });
          return records.replace(place, changes);
        },
      },
    }),
  );
  expect(result).toEqual(
    counts({ sealedAgain: 1, changedMeanwhile: 2, unopened: 1, unopenedRecords: ['payments pay_3'] }),
  );
  expect(said.join()).toMatch(/payments pay_3: left as it is\. .*card of pay_3 does not open/);
  const [first, second, third, fourth] = await rows('payments').find().sort({ _id: 1 }).toArray();
  expect(first).not.toHaveProperty('card');
  expect(second?.card).toEqual(theirs);
  expect(third?.card?.kid).toBe(old?.card?.kid);
  expect(fourth).toMatchObject({ version: 1, card: { kid: theirs.kid } });
  // The record that does not open still needs its key.
  clock.ms += limits.dataKeyUnusedMs;
  await reencrypt(deps());
  expect(await kidsOf()).toContain(old?.card?.kid);
});

test('a run that is killed loses nothing, and the next run completes it', async () => {
  clock.ms = Date.now() - 2 * limits.dataKeyEpochMs;
  const names = Array.from({ length: limits.reencryptBatch * 3 }, (_, at) => `pay_${String(at).padStart(6, '0')}`);
  await store('payments', names);
  const [before = ''] = await kidsOf();
  const spawned = (...nodeOptions: string[]) =>
    spawn(process.execPath, [...nodeOptions, ...commandOf('scripts/gateway/main'), 'vault', 'reencrypt'], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  // The process kills itself when it would report its progress: a kill from here might come after the end.
  const dieWithFirstWord = 'process.stderr.write = () => process.kill(process.pid, "SIGKILL")';
  const killed = spawned('--import', `data:text/javascript,${encodeURIComponent(dieWithFirstWord)}`);
  expect((await once(killed, 'exit'))[1]).toBe('SIGKILL');
  clock.ms = Date.now();
  const left = await rows('payments').countDocuments({ 'card.kid': before } as never);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(names.length);
  expect(await opened('payments')).toEqual(names);

  const again = spawned();
  let said = '';
  again.stdout.on('data', (chunk) => {
    said += chunk;
  });
  again.stderr.resume();
  expect((await once(again, 'close'))[0]).toBe(0);
  expect(said).toMatch(/^Sealed \d+ again and destroyed 0 data keys\./);
  expect(await rows('payments').countDocuments({ 'card.kid': before } as never)).toBe(0);
  expect(await opened('payments')).toEqual(names);
});

const ofEnvelope = ['v', 'alg', 'kid', 'iv', 'ct'];

/** Returns the paths of a description that hold an envelope. */
function describedEnvelopes({ properties = {}, items }: StoredSchema, prefix = ''): string[] {
  if (items) return describedEnvelopes(items, prefix);
  if (ofEnvelope.every((name) => name in properties)) return [prefix];
  return Object.entries(properties).flatMap(([name, inner]) =>
    describedEnvelopes(inner, prefix ? `${prefix}.${name}` : name),
  );
}

/** Returns the paths of a schema that hold an envelope. */
function envelopePaths(schema: Schema, prefix = ''): string[] {
  if (ofEnvelope.every((name) => schema.path(name))) return [prefix];
  return Object.entries(schema.paths).flatMap(([path, { schema: inner }]) =>
    inner ? envelopePaths(inner, prefix ? `${prefix}.${path}` : path) : [],
  );
}

test('every place of an envelope is sealed again: otherwise its key would be destroyed', () => {
  // Sealed under `cvc` keys, which expire.
  const ofADay = [
    'payments.cvc',
    'payments.authenticationValue',
    'wallet_openings.payload',
    'wallet_openings.credential',
  ];
  const found = storedModels.flatMap(({ schema, shapes }) =>
    (shapes?.flatMap((shape) => describedEnvelopes(shape)) ?? envelopePaths(schema)).map(
      (path) => `${schema.get('collection')}.${path}`,
    ),
  );
  expect(found.sort()).toEqual(
    [...ofADay, ...sealedPlaces.map(({ collection, path }) => `${collection}.${path}`)].sort(),
  );
});
