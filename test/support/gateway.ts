/**
 * A whole gateway for pipeline tests: API, all pools and the test processor in this process, on the real MongoDB and Redis of
 * the test run, with a separate database and a separate prefix.
 */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createApp } from '../../api/app.js';
import { connectApi } from '../../api/connect.js';
import type { ApiDeps } from '../../api/deps.js';
import { createServer, listen } from '../../api/http/server.js';
import type { SandboxFile } from '../../api/pages/sandbox/sandbox-file.js';
import { type Config, loadConfig } from '../../config/index.js';
import { seedSandbox } from '../../scripts/sandbox/seed-sandbox.js';
import { startSimulator } from '../../scripts/sandbox/simulator/start-simulator.js';
import type { Delivery } from '../../shared/domain/callback/delivery.js';
import { createLog } from '../../shared/log.js';
import { createMetrics, type Metrics } from '../../shared/metrics.js';
import type { LedgerEntry } from '../../shared/processors/processor.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { createPaymentRepository, type PaymentRepository } from '../../shared/store/payment.repository.js';
import type { PoolName } from '../../workers/pool.js';
import { openPools, poolNames } from '../../workers/pools.js';
import { type RunningPool, runPool } from '../../workers/run-pool.js';
import { callbackProblems, schemaProblems, writeMetStatuses } from './check-answer.js';
import { dropDatabase } from './drop-database.js';
import { type HostedFlows, hostedFlows } from './hosted-flows.js';
import { PATIENCE_MS } from './patience.js';
import { refuseDrift } from './refuse-drift.js';
import { type SecondApi, startSecondApi } from './second-api.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from './services.js';

const key = () => randomBytes(32).toString('base64');

/** Switches all limits off unless a suite sets them: suites make more requests than any client may. */
const unlimited = {
  API_WRITES_PER_SECOND: '0',
  API_READS_PER_SECOND: '0',
  SIGN_IN_FAILURES_PER_MINUTE: '0',
  MERCHANT_MISSES_PER_MINUTE: '0',
};

/** Returns the settings of every test gateway. Key material is new in each run. */
export function testSettings(more: Record<string, string> = {}): Record<string, string> {
  return {
    GATEWAY_ENVIRONMENT: 'testing',
    OPERATOR_PASSWORD: 'operator-password-of-the-tests',
    VAULT_MASTER_KEYS: `t1:${key()}`,
    API_KEY_PEPPER: key(),
    FINGERPRINT_KEY: key(),
    DIGEST_KEY: key(),
    REPLY_KEY: key(),
    REDIS_URL: testRedisUrl(),
    CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    // A slow machine shall answer late, not with `pending`. Calls that want `pending` set `responseWaitMs`.
    RESPONSE_WAIT_MS: '60000',
    ...unlimited,
    ...more,
  };
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
  readonly headers: Headers;
}

export interface CallOptions {
  /** `clientId:apiKey`; null sends no credentials. Default: the first client's key. */
  readonly auth?: string | null;
  readonly headers?: Record<string, string>;
  /**
   * Sends the call to another API, which answers `pending` after this time (ms). For outcomes that come later than
   * that on any machine: all other calls wait so long that a slow machine gets the outcome.
   */
  readonly responseWaitMs?: number;
}

export interface TestGateway {
  readonly config: Config;
  readonly sandbox: SandboxFile;
  readonly database: Database;
  readonly payments: PaymentRepository;
  /** Dependencies of the API, for flows that a test calls directly. */
  readonly deps: ApiDeps;
  /** The flows that pages call. */
  readonly flows: HostedFlows;
  /** Metrics of the API. */
  readonly metrics: Metrics;
  readonly baseUrl: string;
  readonly simulatorUrl: string;
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  ledger(): Promise<LedgerEntry[]>;
  /** Reads the payment until it has this status. Fails after `withinMs`. */
  until(paymentId: string, status: string, withinMs?: number): Promise<Answer['body']>;
  close(): Promise<void>;
}

/** Returns how the callbacks that were made violate the published schemas: each of every pipeline test has to conform. */
async function problemsOfCallbacks(database: Database): Promise<string[]> {
  const deliveries = await database.collection<Delivery>('deliveries').find({}).toArray();
  return [...new Set(deliveries.flatMap(({ body }) => callbackProblems(JSON.parse(body))))];
}

interface Options {
  /** Distinguishes the database of this suite from others of the same jest worker. */
  readonly name: string;
  readonly settings?: Record<string, string>;
  readonly pools?: readonly PoolName[];
  /** Port to listen on. By default any free port. */
  readonly port?: number;
}

