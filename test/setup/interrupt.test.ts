/** Ctrl-C during `npm test` ends jest and every process that its suites started. */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../scripts/setup/process-identity.mjs';
import { until } from '../support/patience.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interrupt-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A suite that never ends. It starts one process in the way of gateways and one in the way of browsers. */
const suite = `
const { spawn } = require('node:child_process');
test('lasts', async () => {
  const idle = ['-e', 'setInterval(() => {}, 1000)'];
  const plain = spawn(process.execPath, idle, { stdio: 'ignore', env: {} });
  const detached = spawn(process.execPath, idle, { stdio: 'ignore', detached: true });
  require('node:fs').writeFileSync('PIDS', JSON.stringify([process.pid, plain.pid, detached.pid]));
  await new Promise(() => {});
}, 600000);
`;

/** A program that runs jest like scripts/setup/test-run.mjs, without the servers. */
const runner = (args: readonly string[]) => `
import { runJest } from '${process.cwd()}/scripts/setup/jest.mjs';
import { stopSignals } from '${process.cwd()}/scripts/setup/stop-signals.mjs';
const signal = stopSignals(() => {});
const result = await runJest({
  args: ${JSON.stringify(args)},
  env: { ...process.env, TEST_RUN_ID: ${JSON.stringify(`interrupt-${process.pid}`)} },
  report: ${JSON.stringify(join(folder, 'report.json'))},
  run: ${JSON.stringify(join(folder, 'run'))},
  signal,
});
console.log(JSON.stringify(result));
`;

test.each(['SIGINT', 'SIGTERM'] as const)('%s leaves no process behind', async (signal) => {
  const pidsFile = join(folder, 'pids.json');
  // Two suites and two workers, so that the suites run in child processes of jest.
  for (const name of ['a', 'b']) {
    const file = `${pidsFile}.${name}`;
    writeFileSync(join(folder, `${name}.test.cjs`), suite.replace("'PIDS'", JSON.stringify(file)));
  }
  const config = { rootDir: folder, testMatch: ['<rootDir>/*.test.cjs'] };
  writeFileSync(join(folder, 'runner.mjs'), runner(['--config', JSON.stringify(config), '--maxWorkers=2']));
  const env = { ...process.env, NODE_OPTIONS: '', npm_lifecycle_event: '' };
  const child = spawn(process.execPath, [join(folder, 'runner.mjs')], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const pids: number[] = await until(() => {
    const files = ['a', 'b'].map((name) => `${pidsFile}.${name}`);
    const texts = files.filter(existsSync).map((file) => readFileSync(file, 'utf8'));
    return texts.length === 2 && texts.every(Boolean) ? texts.flatMap((text) => JSON.parse(text)) : undefined;
  });
  expect(pids.filter((pid) => isRunning({ pid, identity: '' }))).toHaveLength(6);
  child.kill(signal);
  await ended;
  expect(pids.filter((pid) => isRunning({ pid, identity: '' }))).toEqual([]);
  expect(JSON.parse(said.trim().split('\n').at(-1) ?? '')).toMatchObject({ passed: 0, failed: 1 });
});
