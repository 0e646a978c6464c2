#!/usr/bin/env node
// `npm run secrets`: makes the files in `secrets/` that docker-compose.yml mounts, one per secret. Existing files stay.
// `npm run secrets -- <folder>` makes them elsewhere.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup/paths.mjs';
import { secretMakers } from './setup/secrets.mjs';

/** Only the owner can enter the folder. In a container each file is mounted alone and read by another user. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o444;
/** MongoDB takes 6 to 1024 characters of base64. */
const KEYFILE_BYTES = 756;

const words = process.argv.slice(2);
// Without this check `--help` would become a folder full of secrets that no .gitignore knows.
if (words.length > 1 || words[0]?.startsWith('-')) {
  const isHelp = words[0] === '--help' || words[0] === '-h';
  const usage = 'npm run secrets [-- <folder>]: makes the secrets of docker-compose.yml, by default in secrets/.';
  (isHelp ? console.log : console.error)(usage);
  process.exit(isHelp ? 0 : 2);
}

const folder = words[0] ?? join(root, 'secrets');
const password = () => randomBytes(24).toString('base64url');
/** @param {string} name */
const read = (name) => readFileSync(join(folder, name), 'utf8').trim();

/** The order matters: addresses contain the passwords made before them. @type {Record<string, () => string>} */
const files = {
  ...Object.fromEntries(Object.entries(secretMakers).map(([name, make]) => [name.toLowerCase(), make])),
  redis_password: password,
  redis_url: () => `redis://:${read('redis_password')}@redis:6379`,
  mongodb_root_password: password,
  mongodb_password: password,
  mongodb_uri: () =>
    `mongodb://gateway:${read('mongodb_password')}@mongodb:27017/payment_gateway?replicaSet=rs0&authSource=admin`,
  mongodb_keyfile: () => randomBytes(KEYFILE_BYTES).toString('base64'),
};

mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
chmodSync(folder, FOLDER_MODE);
for (const [name, make] of Object.entries(files)) {
  const path = join(folder, name);
  if (existsSync(path)) {
    console.log(`kept    ${path}`);
    continue;
  }
  writeFileSync(path, `${make()}\n`, { mode: FILE_MODE });
  console.log(`written ${path}`);
}
