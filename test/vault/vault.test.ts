import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { MasterKey } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import type { Envelope } from '../../shared/domain/payment/payment.js';
import { createDataKeyRepository, type DataKeyRepository } from '../../shared/store/data-key.repository.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { DataKeys } from '../../shared/vault/data-keys.js';
import { createLocalKeyProvider } from '../../shared/vault/local-key-provider.js';
import { openVault } from '../../shared/vault/open-vault.js';
import { createVault, type SealBinding } from '../../shared/vault/vault.js';
import { dropDatabase } from '../support/drop-database.js';
import { testMongoUri } from '../support/services.js';

const HOUR_MS = 3_600_000;
const PAN = '4242424242424242';
const binding: SealBinding = { recordId: 'pay_1', field: 'card', clientId: 'cli_1' };

const masterKey = (id: string): MasterKey => ({ id, key: randomBytes(32) });
const m1 = masterKey('m1');
const m2 = masterKey('m2');

let database: Database;
const clock = { ms: 0, now: () => new Date(clock.ms) };

beforeAll(async () => {
  database = await openDatabase(testMongoUri('vault'));
});
beforeEach(async () => {
  clock.ms = Date.UTC(2027, 0, 1, 10, 30);
  await database.collection('vault_keys').deleteMany({});
  await database.ephemeral('vault_keys').deleteMany({});
  await database.collection('sealed').deleteMany({});
});
afterAll(async () => {
  await dropDatabase(database);
  await database.close();
});

const vaultOf = (keys: readonly MasterKey[] = [m1]) => openVault(database, { vaultMasterKeys: keys }, clock);

/** Opens a vault whose repository counts its calls and can be replaced in part. */
function watchedVault(change: Partial<DataKeyRepository> = {}) {
  const calls = { find: 0, insertOrRead: 0 };
  const real = createDataKeyRepository(database);
  const repository: DataKeyRepository = {
    ...real,
    find: (...args) => {
      calls.find++;
      return (change.find ?? real.find)(...args);
    },
    insertOrRead: (...args) => {
      calls.insertOrRead++;
      return (change.insertOrRead ?? real.insertOrRead)(...args);
    },
  };
  const dataKeys = new DataKeys({
    repository,
    keyProvider: createLocalKeyProvider([m1]),
    findHolders: async () => [],
  });
  return { vault: createVault({ dataKeys, clock }), calls };
}

const invalid = { name: 'VaultError', code: 'envelope-invalid' };

