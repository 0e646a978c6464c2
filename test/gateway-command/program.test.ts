/** The program as an operator starts it: arguments in, streams and exit code out. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import mongoose from 'mongoose';
import { isBuilt } from '../../scripts/setup/build.mjs';
import { soundSettings } from '../config/spawn-entry.js';
import { testMongoUri } from '../support/services.js';

const fresh = isBuilt(process.cwd());
/** The same keys for all tests: the database refuses other keys than those of its first use. */
const settings = soundSettings();
const program = fresh ? ['scripts/gateway.mjs'] : ['--import', 'tsx', 'scripts/gateway/main.ts'];

async function gateway(args: readonly string[], mongodbUri = testMongoUri('program'), more: object = {}) {
  const env = { PATH: process.env.PATH ?? '', ...settings, MONGODB_URI: mongodbUri, ...more };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...program, ...args], { env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

test('`./gateway` runs from any folder and through a link, and the package gives npx no command', async () => {
  const { bin, private: isPrivate } = JSON.parse(readFileSync('package.json', 'utf8'));
  // If the package had a command named like a package of another project, npx would run that one wherever ours is not installed.
  expect({ bin, isPrivate }).toEqual({ bin: undefined, isPrivate: true });
  const folder = mkdtempSync(join(tmpdir(), 'program-'));
  try {
    symlinkSync(resolve('gateway'), join(folder, 'gw'));
    for (const path of [resolve('gateway'), './gw']) {
      const { stdout } = await promisify(execFile)(path, ['--version'], { cwd: folder });
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('`./gateway doctor` finds the catalogue of 3DS providers from any folder', async () => {
  const env = { PATH: process.env.PATH ?? '', ...settings, MONGODB_URI: testMongoUri('program') };
  const args = ['doctor', '--json', '--process', 'web', '--skip-processors'];
  const doctor = (more: object) =>
    promisify(execFile)(resolve('gateway'), args, { cwd: tmpdir(), env: { ...env, ...more } }).catch((error) => error);
  const catalogueOf = async (more: object) =>
    JSON.parse((await doctor(more)).stdout).filter(({ check }: { check: string }) => check === '3D Secure');
  expect(await catalogueOf({})).toMatchObject([{ state: expect.stringMatching(/^(ok|notice)$/) }]);
  expect(await catalogueOf({ THREEDS_PROVIDERS_FILE: 'config/none.json' })).toMatchObject([
    { state: 'wrong', found: expect.stringContaining(resolve('config/none.json')) },
  ]);
});

test('`--env-file` is an option of the program, not of Node', async () => {
  for (const words of [['--env-file', '/nowhere/.env'], ['--env-file=/nowhere/.env']]) {
    const args = ['clients', 'list', ...words, '--json'];
    const { code, stderr } = await promisify(execFile)('./gateway', args).catch((error) => error);
    expect(code).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({
      error: expect.stringContaining('--env-file: /nowhere/.env cannot be read'),
    });
  }
});

test('the program creates a client, lists it and exits', async () => {
  const made = await gateway(['clients', 'create', '--name', 'Spawned', '--json']);
  expect([made.code, made.stderr]).toEqual([0, '']);
  const { clientId } = JSON.parse(made.stdout);
  const listed = await gateway(['clients', 'list']);
  expect(listed.stdout).toContain(clientId);
});

test('answers go to stdout, errors to stderr, and the exit code tells which', async () => {
  const [helped, wrong, refused] = await Promise.all([
    gateway(['--help']),
    gateway(['keys', 'isue']),
    gateway(['keys', 'revoke', 'key_0']),
  ]);
  expect([helped.code, helped.stderr]).toEqual([0, '']);
  expect(helped.stdout).toMatch(/clients/);
  expect([wrong.code, wrong.stdout]).toEqual([2, '']);
  expect(wrong.stderr).toMatch(/^gateway: There is no command/);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
});

test('an answer that cannot be written is a failure, and a reader that stops early is not', async () => {
  const env = { PATH: process.env.PATH ?? '', ...settings, MONGODB_URI: testMongoUri('program') };
  const sh = (line: string) =>
    promisify(execFile)('sh', ['-c', line, process.execPath, ...program, 'clients', 'list'], { env });
  const full = await sh('"$0" "$@" > /dev/full').catch((error) => error);
  expect([full.code, full.stderr]).toEqual([1, 'gateway: done, but the answer could not be written: ENOSPC.\n']);
  expect(await sh('{ "$0" "$@"; echo "$?" >&2; } | true')).toEqual({ stdout: '', stderr: '0\n' });
});

test('a time without an offset is UTC, whatever the time zone of the machine', async () => {
  const begin = ['safe-mode', 'begin', '--json', '--since', '2025-01-31T12:00'];
  const { code, stdout } = await gateway(begin, testMongoUri('program_zone'), { TZ: 'America/Montevideo' });
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ from: '2025-01-31T12:00:00.000Z' })]);
});

test('a machine whose clock is two hours behind ends no key early', async () => {
  const behind = `const Right = globalThis.Date, by = 7_200_000;
globalThis.Date = class Date extends Right {
  constructor(...words) { words.length > 0 ? super(...words) : super(Right.now() - by); }
  static now() { return Right.now() - by; }
};`;
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(behind)}`;
  const late = async (words: string) => {
    const { code, stdout, stderr } = await gateway(`${words} --json`.split(' '), undefined, { NODE_OPTIONS });
    expect([words, code, stderr]).toEqual([words, 0, '']);
    return JSON.parse(stdout);
  };
  const { clientId } = await late('clients create --name Late');
  const { keyId } = await late(`keys issue --client-id ${clientId}`);
  const begun = Date.now();
  const { oldKeyEndsAt } = await late(`keys rotate ${keyId} --overlap 1h`);
  expect(new Date(oldKeyEndsAt).getTime()).toBeGreaterThan(begun + 3_590_000);
  const [{ at }] = await late(`audit list --client-id ${clientId} --action key.rotated`);
  expect(new Date(at).getTime()).toBeGreaterThan(begun - 10_000);
});

test('the program signs in to MongoDB with a password that needs SASLprep', async () => {
  const uri = new URL(testMongoUri('program'));
  const client = new mongoose.mongo.MongoClient(uri.href);
  // MongoDB lets users sign in even if it does not require it. SASLprep drops a soft hyphen (RFC 4013, 2.1).
  const user = `operator-${process.pid}`;
  await client.db('admin').command({ createUser: user, pwd: 'hyphen', roles: ['root'], mechanisms: ['SCRAM-SHA-256'] });
  try {
    uri.username = user;
    uri.password = 'hy\u00adphen';
    uri.searchParams.set('authSource', 'admin');
    expect(await gateway(['clients', 'list'], uri.href)).toMatchObject({ code: 0, stderr: '' });
    uri.password = 'hy-phen';
    expect(await gateway(['clients', 'list'], uri.href)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/authentication failed/i),
    });
  } finally {
    await client.db('admin').command({ dropUser: user });
    await client.close();
  }
});
