/** Real processes on a real MongoDB: environments, health, readiness, metrics, and one trace id in the answer and the log. */

import { openDatabase } from '../../shared/store/database.js';
import { serverVersionProblem } from '../../shared/store/server-version.js';
import { endSpawned, soundProduction, soundSettings, spawnEntry } from '../config/spawn-entry.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';

const databases = ['claims_t', 'claims_p', 'processes', 'misspelt'].map((name) => testMongoUri(name));
const [claimsTesting = '', claimsProduction = '', shared = '', misspelt = ''] = databases;

afterAll(async () => {
  endSpawned();
  for (const uri of databases) {
    const database = await openDatabase(uri);
    await database.connection.dropDatabase();
    await database.close();
  }
});

test('the API and the workers of one environment refuse the database of the other', async () => {
  const [testing, production] = [
    { ...soundSettings(), MONGODB_URI: claimsTesting },
    { ...soundProduction(), MONGODB_URI: claimsProduction },
  ];
  const first = [spawnEntry('api/main', testing), spawnEntry('api/main', production)];
  await Promise.all(first.map(({ ready }) => ready));
  const [api, worker] = [
    spawnEntry('api/main', {
      ...testing,
      GATEWAY_ENVIRONMENT: 'production',
      TRUSTED_PROXIES: '0',
      PUBLIC_BASE_URL: 'https://pay.example.com',
      ALLOW_INSECURE_STORES: 'true',
      ALLOW_OLD_MONGODB: 'true',
    }),
    spawnEntry('workers/run', { ...production, GATEWAY_ENVIRONMENT: 'testing' }, ['expiry']),
  ];
  const refused = await Promise.all([api.ended, worker.ended]);
  expect(refused.map(({ code }) => code)).toEqual([1, 1]);
  expect(refused[0]?.stderr).toMatch(/belongs to the testing environment and this process runs in production/);
  expect(refused[1]?.stderr).toMatch(/belongs to the production environment and this process runs in testing/);
  for (const { stderr, stdout } of refused) expect(stderr + stdout).not.toMatch(/ {4}at |mongodb:\/\//);
  // Processes of the same environment may start as often as they like.
  const again = spawnEntry('api/main', testing);
  await again.ready;
  endSpawned();
});

test('production starts on a MongoDB that is new enough, or on an older one that the operator allowed', async () => {
  const { ALLOW_OLD_MONGODB, ...sound } = soundProduction();
  const production = { ...sound, MONGODB_URI: claimsProduction };
  expect(ALLOW_OLD_MONGODB).toBe('true');
  const database = await openDatabase(claimsProduction);
  const version = await database.serverVersion();
  await database.close();
  const problem = serverVersionProblem(version);
  const strict = [spawnEntry('api/main', production), spawnEntry('workers/run', production, ['expiry'])];
  if (problem === undefined) await Promise.all(strict.map(({ ready }) => ready));
  else {
    const refused = await Promise.all(strict.map(({ ended }) => ended));
    expect(refused.map(({ code, stderr }) => [code, stderr])).toEqual([
      [1, `${problem}\n`],
      [1, `${problem}\n`],
    ]);
  }
  const allowed = spawnEntry('workers/run', { ...production, ALLOW_OLD_MONGODB: 'true' }, ['expiry']);
  await allowed.ready;
  expect(allowed.output().stdout.includes('mongodb.old')).toBe(problem !== undefined);
  endSpawned();
});

test('a worker pool that opens no card starts without the keys of the vault and of the API', async () => {
  const { VAULT_MASTER_KEYS, API_KEY_PEPPER, FINGERPRINT_KEY, DIGEST_KEY, ...own } = soundSettings();
  expect([VAULT_MASTER_KEYS, API_KEY_PEPPER, FINGERPRINT_KEY, DIGEST_KEY]).not.toContain(undefined);
  const pools = ['qr', 'expiry', 'callback'];
  const started = pools.map((pool) => spawnEntry('workers/run', { ...own, MONGODB_URI: shared }, [pool]));
  await Promise.all(started.map(({ ready }) => ready));
  const { code, stderr } = await spawnEntry('workers/run', { ...own, MONGODB_URI: shared }, ['processor']).ended;
  expect([code, stderr]).toEqual([1, expect.stringMatching(/VAULT_MASTER_KEYS is missing/)]);
  endSpawned();
});

test('a misspelled setting is named in the log', async () => {
  const env = {
    ...soundSettings(),
    MONGODB_URI: misspelt,
    REDIS_URL: testRedisUrl(),
    DRAIN_DELAY_MS: '0',
    WORKER_CONCURENCY: '9',
  };
  const started = [spawnEntry('api/main', env), spawnEntry('workers/run', env, ['expiry'])];
  await Promise.all(started.map(({ ready }) => ready));
  for (const { child } of started) child.kill('SIGTERM');
  for (const { stdout } of await Promise.all(started.map(({ ended }) => ended))) {
    expect(stdout.split('\n').filter((line) => line.includes('"setting.misspelt"'))).toEqual([
      expect.stringContaining('"reason":"WORKER_CONCURENCY is not a setting; is WORKER_CONCURRENCY meant?"'),
    ]);
  }
});

describe('an API process without Redis', () => {
  let urls: { api: string; operator: string };
  let lines: () => Record<string, unknown>[];
  const operator = `Basic ${Buffer.from('operator:a-long-password-of-the-tests').toString('base64')}`;

  beforeAll(async () => {
    const spawned = spawnEntry('api/main', {
      ...soundSettings(),
      MONGODB_URI: shared,
      REDIS_PREFIX: testRedisPrefix('processes'),
      REDIS_URL: 'redis://:hunter2-redis@127.0.0.1:1',
      LOG_LEVEL: 'debug',
    });
    const { port, operatorPort } = await spawned.ready;
    urls = { api: `http://127.0.0.1:${port}`, operator: `http://127.0.0.1:${operatorPort}` };
    lines = () =>
      spawned
        .output()
        .stdout.trim()
        .split('\n')
        .map((line) => JSON.parse(line));
  });

  test('is healthy, and ready but degraded, on both ports; the operator port asks for user and password', async () => {
    const degraded = { status: 'ready', mongodb: 'ok', redis: 'degraded', notices: ['bin-table-empty'] };
    for (const [base, headers] of [
      [urls.api, {}],
      [urls.operator, { authorization: operator }],
    ] as const) {
      const [health, ready] = await Promise.all(['/healthz', '/readyz'].map((path) => fetch(base + path, { headers })));
      expect([health?.status, await health?.json()]).toEqual([200, { status: 'ok' }]);
      expect([ready?.status, await ready?.json()]).toEqual([200, degraded]);
    }
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      for (const authorization of ['', `Basic ${Buffer.from('operator:wrong').toString('base64')}`]) {
        const answer = await fetch(urls.operator + path, { headers: authorization === '' ? {} : { authorization } });
        expect([path, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
          path,
          401,
          'unauthorized',
        ]);
      }
    }
    const metrics = await fetch(`${urls.operator}/metrics`, { headers: { authorization: operator } });
    expect([metrics.status, await metrics.text()]).toEqual([
      200,
      expect.stringContaining('gateway_http_request_seconds'),
    ]);
    expect((await fetch(`${urls.api}/metrics`, { headers: { authorization: operator } })).status).toBe(404);
    expect((await fetch(`${urls.operator}/v1/payments/x`, { headers: { authorization: operator } })).status).toBe(404);
  });

  test('every answer has a trace id, which is the same in the header, the body and the log line', async () => {
    const asked = ['/healthz', '/readyz', '/openapi/v2.json', '/v1/payments/pay_1', '/nothing', '/v1/payments'];
    const traceIds: string[] = [];
    for (const path of asked) {
      const answer = await fetch(urls.api + path, { headers: { 'x-trace-id': 'caller-trace-0001' } });
      const traceId = answer.headers.get('x-trace-id') ?? '';
      expect([path, traceId]).toEqual([path, expect.stringMatching(/^[0-9a-f]{32}$/)]);
      const body = (await answer.json()) as { traceId?: string };
      if (!answer.ok) expect([path, body.traceId]).toEqual([path, traceId]);
      traceIds.push(traceId);
    }
    expect(new Set(traceIds).size).toBe(asked.length);
    while (!lines().some(({ traceId }) => traceId === traceIds.at(-1))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const [index, traceId] of traceIds.entries()) {
      const completed = lines().filter((line) => line['traceId'] === traceId && line['msg'] === 'request.completed');
      expect([asked[index], completed.length, completed[0]?.['clientTraceId']]).toEqual([
        asked[index],
        1,
        'caller-trace-0001',
      ]);
    }
  });

  test('the log has one record per line and no secret', () => {
    const text = JSON.stringify(lines());
    // What is connected to with the secret is in the log.
    expect(text).toMatch(/redis/);
    expect(
      lines().every(({ level, time, msg }) => level !== undefined && time !== undefined && typeof msg === 'string'),
    ).toBe(true);
    expect(text).not.toMatch(/hunter2-redis|a-long-password-of-the-tests/);
  });
});
