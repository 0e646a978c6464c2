/** `gateway doctor` on a real MongoDB and Redis: what it reports, what it advises, and that it changes nothing. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeHeartbeats } from '../../scripts/gateway/doctor/check-mongodb.js';
import type { Finding } from '../../scripts/gateway/doctor/finding.js';
import { exitCodes, run } from '../../scripts/gateway/run.js';
import { startSimulator } from '../../scripts/sandbox/simulator/start-simulator.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { watchRefund } from '../../shared/domain/payment/plan-refund-check.js';
import { newWork } from '../../shared/domain/payment/work.js';
import { createLog } from '../../shared/log.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { INSTALLATION } from '../../shared/store/environment.repository.js';
import { beginSafeMode, endSafeMode, readSafeMode } from '../../shared/store/restore-watch.js';
import { reportKeys } from '../../shared/vault/report-keys.js';
import { soundProduction, soundSettings } from '../config/spawn-entry.js';
import { approvedPayment, authorizedPayment, createdPayment } from '../domain/payment/a-payment.js';
import { dropDatabase } from '../support/drop-database.js';
import { testMongoUri, testRedisUrl } from '../support/services.js';

const stores = { MONGODB_URI: testMongoUri('doctor'), REDIS_URL: testRedisUrl() };
const env: Record<string, string> = { ...soundSettings(), ...stores };
let database: Database;
let folder: string;
let simulator: Awaited<ReturnType<typeof startSimulator>>;

beforeAll(async () => {
  database = await openDatabase(stores.MONGODB_URI);
  await database.connection.dropDatabase();
  folder = await mkdtemp(join(tmpdir(), 'doctor-'));
  simulator = await startSimulator({ port: 0, ledgerFile: join(folder, 'ledger.jsonl'), timeScale: 1 });
});
afterAll(async () => {
  await simulator.close();
  await dropDatabase(database);
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function gateway(args: string, more: Record<string, string> = {}, settings: Record<string, string> = env) {
  const said = { out: '', err: '' };
  const code = await run(args.split(' '), {
    env: { ...settings, ...more },
    out: (text) => {
      said.out += `${text}\n`;
    },
    err: (text) => {
      said.err += `${text}\n`;
    },
  });
  return { code, ...said };
}

async function doctor(more: Record<string, string> = {}, settings?: Record<string, string>, args = '') {
  const { code, out } = await gateway(`doctor --json${args}`, more, settings);
  const findings = JSON.parse(out) as Finding[];
  const of = (check: string) => findings.filter((one) => one.check === check);
  return { code, findings, of, out };
}

test('an empty environment is reported with everything that is missing, and exit code 1', async () => {
  const { code, of, findings } = await doctor({}, { PATH: '' });
  expect(code).toBe(exitCodes.refused);
  expect(of('settings').map(({ state }) => state)).toContain('missing');
  expect(of('settings').some(({ found }) => found.startsWith('VAULT_MASTER_KEYS is missing'))).toBe(true);
  expect(of('mongodb')).toMatchObject([{ state: 'missing' }]);
  expect(findings.every(({ docs }) => docs.startsWith('docs/'))).toBe(true);
});

test('the doctor changes nothing: afterwards the database has no collection', async () => {
  const { of } = await doctor();
  expect(of('mongodb indexes')).toMatchObject([{ state: 'missing' }]);
  expect(of('environment')).toMatchObject([{ state: 'notice' }]);
  expect(await database.connection.listCollections()).toEqual([]);
});

/** Builds a payment that was approved late at the route `left`, which it had left already, and is being reversed there. */
function leftAndReversed(left: string, processor: string): Payment {
  const payment = approvedPayment({ processor });
  const [tx] = payment.transactions as [Transaction];
  const leftRoute = { processor: left, acquirer: left };
  const attempt: Transaction = { ...tx, id: 'txn_left', status: 'failed', leftRoute };
  const work = newWork('reverse', attempt.id, new Date());
  return { ...payment, transactions: [attempt, tx], work };
}

