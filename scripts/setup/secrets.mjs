/** The secrets of a local installation: made once and kept under `.local/`, readable by this user only. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from './problem.mjs';

const OWNER_ONLY = 0o600;
const base64Key = () => randomBytes(32).toString('base64');

/** Makes each secret, by the name of its setting in config/schema.ts. @type {Record<string, () => string>} */
export const secretMakers = {
  OPERATOR_PASSWORD: () => randomBytes(24).toString('base64url'),
  VAULT_MASTER_KEYS: () => `m1:${base64Key()}`,
  API_KEY_PEPPER: base64Key,
  FINGERPRINT_KEY: base64Key,
  DIGEST_KEY: base64Key,
  REPLY_KEY: base64Key,
};

/**
 * Reads the secrets, and makes the missing ones.
 * @param {string} file
 * @returns {Record<string, string>}
 * @throws {Problem} when the file exists but is damaged: new secrets would make the stored cards unreadable
 */
export function loadSecrets(file) {
  const known = existsSync(file) ? parse(file) : {};
  const missing = Object.keys(secretMakers).filter((name) => known[name] === undefined);
  if (missing.length === 0) return known;
  const secrets = { ...known, ...Object.fromEntries(missing.map((name) => [name, secretMakers[name]?.() ?? ''])) };
  mkdirSync(dirname(file), { recursive: true });
  // Written to a draft and renamed: a full disk leaves the old secrets unchanged.
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: OWNER_ONLY });
  renameSync(draft, file);
  return secrets;
}

/** @param {string} file @returns {Record<string, string>} */
function parse(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Problem(
      `${file} cannot be read as JSON: restore it, or remove it together with .local/data to begin anew.`,
      {
        cause: error,
      },
    );
  }
}
