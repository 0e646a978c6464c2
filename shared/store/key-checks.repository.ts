/**
 * Checks that a process has the keys that its database was used with (docs/security.md#keys-in-use). The database keeps a check value of
 * each secret key. A process with other bytes under the same name could not read what the others wrote, nor they what it writes.
 */
import { createHmac } from 'node:crypto';
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import { settings } from '../../config/schema.js';
import { systemClock } from '../clock.js';
import { type Database, isDuplicateKey } from './database.js';
import { INSTALLATION } from './environment.repository.js';

const keyNames = ['apiKeyPepper', 'accessTokenKey', 'fingerprintKey', 'digestKey'] as const;

/** The keys of a process. Keys that it does not have are not checked. */
export type KeySettings = Partial<Pick<Config, (typeof keyNames)[number] | 'vaultMasterKeys'>>;

interface KeyCheckRow {
  /** `key:FINGERPRINT_KEY`, `key:VAULT_MASTER_KEYS:k1` */
  readonly _id: string;
  /** 48 bits of an HMAC under the key: enough to tell two keys apart, and reveals nothing about a random key. */
  readonly check: string;
  readonly claimedAt: Date;
}

/** The process has another key than the database was used with. */
export class KeyMismatchError extends Error {
  constructor(readonly names: readonly string[]) {
    super(
      `${names.join(', ')}: not the key that this database was used with. Put the old key back. ` +
        `If it was changed on purpose: ./gateway vault keys accept ${names[0]}`,
    );
    this.name = 'KeyMismatchError';
  }
}

const CHECK_BYTES = 6;

function checkValue(name: string, key: Uint8Array): string {
  const digest = createHmac('sha256', key).update(`payment-gateway key check ${name}`).digest();
  return digest.subarray(0, CHECK_BYTES).toString('base64url');
}

/** Returns name and check value of each key. */
function checksOf(keys: KeySettings): ReadonlyMap<string, string> {
  const named = keyNames.flatMap((name): [string, Uint8Array][] => {
    const key = keys[name];
    return key ? [[settings[name].env, key]] : [];
  });
  const master = (keys.vaultMasterKeys ?? []).map(({ id, key }): [string, Uint8Array] => [
    `${settings.vaultMasterKeys.env}:${id}`,
    key,
  ]);
  return new Map([...named, ...master].map(([name, key]) => [name, checkValue(name, key)]));
}

const rowsOf = (database: Database) => database.collection<KeyCheckRow>(INSTALLATION);

/**
 * Stores the check values of new keys, and compares those of known keys.
 * @throws {KeyMismatchError} which names every key that differs.
 */
export async function checkKeys(database: Database, keys: KeySettings): Promise<void> {
  const rows = rowsOf(database);
  const claim = (name: string, check: string) =>
    rows.findOneAndUpdate(
      { _id: `key:${name}` },
      { $setOnInsert: { check, claimedAt: systemClock.now() } },
      { upsert: true, returnDocument: 'after', maxTimeMS: limits.mongoQueryMs },
    );
  const wrong: string[] = [];
  for (const [name, check] of checksOf(keys)) {
    const row = await claim(name, check).catch((error: unknown) => {
      // Two first starts at once: MongoDB may answer the slower one with 11000 instead of the row.
      if (isDuplicateKey(error)) return claim(name, check);
      throw error;
    });
    if (row && row.check !== check) wrong.push(name);
  }
  if (wrong.length > 0) throw new KeyMismatchError(wrong);
}

/** Compares without storing anything: returns the names of keys that differ, and of keys that the database does not know yet. */
export async function compareKeys(database: Database, keys: KeySettings) {
  const checks = checksOf(keys);
  const ids = [...checks.keys()].map((name) => `key:${name}`);
  const known = await rowsOf(database)
    .find({ _id: { $in: ids } }, { maxTimeMS: limits.mongoQueryMs })
    .toArray();
  const checkOf = new Map(known.map(({ _id, check }) => [_id.slice('key:'.length), check]));
  const names = [...checks.keys()];
  return {
    wrong: names.filter((name) => checkOf.has(name) && checkOf.get(name) !== checks.get(name)),
    unknown: names.filter((name) => !checkOf.has(name)),
  };
}

/** Returns the names of the keys whose check values the database keeps, as far as this process has them. */
export const keyNamesOf = (keys: KeySettings): readonly string[] => [...checksOf(keys).keys()];

/** Makes the key of this process the one that counts from now on. @returns false when the process has no key of that name. */
export async function acceptKey(database: Database, keys: KeySettings, name: string) {
  const check = checksOf(keys).get(name);
  if (check === undefined) return false;
  const row = { check, claimedAt: systemClock.now() };
  await rowsOf(database).updateOne(
    { _id: `key:${name}` },
    { $set: row },
    { upsert: true, maxTimeMS: limits.mongoQueryMs },
  );
  return true;
}
