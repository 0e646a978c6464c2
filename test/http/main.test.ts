/** The real process: what it says at start, how it is ready, how it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';

const key = () => randomBytes(32).toString('base64');

const environment = () => ({
  PATH: process.env.PATH ?? '',
  GATEWAY_ENVIRONMENT: 'testing',
  PORT: '0',
  OPERATOR_PORT: '0',
  OPERATOR_PASSWORD: 'a-long-password-1',
  MONGODB_URI: testMongoUri('main'),
  REDIS_URL: testRedisUrl(),
  REDIS_PREFIX: testRedisPrefix('main'),
  VAULT_MASTER_KEYS: `k1:${key()}`,
  API_KEY_PEPPER: key(),
  FINGERPRINT_KEY: key(),
  DIGEST_KEY: key(),
  LOG_LEVEL: 'warn',
});

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function run(changes: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'api/main.ts'], {
    env: { ...environment(), ...changes },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.push(child);
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  child.stdout?.resume();
  const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, errors }));
  const ready = new Promise<{ ready: boolean; port: number; operatorPort: number }>((resolve) =>
    child.once('message', resolve as never),
  );
  return {
    child,
    ended,
    ready: Promise.race([
      ready,
      ended.then(({ errors: said }) => {
        throw new Error(said);
      }),
    ]),
  };
}

test('says once what is wrong with its configuration, without a stack, and ends with 1', async () => {
  const { ended, ready } = run({ MONGODB_URI: '', API_KEY_PEPPER: 'short' });
  ready.catch(() => undefined);
  const { code, errors } = await ended;
  expect(code).toBe(1);
  expect(errors).toContain('MONGODB_URI is missing');
  expect(errors).toContain('API_KEY_PEPPER must be');
  expect(errors).not.toMatch(/ {4}at |short/);
});

test('starts with Redis away, is ready, guards the operator port, and ends gently on SIGTERM', async () => {
  const { child, ended, ready } = run({ REDIS_URL: 'redis://127.0.0.1:1' });
  const { port, operatorPort } = await ready;
  const readiness = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect([readiness.status, await readiness.json()]).toEqual([
    200,
    { status: 'ready', mongodb: 'ok', redis: 'degraded' },
  ]);
  expect((await fetch(`http://127.0.0.1:${operatorPort}/metrics`)).status).toBe(401);
  const authorization = `Basic ${Buffer.from('operator:a-long-password-1').toString('base64')}`;
  const metrics = await fetch(`http://127.0.0.1:${operatorPort}/metrics`, { headers: { authorization } });
  expect(await metrics.text()).toContain('process_cpu_user_seconds_total');
  // A kept-alive connection outlives the listening socket: its next answer says that it is the last.
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
