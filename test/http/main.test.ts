/** The real process: its start, its readiness and its end. */
import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { type Entry, endSpawned, soundSettings, spawnEntry } from '../config/spawn-entry.js';
import { apiEnvironment, killApis, runApi } from '../support/api-process.js';
import { waitFor } from '../support/patience.js';
import { testMongoUri } from '../support/services.js';

afterEach(killApis);
afterAll(endSpawned);

const run = (changes: Record<string, string> = {}) => runApi(apiEnvironment('main', changes));

test('reports a wrong configuration once, without a stack, and exits with 1', async () => {
  const { ended, ready } = run({ MONGODB_URI: '', API_KEY_PEPPER: 'short' });
  ready.catch(() => undefined);
  const { code, errors } = await ended;
  expect(code).toBe(1);
  expect(errors).toContain('MONGODB_URI is missing');
  expect(errors).toContain('API_KEY_PEPPER must be');
  expect(errors).not.toMatch(/ {4}at |short/);
});

test('starts without Redis, is ready, protects the operator port, and shuts down gracefully on SIGTERM', async () => {
  const { child, ended, ready } = run({ REDIS_URL: 'redis://127.0.0.1:1' });
  const { port, operatorPort } = await ready;
  const readiness = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect([readiness.status, await readiness.json()]).toEqual([
    200,
    { status: 'ready', mongodb: 'ok', redis: 'degraded', notices: ['bin-table-empty'] },
  ]);
  expect((await fetch(`http://127.0.0.1:${operatorPort}/metrics`)).status).toBe(401);
  const authorization = `Basic ${Buffer.from('operator:a-long-password-1').toString('base64')}`;
  const metrics = await fetch(`http://127.0.0.1:${operatorPort}/metrics`, { headers: { authorization } });
  expect(await metrics.text()).toContain('process_cpu_user_seconds_total');
  // A kept-alive connection outlives the listening socket: its next answer announces that it is the last one.
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<http.IncomingMessage>((resolve, reject) => {
      http
        .get({ agent, port, path: '/readyz' }, (answer) => answer.resume().on('end', () => resolve(answer)))
        .on('error', reject);
    });
  expect((await ask()).statusCode).toBe(200);
  child.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 200));
  const last = await ask();
  expect([last.statusCode, last.headers['connection']]).toEqual([503, 'close']);
  expect(await ended).toEqual({ code: 0, errors: '' });
});

test.each([
  ['SIGTERM', 'is no other request: some platforms send several', 0],
  ['SIGINT', 'ends a process that stops at once', 1],
] as const)('%s after SIGTERM %s', async (second, _what, code) => {
  const { child, ended, ready } = runApi(apiEnvironment(`after_sigterm_${second.toLowerCase()}`));
  const { port } = await ready;
  const stopsMs = performance.now();
  child.kill('SIGTERM');
  await waitFor(
    () => fetch(`http://127.0.0.1:${port}/readyz`),
    ({ status }) => status === 503,
  );
  child.kill(second);
  expect(await ended).toEqual({ code, errors: '' });
  // The default of DRAIN_DELAY_MS: only a graceful stop waits for it.
  expect(performance.now() - stopsMs > 3_000).toBe(code === 0);
});

test.each<[Entry, string[], string]>([['api/main', [], 'PORT']])(
  '%s %j exits with one sentence if %s is in use',
  async (entry, args, setting) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const env = {
      ...soundSettings(),
      MONGODB_URI: testMongoUri('port_in_use'),
      LOG_LEVEL: 'silent',
      [setting]: String(port),
    };
    const { code, stderr } = await spawnEntry(entry, env, args).ended;
    other.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^127\\.0\\.0\\.1:${port} is in use .*\\b${setting}\\b.*\\n$`));
  },
);

test.each<[string, Entry, string[]]>([
  ['HOST', 'api/main', []],
  ['OPERATOR_HOST', 'workers/run', ['expiry']],
])('exits with one sentence if %s is not the name of a machine: %s %j', async (setting, entry, args) => {
  const env = {
    ...soundSettings(),
    MONGODB_URI: testMongoUri(setting.toLowerCase()),
    WORKER_OPERATOR_PORT: '9080',
    LOG_LEVEL: 'silent',
    [setting]: 'http://127.0.0.1',
  };
  const { code, stderr } = await spawnEntry(entry, env, args).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`^http://127\\.0\\.0\\.1 is no address, .*\\b${setting}\\b.*\\n$`));
});
