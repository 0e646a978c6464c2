/** Short but whole runs of the measuring commands. They are in one file because they refuse to run side by side. */
import { spawn } from 'node:child_process';
import { testMongoUri, testRedisUrl } from '../support/services.js';

async function run(name: string, ...args: string[]) {
  const env = { ...process.env, MONGODB_URI: testMongoUri(name), REDIS_URL: testRedisUrl(), NODE_OPTIONS: '' };
  const child = spawn(process.execPath, [`bench/run-${name}.mjs`, ...args], { env });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, output: Buffer.concat(chunks).toString('utf8') };
}

test('npm run soak: payments through the compiled gateway, all accounted for', async () => {
  const { code, output } = await run('soak', '--secs', '3', '--conc', '4');
  expect(output).toContain('every payment is accounted for');
  expect(code).toBe(0);
});

test('npm run queries: every question over a filled database is answered', async () => {
  const { code, output } = await run('queries', '--stored', '500', '--reps', '1');
  expect(output).toContain('too few payments to judge times: all was answered');
  expect(output).toMatch(/\d{3} questions over 500 payments/);
  expect(code).toBe(0);
});

test('npm run stored: both databases are paid into in turns, and all is accounted for', async () => {
  const { output } = await run('stored', '--stored', '500', '--secs', '0.3', '--reps', '1', '--conc', '4');
  expect(output).toContain('c=4, 500 payments stored');
  expect(output).toContain('every payment is accounted for');
});

test('npm run beside: two gateways are paid into in turns, and all is accounted for', async () => {
  const { code, output } = await run('beside', 'dist', '--secs', '0.3', '--reps', '2', '--conc', '4');
  expect(output).toMatch(/payments\/s +\d/);
  expect(output).toContain('every payment is accounted for');
  expect(code).toBe(0);
});
