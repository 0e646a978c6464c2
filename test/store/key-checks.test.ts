import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { acceptKey, checkKeys, compareKeys, KeyMismatchError } from '../../shared/store/key-checks.repository.js';
import { testMongoUri } from '../support/services.js';

let database: Database;
beforeAll(async () => {
  database = await openDatabase(testMongoUri('keychecks'));
});
beforeEach(async () => {
  await database.collection('installation').deleteMany({});
});
afterAll(async () => {
  await database.connection.dropDatabase();
  await database.close();
});

const key = () => randomBytes(32);
const keys = () => ({
  apiKeyPepper: key(),
  fingerprintKey: key(),
  digestKey: key(),
  vaultMasterKeys: [{ id: 'k1', key: key() }],
});

test('a process with other keys than the database was used with is refused with the names of the keys', async () => {
  const first = keys();
  await Promise.all([checkKeys(database, first), checkKeys(database, first)]);
  await checkKeys(database, first);
  // Not every process has every key.
  await checkKeys(database, { digestKey: first.digestKey });
  await checkKeys(database, { ...first, vaultMasterKeys: [{ id: 'k2', key: key() }, ...first.vaultMasterKeys] });

  await expect(checkKeys(database, { ...first, digestKey: key() })).rejects.toMatchObject({ names: ['DIGEST_KEY'] });
  const sameId = { ...first, fingerprintKey: key(), vaultMasterKeys: [{ id: 'k1', key: key() }] };
  const refused = await checkKeys(database, sameId).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'KeyMismatchError', names: ['FINGERPRINT_KEY', 'VAULT_MASTER_KEYS:k1'] });
  expect(String(refused)).toContain('./gateway vault keys accept');
  await checkKeys(database, first);
});

test('a key that was changed on purpose is accepted by name', async () => {
  const first = keys();
  await checkKeys(database, first);
  const changed = { ...first, digestKey: key() };
  expect(await acceptKey(database, changed, 'ACCESS_TOKEN_KEY')).toBe(false);
  expect(await acceptKey(database, changed, 'DIGEST_KEY')).toBe(true);
  await checkKeys(database, changed);
  await expect(checkKeys(database, first)).rejects.toMatchObject({ names: ['DIGEST_KEY'] });
});

test('a comparison finds which keys differ and which are not known yet, without storing anything', async () => {
  const first = keys();
  const compared = await compareKeys(database, first);
  expect(compared).toEqual({
    wrong: [],
    unknown: ['API_KEY_PEPPER', 'FINGERPRINT_KEY', 'DIGEST_KEY', 'VAULT_MASTER_KEYS:k1'],
  });
  expect(await database.collection('installation').countDocuments({})).toBe(0);
  await checkKeys(database, { digestKey: first.digestKey, vaultMasterKeys: first.vaultMasterKeys });
  expect(await compareKeys(database, { ...first, digestKey: key() })).toEqual({
    wrong: ['DIGEST_KEY'],
    unknown: ['API_KEY_PEPPER', 'FINGERPRINT_KEY'],
  });
  await checkKeys(database, first);
  expect(await compareKeys(database, first)).toEqual({ wrong: [], unknown: [] });
});

test('the error of a wrong key has its name and the command that accepts a change on purpose', () => {
  expect(new KeyMismatchError(['DIGEST_KEY', 'API_KEY_PEPPER']).message).toBe(
    'DIGEST_KEY, API_KEY_PEPPER: not the key that this database was used with. Put the old key back. ' +
      'If it was changed on purpose: ./gateway vault keys accept DIGEST_KEY',
  );
});

test('a key that the database does not know yet can be accepted too', async () => {
  const first = keys();
  expect(await acceptKey(database, first, 'DIGEST_KEY')).toBe(true);
  await expect(checkKeys(database, { digestKey: key() })).rejects.toMatchObject({ names: ['DIGEST_KEY'] });
});

test('the database does not store the keys themselves', async () => {
  const first = keys();
  await checkKeys(database, first);
  const stored = JSON.stringify(await database.collection('installation').find().toArray());
  for (const secret of [first.apiKeyPepper, first.digestKey]) {
    for (const form of ['base64', 'base64url', 'hex'] as const) expect(stored).not.toContain(secret.toString(form));
  }
  expect(JSON.parse(stored)).toHaveLength(4);
});