describe('in a testing installation the doctor', () => {
  beforeAll(async () => {
    await ensureIndexes(database);
    for (const name of ['Good', 'Odd']) {
      const { out } = await gateway(`clients create --name ${name} --json`);
      const { clientId } = JSON.parse(out);
      await gateway(`merchants create --client-id ${clientId} --name ${name}`);
    }
    const rows = await database.collection('merchants').find().sort({ _id: 1 }).toArray();
    const set = 'visa --payment-processor-id sandbox --payment-processor-acquirer a --merchant-identification-number 1';
    await gateway(`methods set ${rows[0]?._id} ${set}`);
  });

  const settled = () => ({ SANDBOX_PROCESSOR_URL: simulator.url });

  test('names a merchant that cannot be charged, and finds nothing wrong once it can', async () => {
    const [, odd] = await database.collection('merchants').find().sort({ _id: 1 }).toArray();
    const before = await doctor(settled());
    expect(before.of('merchants')).toMatchObject([
      { state: 'missing', found: `${odd?._id} cannot be charged: it has no payment method` },
    ]);
    expect(before.code).toBe(exitCodes.refused);
    const set = 'visa --payment-processor-id sandbox --payment-processor-acquirer a --merchant-identification-number 1';
    await gateway(`methods set ${odd?._id} ${set}`);
    const { code, findings, of } = await doctor(settled());
    expect(findings.filter(({ state }) => state === 'missing' || state === 'wrong')).toEqual([]);
    expect(code).toBe(exitCodes.done);
    expect(of('merchants')).toMatchObject([{ state: 'ok', found: 'all 2 can be charged' }]);
    expect(of('processors').map(({ state }) => state)).toEqual(['ok', 'ok', 'ok']);
    expect(of('redis').map(({ state }) => state)).toEqual(['ok', 'ok']);
    expect(of('mongodb writes')).toMatchObject([{ state: 'ok' }]);
    expect(of('BIN table')).toMatchObject([{ state: 'notice' }]);
  });

  test('reports a processor that does not answer, and one that merchants use but is not configured', async () => {
    const away = await doctor({ SANDBOX_PROCESSOR_URL: 'http://127.0.0.1:1' });
    expect(away.of('processors').map(({ state }) => state)).toEqual(['wrong', 'wrong', 'wrong']);
    const none = await doctor();
    expect(none.of('processors')).toMatchObject([{ state: 'missing' }]);
    expect(none.of('merchants')).toHaveLength(2);
    expect(none.of('merchants')[0]?.found).toContain('for which this installation is not configured');
    const skipped = await doctor({ SANDBOX_PROCESSOR_URL: 'http://127.0.0.1:1' }, env, ' --skip-processors');
    expect(skipped.of('processors').map(({ state }) => state)).toEqual(['notice', 'notice', 'notice']);
  });

  test('reports a processor that open payments need and that is no longer configured', async () => {
    const payments = database.collection<Payment>('payments');
    const open = [
      createdPayment({ processor: 'stripe' }),
      authorizedPayment({ processor: 'stripe' }),
      watchRefund(approvedPayment({ processor: 'adyen' }), 'txn_1', new Date(), [1_000]),
      // The processor that issued a code is still asked for a while after the code expired.
      approvedPayment({ processor: 'adyen', transferCheckAt: new Date() }),
      leftAndReversed('adyen', 'sandbox'),
      // Nothing is pending at the processor that the payment went on to.
      leftAndReversed('sandbox', 'stripe'),
    ];
    await payments.insertMany([
      ...open,
      authorizedPayment({ processor: 'sandbox' }),
      approvedPayment({ processor: 'stripe' }),
    ]);
    try {
      const { of, code } = await doctor(settled());
      const wrong = of('processors').filter(({ state }) => state === 'wrong');
      expect(wrong.map(({ found }) => found)).toEqual([
        'adyen: not configured, and payments there are open: 3',
        'stripe: not configured, and payments there are open: 2',
      ]);
      expect(code).toBe(exitCodes.refused);
      const back = await doctor(
        { ...settled(), STRIPE_SECRET_KEY: 'sk_test_1', ADYEN_URL: 'http://127.0.0.1:1' },
        env,
        ' --skip-processors',
      );
      expect(back.of('processors').filter(({ state }) => state === 'wrong')).toEqual([]);
    } finally {
      await payments.deleteMany({});
    }
  });

  test('reports an acquirer that accepts the connection and does not answer, or not in ISO 8583', async () => {
    const sockets: Socket[] = [];
    const listening = (accept: (socket: Socket) => void) =>
      createServer((socket) => {
        sockets.push(socket.on('error', () => undefined).resume());
        accept(socket);
      });
    const silent = listening(() => undefined);
    const rude = listening((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    for (const [server, reason] of [
      [silent, /does not answer/],
      [rude, /./],
    ] as const) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const port = String((server.address() as AddressInfo).port);
      const iso = { ISO8583_HOST: '127.0.0.1', ISO8583_PORT: port, ISO8583_TERMINAL: 'T1', ISO8583_ACQUIRER_ID: '1' };
      const { of } = await doctor({ ...iso, ISO8583_TLS: 'false' });
      const [found] = of('processors');
      expect(found).toMatchObject({ state: 'wrong', found: expect.stringMatching(/^iso8583: not reachable/) });
      expect(found?.found).toMatch(reason);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test('reports another key and another environment', async () => {
    await gateway('vault keys rotate');
    const pepper = await doctor({ API_KEY_PEPPER: randomBytes(32).toString('base64') });
    expect(pepper.of('keys')).toContainEqual(
      expect.objectContaining({ state: 'wrong', found: expect.stringContaining('API_KEY_PEPPER') }),
    );
    const keys = soundProduction();
    const production = await doctor({ GATEWAY_ENVIRONMENT: 'production' }, { ...env, ...keys, ...stores });
    expect(production.of('environment')).toMatchObject([{ state: 'wrong' }]);
    expect(await database.collection(INSTALLATION).findOne({ _id: 'environment' } as never)).toMatchObject({
      environment: 'testing',
    });
  });

  test('checks only what one process needs, with the settings of that process', async () => {
    const few = { ...stores, OPERATOR_PASSWORD: env.OPERATOR_PASSWORD ?? '' };
    const { code, of } = await doctor({}, few, ' --process callback');
    expect(of('settings')).toMatchObject([{ state: 'ok' }]);
    expect(of('processors')).toMatchObject([{ state: 'notice' }]);
    expect(of('keys')).toMatchObject([{ state: 'notice', found: expect.stringMatching(/^not looked at: only web, /) }]);
    expect(of('metrics')).toMatchObject([{ found: expect.stringMatching(/workers/) }]);
    expect(code).toBe(exitCodes.done);
    const wrong = await gateway('doctor --process cashier', few);
    expect(wrong.code).toBe(exitCodes.usage);
  });

  test('reports which processes run, also those without a vault key', async () => {
    const silent = createLog('test', 'silent');
    const report = (role: string, config = {}) => reportKeys({ database, config, role, log: silent });
    const vaultMasterKeys = [{ id: 'k1', key: randomBytes(32) }];
    const stops = await Promise.all([
      report('web', { vaultMasterKeys }),
      report('processor+threeds+wallet', { vaultMasterKeys }),
      report('expiry+callback'),
    ]);
    expect((await doctor(settled())).of('processes')).toMatchObject([
      { state: 'notice', found: 'not running now: qr' },
    ]);
    stops.push(await report('qr'));
    const all = 'running: web, wallet, threeds, processor, qr, expiry, callback';
    expect((await doctor(settled())).of('processes')).toMatchObject([{ state: 'ok', found: all }]);
    for (const stop of stops) await stop();
  });

  test('reports safe mode as wrong, with the command to end it', async () => {
    expect((await doctor(settled())).of('safe mode')).toMatchObject([{ state: 'ok', found: 'off' }]);
    const since = new Date(Date.UTC(2027, 0, 31, 12));
    await beginSafeMode(database, { reason: 'the database lost its mark', since, from: since });
    const { code, of } = await doctor(settled());
    expect([code, of('safe mode')]).toMatchObject([
      exitCodes.refused,
      [
        {
          state: 'wrong',
          found: 'on since 2027-01-31T12:00:00.000Z: the database lost its mark',
          todo: expect.stringContaining('./gateway reconcile --import'),
        },
      ],
    ]);
    await endSafeMode(database, since);
  });

  test('reports that safe mode will begin, if no process has seen the restored database yet', async () => {
    const marks = database.ephemeral('marks');
    const kept = await marks.find().toArray();
    await marks.deleteMany({});
    const { code, of } = await doctor(settled());
    expect([code, of('safe mode')]).toMatchObject([
      exitCodes.refused,
      [
        {
          state: 'wrong',
          found: 'begins as soon as a process runs: the database came here without its ephemeral part',
        },
      ],
    ]);
    expect(await readSafeMode(database)).toBeUndefined();
    await marks.insertMany(kept);
    expect((await doctor(settled())).of('safe mode')).toMatchObject([{ state: 'ok', found: 'off' }]);
  });

  test('names a variable that is a misspelled setting', async () => {
    const { code, of } = await doctor({ ...settled(), WORKER_CONCURENCY: '9' });
    expect(of('settings')).toContainEqual(
      expect.objectContaining({
        state: 'notice',
        found: 'WORKER_CONCURENCY is not a setting; is WORKER_CONCURRENCY meant?',
      }),
    );
    expect(code).toBe(exitCodes.done);
  });

  test('prints no secret, whatever is wrong', async () => {
    const secret = 'hunter2-hunter2';
    const texts = await Promise.all(
      [
        { REDIS_URL: `redis://:${secret}@127.0.0.1:1` },
        { MONGODB_URI: `mongodb://gw:${secret}@127.0.0.1:1/x?replicaSet=rs0` },
        { MONGODB_URI: `mongodb://gw:${secret}` },
        { VAULT_MASTER_KEYS: secret },
        { CALLBACK_PROXY_URL: `http://gw:${secret}@127.0.0.1:1` },
      ].map(async (more) => {
        const [people, scripts] = [await gateway('doctor', more), await gateway('doctor --json', more)];
        expect(people.code).toBe(exitCodes.refused);
        return people.out + people.err + scripts.out + scripts.err;
      }),
    );
    expect(texts.join()).not.toContain(secret);
    for (const value of [env.VAULT_MASTER_KEYS, env.API_KEY_PEPPER, env.OPERATOR_PASSWORD]) {
      expect(texts.join()).not.toContain(value as string);
    }
  });

  test('prints lines for people, with the advice below each', async () => {
    const { out } = await gateway('doctor', { SANDBOX_PROCESSOR_URL: 'http://127.0.0.1:1' });
    expect(out).toMatch(/^wrong {4}processors .*sandbox: not reachable/m);
    expect(out).toMatch(/^ +Correct its settings, or ask the acquirer\. \(docs\/going-live\.md#acquirer\)$/m);
    expect(out).toMatch(/Missing or wrong: \d\.\n$/);
  });
});

test('heartbeats are judged by their interval, and an interval that cannot be read is a notice', () => {
  const before = { state: 'notice', docs: 'docs/production.md#mongodb' };
  expect(judgeHeartbeats(500)).toMatchObject({ ...before, state: 'ok', found: 'every 500 ms' });
  expect(judgeHeartbeats(501)).toMatchObject({ ...before, todo: 'Set heartbeatIntervalMillis to 500.' });
  expect(judgeHeartbeats(2000).found).toBe('every 2000 ms: while a primary hangs, each durable write waits for one');
  expect(judgeHeartbeats('no right to read it')).toMatchObject({
    ...before,
    found: 'not known here: no right to read it',
  });
});