export async function startGateway({
  name,
  settings = {},
  pools = poolNames,
  port: wantedPort = 0,
}: Options): Promise<TestGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  const timeScale = Number(settings.TIME_SCALE ?? '1');
  const simulator = await startSimulator({ port: 0, ledgerFile: join(folder, 'ledger.jsonl'), timeScale });
  const config = loadConfig(
    testSettings({
      MONGODB_URI: testMongoUri(name),
      REDIS_PREFIX: testRedisPrefix(name),
      SANDBOX_PROCESSOR_URL: simulator.url,
      ...settings,
    }),
  );
  const log = createLog('test', config.logLevel);
  const database = await openDatabase(config.mongodbUri);
  await database.connection.dropDatabase();
  await ensureIndexes(database);
  await refuseDrift(database);
  const sandbox = await seedSandbox(database, config);

  const shutdown = new AbortController();
  const api = await connectApi(config, log, shutdown.signal, false);
  const server = createServer(createApp(api.deps), config.responseWaitMs);
  const port = await listen(server, wantedPort, '127.0.0.1');
  const metrics = createMetrics({ process: 'test' });
  const opened = await openPools(pools, { config, log, metrics, database });
  const { redisUrl, redisPrefix, workerConcurrency: concurrency } = config;
  const running: RunningPool[] = opened.pools.map((pool) =>
    runPool(pool, { redisUrl, redisPrefix, concurrency, log, metrics }),
  );
  const baseUrl = `http://127.0.0.1:${port}`;

  const hurried = new Map<number, Promise<SecondApi>>();
  const hurriedApi = (responseWaitMs: number): Promise<SecondApi> => {
    const opened = hurried.get(responseWaitMs) ?? startSecondApi({ config: { ...config, responseWaitMs } });
    hurried.set(responseWaitMs, opened);
    return opened;
  };

  const call: TestGateway['call'] = async (method, path, body, { auth, headers, responseWaitMs } = {}) => {
    const credentials = auth === undefined ? `${sandbox.clientId}:${sandbox.apiKey}` : auth;
    const base = responseWaitMs === undefined ? baseUrl : (await hurriedApi(responseWaitMs)).baseUrl;
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(credentials !== null && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = (response.headers.get('content-type') ?? '').includes('json');
    const answer = { status: response.status, body: json && text ? JSON.parse(text) : text, headers: response.headers };
    // Every answer of every pipeline test has to conform to the OpenAPI document.
    const problems = schemaProblems(method, path, answer);
    if (problems.length > 0) throw new Error(`${method} ${path} ${answer.status}: ${problems.join('; ')}`);
    return answer;
  };

  return {
    config,
    sandbox,
    database,
    payments: createPaymentRepository(database, true),
    deps: api.deps,
    flows: hostedFlows(api.deps),
    metrics: api.deps.metrics,
    baseUrl,
    simulatorUrl: simulator.url,
    call,
    ledger: async () => (await (await fetch(`${simulator.url}/ledger`)).json()) as LedgerEntry[],
    until: async (paymentId, status, withinMs = PATIENCE_MS) => {
      const giveUpAt = Date.now() + withinMs;
      for (;;) {
        const { body } = await call('GET', `/v1/payments/${paymentId}`);
        if (body.status === status) return body;
        if (Date.now() > giveUpAt) throw new Error(`${paymentId} is ${body.status}, not ${status}`);
        await pause(50);
      }
    },
    close: async () => {
      shutdown.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([...hurried.values()].map(async (one) => (await one).close()));
      await Promise.all(running.map((pool) => pool.stop()));
      await opened.close();
      await api.close();
      const wrong = await problemsOfCallbacks(database);
      await dropDatabase(database);
      await database.close();
      await simulator.close();
      await rm(folder, { recursive: true, force: true });
      await writeMetStatuses();
      if (wrong.length > 0) throw new Error(`callbacks are not as published: ${wrong.join('; ')}`);
    },
  };
}

let references = 0;

/** Returns a valid payment request. `more` replaces top-level fields. References are never used twice. */
export function paymentBody(more: Record<string, unknown> = {}, card: Record<string, unknown> = {}) {
  references += 1;
  const reference = `ref-${process.pid}-${Date.now()}-${references}`;
  return {
    merchantId: 1001,
    referenceId: reference,
    invoiceNumber: `INV-${references}`,
    amount: { total: 10.5, currency: 'USD' },
    paymentMethod: {
      source: 'card',
      card: { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123', ...card },
    },
    ...more,
  };
}