describe('sealing and opening', () => {
  test('an envelope opens again after it was stored in MongoDB, in another process', async () => {
    const envelope = await vaultOf().seal('card', JSON.stringify({ number: PAN, holder: 'Añón' }), binding);
    await database.collection<{ _id: string; card: Envelope }>('sealed').insertOne({ _id: 'pay_1', card: envelope });
    const row = await database.collection<{ _id: string; card: Envelope }>('sealed').findOne({ _id: 'pay_1' });
    const opened = await vaultOf().open(row?.card as Envelope, binding);
    expect(JSON.parse(opened.toString('utf8'))).toEqual({ number: PAN, holder: 'Añón' });
  });

  test('property: any sealed bytes are opened unchanged', async () => {
    const vault = vaultOf();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), async (bytes) => {
        const opened = await vault.open(await vault.seal('card', bytes, binding), binding);
        expect(opened.equals(bytes)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('equal texts give different envelopes, and none contains the text', async () => {
    const vault = vaultOf();
    const [one, two] = [await vault.seal('card', PAN, binding), await vault.seal('card', PAN, binding)];
    expect(Buffer.from(one.iv).equals(two.iv)).toBe(false);
    expect(Buffer.from(one.ct).equals(two.ct)).toBe(false);
    expect(one).toMatchObject({ v: 1, alg: 'A256GCM', kid: `card:${Math.floor(clock.ms / limits.dataKeyEpochMs)}` });
    expect(Buffer.from(one.ct).toString('latin1')).not.toContain(PAN.slice(0, 6));
    expect(one.ct.length).toBe(PAN.length + 16);
  });

  test('every flipped bit is detected', async () => {
    const vault = vaultOf();
    const envelope = await vault.seal('card', PAN, binding);
    for (const part of ['iv', 'ct'] as const) {
      for (let bit = 0; bit < envelope[part].length * 8; bit++) {
        const bytes = Buffer.from(envelope[part]);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        await expect(vault.open({ ...envelope, [part]: bytes }, binding)).rejects.toMatchObject(invalid);
      }
    }
  });

  test.each([
    ['another record', { recordId: 'pay_2' }],
    ['another field', { field: 'cvc' }],
    ['another client', { clientId: 'cli_2' }],
    ['parts that run together the same way', { recordId: 'pay_1card', field: '' }],
  ])('an envelope does not open for %s', async (_name, change) => {
    const vault = vaultOf();
    const envelope = await vault.seal('card', PAN, binding);
    await expect(vault.open(envelope, { ...binding, ...change })).rejects.toMatchObject(invalid);
  });

  test('a cut, malformed or differently labelled envelope is refused', async () => {
    const vault = vaultOf();
    const envelope = await vault.seal('card', PAN, binding);
    const others = [
      { ...envelope, ct: envelope.ct.subarray(0, 15) },
      { ...envelope, ct: envelope.ct.subarray(0, -1) },
      { ...envelope, iv: Buffer.alloc(16) },
      { ...envelope, v: 2 },
      { ...envelope, alg: 'none' },
      { ...envelope, ct: 'text' },
      { ...envelope, iv: undefined },
    ];
    for (const other of others)
      await expect(vault.open(other as unknown as Envelope, binding)).rejects.toMatchObject(invalid);
  });

  test('an unknown key id is an error with the record, but without data', async () => {
    const vault = vaultOf();
    const envelope = await vault.seal('card', PAN, binding);
    for (const kid of ['card:1', 'wallet:1', '__proto__', `card:${'9'.repeat(40)}`]) {
      const error = await vault.open({ ...envelope, kid }, binding).catch((thrown: unknown) => thrown as Error);
      expect(error).toMatchObject({ name: 'VaultError', code: 'key-unknown' });
      expect(String(error)).toContain('card of pay_1');
      expect(String(error)).not.toContain(PAN);
    }
  });
});

describe('data keys', () => {
  test('there is one for each kind and hour, and CVC keys are in the ephemeral database', async () => {
    const vault = vaultOf();
    const first = await vault.seal('card', PAN, binding);
    const cvc = await vault.seal('cvc', '123', binding);
    clock.ms += HOUR_MS;
    const second = await vault.seal('card', PAN, binding);
    expect(second.kid).not.toBe(first.kid);
    const ids = async (where: 'collection' | 'ephemeral') =>
      (await database[where]<{ _id: string }>('vault_keys').find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    expect(await ids('collection')).toEqual([first.kid, second.kid]);
    expect(await ids('ephemeral')).toEqual([cvc.kid]);
    expect((await vault.open(first, binding)).toString()).toBe(PAN);
  });

  test('processes that create the key of an hour at once agree on one', async () => {
    const vaults = Array.from({ length: 8 }, () => vaultOf());
    const envelopes = await Promise.all(vaults.map((vault) => vault.seal('card', PAN, binding)));
    expect(await database.collection('vault_keys').countDocuments()).toBe(1);
    const reader = vaultOf();
    for (const envelope of envelopes) expect((await reader.open(envelope, binding)).toString()).toBe(PAN);
  });

  test('a process reads or creates a key once for many simultaneous calls', async () => {
    const { vault, calls } = watchedVault();
    const envelopes = await Promise.all(Array.from({ length: 200 }, () => vault.seal('card', PAN, binding)));
    await Promise.all(envelopes.map((envelope) => vault.open(envelope, binding)));
    expect(calls).toEqual({ find: 1, insertOrRead: 1 });

    const other = watchedVault();
    await Promise.all(envelopes.map((envelope) => other.vault.open(envelope, binding)));
    expect(other.calls).toEqual({ find: 1, insertOrRead: 0 });
  });

  test('without MongoDB cached keys still work, other keys fail with an error, and both recover', async () => {
    let away = false;
    const gone = () => Promise.reject(new Error('server selection timed out'));
    const real = createDataKeyRepository(database);
    const { vault } = watchedVault({
      find: (...args) => (away ? gone() : real.find(...args)),
      insertOrRead: real.insertOrRead,
    });
    const envelope = await vault.seal('card', PAN, binding);
    away = true;
    await expect(vault.seal('card', PAN, binding)).resolves.toBeDefined();
    expect((await vault.open(envelope, binding)).toString()).toBe(PAN);
    clock.ms += HOUR_MS;
    await expect(vault.seal('card', PAN, binding)).rejects.toMatchObject({
      name: 'VaultError',
      code: 'keys-unavailable',
    });
    away = false;
    await expect(vault.seal('card', PAN, binding)).resolves.toBeDefined();
  });

  test('an hour can begin without MongoDB, because its keys are created in the last minute of the previous hour', async () => {
    let away = false;
    const gone = () => Promise.reject(new Error('server selection timed out'));
    const real = createDataKeyRepository(database);
    const { vault } = watchedVault({
      find: (...args) => (away ? gone() : real.find(...args)),
      insertOrRead: (...args) => (away ? gone() : real.insertOrRead(...args)),
    });
    const next = { _id: `card:${Date.UTC(2027, 0, 1, 11) / HOUR_MS}` };
    const stored = () => database.collection<{ _id: string; createdAt: Date }>('vault_keys').findOne(next);
    await vault.seal('card', PAN, binding);
    clock.ms = Date.UTC(2027, 0, 1, 10, 58, 59);
    await vault.seal('card', PAN, binding);
    expect(await stored()).toBeNull();

    clock.ms = Date.UTC(2027, 0, 1, 10, 59, 30);
    away = true;
    expect((await vault.seal('card', PAN, binding)).kid).not.toBe(next._id);
    // Wait until that try has failed.
    await new Promise(setImmediate);
    away = false;
    const early = await vault.seal('card', PAN, binding);
    // Opening waits until the new key is in memory. The new key does not open an envelope of another key.
    await expect(vault.open({ ...early, kid: next._id }, binding)).rejects.toMatchObject(invalid);
    expect((await stored())?.createdAt).toEqual(new Date(Date.UTC(2027, 0, 1, 11)));

    away = true;
    clock.ms = Date.UTC(2027, 0, 1, 11);
    const envelope = await vault.seal('card', PAN, binding);
    expect(envelope.kid).toBe(next._id);
    expect((await vault.open(envelope, binding)).toString()).toBe(PAN);
  });

  test('after the connection to MongoDB is closed, sealing fails at once with a clear error', async () => {
    const lost = await openDatabase(testMongoUri('vault'));
    await lost.close();
    const vault = openVault(lost, { vaultMasterKeys: [m1] }, clock);
    const error = await vault.seal('card', PAN, binding).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'VaultError', code: 'keys-unavailable' });
    expect(String(error)).toContain('MongoDB does not answer');
  });

  test('a key is never used before MongoDB acknowledged it', async () => {
    const { vault } = watchedVault({ insertOrRead: () => Promise.reject(new Error('write concern timed out')) });
    await expect(vault.seal('cvc', '123', binding)).rejects.toMatchObject({ code: 'keys-unavailable' });
  });

  test('CVC keys are destroyed after a day, also in memory; card keys stay', async () => {
    const [vault, another] = [vaultOf(), vaultOf()];
    const card = await vault.seal('card', PAN, binding);
    const cvc = await vault.seal('cvc', '123', binding);
    await another.open(cvc, binding);
    clock.ms += limits.cvcDataKeyDestroyMs - 1;
    expect(await vault.destroyExpiredKeys(clock.now())).toBe(0);
    expect((await vault.open(cvc, binding)).toString()).toBe('123');
    clock.ms += 1;
    expect(await vault.destroyExpiredKeys(clock.now())).toBe(1);
    for (const reader of [vault, another, vaultOf()]) {
      await expect(reader.open(cvc, binding)).rejects.toMatchObject({ code: 'key-unknown' });
      expect((await reader.open(card, binding)).toString()).toBe(PAN);
    }
  });

  test('a card has one fingerprint a day, which can be computed for a month and not after', async () => {
    const [vault, another] = [vaultOf(), vaultOf()];
    const [today] = await vault.fingerprintsOf(PAN);
    expect(await another.fingerprintsOf(PAN)).toEqual([today]);
    expect(await vault.fingerprintsOf('4111111111111111')).not.toContain(today);
    clock.ms += limits.velocityKeyEpochMs;
    const [tomorrow, ...before] = await vault.fingerprintsOf(PAN);
    expect(tomorrow).not.toBe(today);
    expect(before).toEqual([today]);

    clock.ms += limits.velocityKeyDestroyMs - limits.velocityKeyEpochMs - 1;
    expect(await vault.destroyExpiredKeys(clock.now())).toBe(0);
    // A key that is cached now does not outlive its time either.
    for (const reader of [vault, vaultOf()]) expect(await reader.fingerprintsOf(PAN)).toContain(today);
    clock.ms += 1;
    for (const reader of [vault, vaultOf()]) expect(await reader.fingerprintsOf(PAN)).not.toContain(today);
    expect(await vault.destroyExpiredKeys(clock.now())).toBe(1);
    const left = await database.ephemeral<{ _id: string }>('vault_keys').find().toArray();
    expect(left.map(({ _id }) => _id)).not.toContain(
      `velocity:${Math.floor(Date.UTC(2027, 0, 1) / limits.velocityKeyEpochMs)}`,
    );
  });

  test('the databases store only wrapped keys', async () => {
    const vault = vaultOf();
    await vault.seal('card', PAN, binding);
    await vault.seal('cvc', '123', binding);
    for (const where of ['collection', 'ephemeral'] as const) {
      const [row] = await database[where]<{ _id: string; wrapped: string; masterKeyId: string }>('vault_keys')
        .find()
        .toArray();
      expect(Object.keys(row ?? {}).sort()).toEqual(['_id', 'createdAt', 'masterKeyId', 'wrapped']);
      expect(row?.wrapped.split('.')).toHaveLength(5);
      const header = JSON.parse(Buffer.from(row?.wrapped.split('.')[0] ?? '', 'base64url').toString());
      expect(header).toMatchObject({ alg: 'A256GCMKW', enc: 'A256GCM', kid: 'm1', dataKey: row?._id });
    }
  });
});

test('an envelope opens only for its merchant and customer; one of an earlier release is not bound to them', async () => {
  const vault = vaultOf();
  const owned = { ...binding, owner: { merchantId: 1001, customerId: 'cus_1' } };
  const envelope = await vault.seal('card', PAN, owned);
  expect(envelope.v).toBe(2);
  expect((await vault.open(envelope, owned)).toString()).toBe(PAN);
  for (const owner of [
    { merchantId: 1002, customerId: 'cus_1' },
    { merchantId: 1001, customerId: 'cus_2' },
    { merchantId: 1001 },
  ]) {
    await expect(vault.open(envelope, { ...binding, owner })).rejects.toMatchObject(invalid);
  }
  await expect(vault.open({ ...envelope, v: 1 }, owned)).rejects.toMatchObject(invalid);
  const old = await vault.seal('card', PAN, binding);
  expect(old.v).toBe(1);
  expect((await vault.open(old, owned)).toString()).toBe(PAN);
});

describe('master keys', () => {
  test('the newest wraps and any unwraps; after re-wrapping the old one is not needed, and records do not change', async () => {
    const before = await vaultOf([m1]).seal('card', PAN, binding);
    const cvc = await vaultOf([m1]).seal('cvc', '123', binding);
    const rotated = vaultOf([m2, m1]);
    expect((await rotated.open(before, binding)).toString()).toBe(PAN);
    await expect(vaultOf([m2]).open(before, binding)).rejects.toMatchObject({ code: 'master-key-missing' });

    expect(await rotated.rewrapKeys()).toEqual({ rewrapped: 2, left: [] });
    expect(await rotated.rewrapKeys()).toEqual({ rewrapped: 0, left: [] });
    expect((await vaultOf([m2]).open(before, binding)).toString()).toBe(PAN);
    expect((await vaultOf([m2]).open(cvc, binding)).toString()).toBe('123');
    await expect(vaultOf([m1]).open(before, binding)).rejects.toMatchObject({ code: 'master-key-missing' });
  });

  test.each([
    ['lost', [m2]],
    ['another one under its id', [masterKey('m1')]],
  ])('if a master key is %s, counted declines are lost, and new ones are counted', async (_how, keys) => {
    await vaultOf([m1]).fingerprintsOf(PAN);
    clock.ms += limits.velocityKeyEpochMs;
    const [lost] = await vaultOf([m1]).fingerprintsOf(PAN);
    const [vault, another] = [vaultOf(keys), vaultOf(keys)];
    const [[today, ...before], again] = await Promise.all([vault.fingerprintsOf(PAN), another.fingerprintsOf(PAN)]);
    expect([before, again]).toEqual([[], [today]]);
    expect(today).not.toBe(lost);
    clock.ms += limits.velocityKeyEpochMs;
    expect((await vault.fingerprintsOf(PAN)).slice(1)).toEqual([today]);
  });

  test('if a master key is lost, data keys of other master keys are still re-wrapped', async () => {
    const lost = await vaultOf([m1]).seal('card', PAN, binding);
    clock.ms += HOUR_MS;
    const kept = await vaultOf([m2]).seal('card', PAN, binding);
    const m3 = masterKey('m3');
    const { rewrapped, left } = await vaultOf([m3, m2]).rewrapKeys();
    expect([rewrapped, left]).toEqual([1, [expect.stringMatching(`${lost.kid} .*m1`)]]);
    expect((await vaultOf([m3]).open(kept, binding)).toString()).toBe(PAN);
    expect((await vaultOf([m1]).open(lost, binding)).toString()).toBe(PAN);
  });

  test('a master key with the right id and the wrong bytes opens nothing', async () => {
    const envelope = await vaultOf([m1]).seal('card', PAN, binding);
    const changed = vaultOf([masterKey('m1')]);
    await expect(changed.open(envelope, binding)).rejects.toMatchObject(invalid);
    // No record was changed. Sealing is answered 503 and works again in the next hour.
    await expect(changed.seal('card', PAN, binding)).rejects.toMatchObject({ code: 'master-key-missing' });
    clock.ms += HOUR_MS;
    expect((await changed.open(await changed.seal('card', PAN, binding), binding)).toString()).toBe(PAN);
  });

  test('a wrapped key that is copied to the id of another is refused', async () => {
    const vault = vaultOf();
    const first = await vault.seal('card', PAN, binding);
    clock.ms += HOUR_MS;
    const second = await vault.seal('card', PAN, binding);
    const keys = database.collection<{ _id: string; wrapped: string }>('vault_keys');
    const stolen = await keys.findOne({ _id: first.kid });
    await keys.updateOne({ _id: second.kid }, { $set: { wrapped: stolen?.wrapped ?? '' } });
    await expect(vaultOf().open(second, binding)).rejects.toThrow('another data key');
  });

  test('a vault without master keys is refused at once', () => {
    expect(() => vaultOf([])).toThrow('VAULT_MASTER_KEYS');
  });
});
