/** The program as an operator starts it: words in, streams and exit code out. */
import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { planBuild } from '../../scripts/setup/build.mjs';
import { soundSettings } from '../config/spawn-entry.js';
import { testMongoUri } from '../support/services.js';

const fresh = planBuild(process.cwd()) === 'nothing';
const program = fresh ? ['scripts/gateway.mjs'] : ['--import', 'tsx', 'scripts/gateway/main.ts'];

async function gateway(args: readonly string[]) {
  const env = { PATH: process.env.PATH ?? '', ...soundSettings(), MONGODB_URI: testMongoUri('program') };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...program, ...args], { env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

test('`npx gateway` finds an executable program', () => {
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(bin).toEqual({ gateway: 'scripts/gateway.mjs' });
  expect(() => accessSync(bin.gateway, constants.X_OK)).not.toThrow();
  expect(readFileSync(bin.gateway, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
});

test('it makes a client, lists it and ends by itself', async () => {
  const made = await gateway(['clients', 'create', '--name', 'Spawned', '--json']);
  expect([made.code, made.stderr]).toEqual([0, '']);
  const { clientId } = JSON.parse(made.stdout);
  const listed = await gateway(['clients', 'list']);
  expect(listed.stdout).toContain(clientId);
}, 60_000);

test('its answers go to the one stream, its complaints to the other, and the code tells', async () => {
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
}, 60_000);
