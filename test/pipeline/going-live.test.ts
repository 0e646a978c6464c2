/**
 * docs/going-live.md from beginning to end: real processes in production mode, an acquirer on jPOS and a 3D Secure server behind TLS, and
 * the commands of the page, from an empty database to captured and refunded payments. Amounts and proof are compared with the acquirer's
 * own books.
 */

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { Finding } from '../../scripts/gateway/doctor/finding.js';
import { cardEnding } from '../../scripts/sandbox/threeds-server/cases.js';
import type { ThreeDsServer } from '../../scripts/sandbox/threeds-server/start-threeds-server.js';
import { partsOf } from '../../shared/processors/iso8583/adapter/tagged-fields.js';
import { openDatabase } from '../../shared/store/database.js';
import { endSpawned, type Spawned, soundProduction, spawnEntry } from '../config/spawn-entry.js';
import { dropDatabase } from '../support/drop-database.js';
import { type Acquirer, type AcquirerLine, describeWithJpos, startAcquirer } from '../support/jpos/acquirer.js';
import { makeCertificate } from '../support/make-certificate.js';
import { callsOf, shapeOf } from '../support/page-calls.js';
import { answerOverTls } from '../support/payer-over-tls.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { serverSettings, startTestServer } from '../support/threeds-server.js';
import { startTlsFront, type TlsFront } from '../support/tls-front.js';

const rowOf = ({ kind, amountMinor, currency, result }: AcquirerLine) => [kind, amountMinor, currency, result];

describeWithJpos('going live', () => {
  const mongodbUri = testMongoUri('live');
  let folder: string;
  let acquirer: Acquirer;
  let threeDs: ThreeDsServer;
  let fronts: Readonly<Record<'acquirer' | 'api', TlsFront>>;
  let settings: Record<string, string>;
  let agent: Agent;
  let baseUrl: string;
  const processes: Spawned[] = [];
  /** Commands that were run, without their arguments. */
  const ran = new Set<string>();
  /** Paths that were called, with `…` in place of ids. */
  const called = new Set<string>();
  let page: string;
  const known: Record<'clientId' | 'merchantId' | 'apiKey' | 'paymentId', string> = {
    clientId: '',
    merchantId: '',
    apiKey: '',
    paymentId: '',
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'going-live-'));
    page = await readFile('docs/going-live.md', 'utf8');
    const database = await openDatabase(mongodbUri);
    await database.connection.dropDatabase();
    await database.close();
    const certificate = await makeCertificate('localhost');
    const authority = join(folder, 'authority.pem');
    await writeFile(authority, certificate.cert);
    acquirer = await startAcquirer();
    threeDs = await startTestServer({ tls: certificate });
    fronts = { acquirer: await startTlsFront(certificate, acquirer.port), api: await startTlsFront(certificate) };
    baseUrl = `https://localhost:${fronts.api.port}`;
    agent = new Agent({ connect: { ca: certificate.cert } });
    settings = {
      ...soundProduction(),
      MONGODB_URI: mongodbUri,
      REDIS_URL: testRedisUrl(),
      REDIS_PREFIX: testRedisPrefix('live'),
      PUBLIC_BASE_URL: baseUrl,
      WORKER_OPERATOR_PORT: '19080',
      ISO8583_HOST: 'localhost',
      ISO8583_PORT: String(fronts.acquirer.port),
      ISO8583_TLS_CA_FILE: authority,
      ISO8583_TERMINAL: 'TERM0001',
      ISO8583_ACQUIRER_ID: '4001005',
      ...serverSettings(threeDs.url.replace('127.0.0.1', 'localhost')),
      EMV3DS_TLS_CA_FILE: authority,
      // A machine in production already trusts the authorities of its certificates.
      NODE_EXTRA_CA_CERTS: authority,
    };
  });
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGTERM');
    await Promise.all(processes.map(({ ended }) => ended));
    endSpawned();
    await agent?.close();
    await Promise.all(Object.values(fronts ?? {}).map((front) => front.close()));
    await acquirer?.close();
    await threeDs?.close();
    const database = await openDatabase(mongodbUri);
    await dropDatabase(database);
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function gateway(...args: string[]) {
    const at = args.findIndex((word) => word.startsWith('-') || /^\d|\.|…/.test(word));
    ran.add((at < 0 ? args : args.slice(0, at)).slice(0, 2).join(' '));
    const { code, stdout, stderr } = await spawnEntry('scripts/gateway/main', settings, [...args, '--json']).ended;
    return { code, stderr, body: stdout === '' ? undefined : JSON.parse(stdout) };
  }

  async function done(...args: string[]) {
    const { code, stderr, body } = await gateway(...args);
    expect([args.slice(0, 2), code, stderr]).toEqual([args.slice(0, 2), 0, '']);
    return body;
  }

  async function doctor(...args: string[]) {
    const { code, body } = await gateway('doctor', ...args);
    const findings = body as Finding[];
    return { code, bad: findings.filter(({ state }) => state === 'missing' || state === 'wrong'), findings };
  }

  async function call(method: 'GET' | 'POST', path: string, body?: object) {
    const { clientId, apiKey } = known;
    called.add(shapeOf(path));
    const answer = await request(`${baseUrl}${path}`, {
      method,
      dispatcher: agent,
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
    return { status: answer.statusCode, body: (await answer.body.json()) as any };
  }

  /** Returns the n-th body that the page sends to this path. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies have every shape.
  const bodyOnPage = (path: string, index = 0) => callsOf(page).filter((one) => one.path === path)[index]?.body as any;
  const paymentOfPage = (index: number) => ({
    ...bodyOnPage('/v1/payments', index),
    merchantId: Number(known.merchantId),
  });

  const payment = (more: object = {}) => ({
    merchantId: Number(known.merchantId),
    invoiceNumber: '1',
    amount: { total: 10.5, currency: 'USD' },
    paymentMethod: { source: 'card', card: { number: '4111111111111111', expMonth: 12, expYear: 2034, cvc: '123' } },
    ...more,
  });

  it('before anything runs, the acquirer answers the doctor, which says what is missing', async () => {
    const { code, bad, findings } = await doctor();
    expect(code).toBe(1);
    expect(new Set(bad.map(({ check }) => check))).toEqual(new Set(['mongodb indexes', 'merchants']));
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'processors',
        state: 'ok',
        found: expect.stringMatching(/^iso8583: echo answered/),
      }),
    );
  });

  it('the processes start, and a client, its merchant and a key are created', async () => {
    const api = spawnEntry('api/main', settings);
    processes.push(api);
    const pools = ['wallet', 'threeds', 'processor', 'qr', 'expiry', 'callback'];
    for (const names of [['processor'], pools]) processes.push(spawnEntry('workers/run', settings, names));
    await Promise.all(processes.map(({ ready }) => ready));
    fronts.api.leadTo((await api.ready).port);
    known.clientId = (await done('clients', 'create', '--name', 'Example Shop')).clientId;
    const merchant = ['--client-id', known.clientId, '--name', 'Example Shop', '--country', 'UY'];
    known.merchantId = String((await done('merchants', 'create', ...merchant)).merchantId);
    known.apiKey = (await done('keys', 'issue', '--client-id', known.clientId)).apiKey;
  });

  it('a merchant without a payment method is named by the doctor, and the API refuses its session', async () => {
    const { bad } = await doctor();
    expect(bad).toMatchObject([{ check: 'merchants', found: expect.stringContaining(known.merchantId) }]);
    const session = await call('POST', '/v1/sessions', {
      type: 'checkout',
      merchantId: Number(known.merchantId),
      referenceId: 'session-1',
      paymentRequest: { referenceId: 'order-1', invoiceNumber: '1', amount: { total: 10.5, currency: 'USD' } },
    });
    expect(session.status).toBe(400);
    expect(JSON.stringify(session.body)).toContain('has no active payment method of type card');
  });

  it('after the configuration the doctor finds nothing missing', async () => {
    const method = ['--payment-processor-id', 'iso8583', '--payment-processor-acquirer', 'acme'];
    const numbers = ['--merchant-identification-number', '123', '--terminal-number', 'T1'];
    await done('methods', 'set', known.merchantId, 'visa', ...method, ...numbers);
    expect(await done('bins', 'import', 'docs/bins-sample.csv')).toMatchObject({ ranges: 5 });
    expect(await done('bins', 'status')).toMatchObject({ ranges: 5, file: 'bins-sample.csv' });
    const { code, bad, findings } = await doctor();
    expect(bad).toEqual([]);
    expect(code).toBe(0);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'public address', state: 'ok', found: expect.stringContaining(baseUrl) }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ check: 'merchants', found: 'all 1 can be charged' }));
    expect(findings).toContainEqual(expect.objectContaining({ check: 'processes', state: 'ok' }));
  });

  it('3D Secure is switched on as the page says', async () => {
    const { bad, findings } = await doctor('--process', 'web', '--process', 'threeds');
    expect(bad).toEqual([]);
    expect(findings).toContainEqual(expect.objectContaining({ check: '3D Secure', found: 'providers: emv3ds' }));
    expect(findings).toContainEqual(
      expect.objectContaining({ check: '3D Secure', found: 'emv3ds: it answers and takes the key' }),
    );
    const body = bodyOnPage('/v1/merchants/…/payment-methods/visa/threeds');
    const path = `/v1/merchants/${known.merchantId}/payment-methods/visa/threeds`;
    expect(await call('POST', path, body)).toMatchObject({ status: 200 });
    expect((await doctor()).bad).toEqual([]);
  });

  it('the first payment is authorized, partly captured and refunded, and the acquirer’s books agree', async () => {
    const made = await call('POST', '/v1/payments', paymentOfPage(0));
    expect(made).toMatchObject({ status: 200, body: { status: 'authorized' } });
    known.paymentId = made.body.id;
    const path = `/v1/payments/${known.paymentId}`;
    expect(await call('POST', `${path}/captures`, { referenceId: 'first-2', amount: 10 })).toMatchObject({
      status: 200,
    });
    expect(await call('POST', `${path}/refunds`, { referenceId: 'first-3', amount: 4.25 })).toMatchObject({
      status: 200,
    });
    const { body } = await call('GET', path);
    expect(body.amount).toMatchObject({ total: 10.5, captured: 10, refunded: 4.25 });
    const books = await acquirer.books();
    expect(books.map(rowOf)).toEqual([
      ['authorization', 1_050, '840', 'approved'],
      ['capture', 1_000, '840', 'approved'],
      ['refund', 425, '840', 'approved'],
    ]);
    expect(new Set(books.map(({ key }) => key.split('|')[0]))).toEqual(new Set(['T1']));
    const entries = await done('audit', 'list', '--payment-id', known.paymentId);
    expect(entries.length).toBeGreaterThan(0);
  });

  it.each([
    ['2103', 'frictionless', 'frictionless'],
    ['2172', 'challenge', 'authenticated'],
  ])(
    'a card ending in %s (%s): the proof of the 3D Secure server arrives at the acquirer',
    async (ending, flow, status) => {
      const before = (await acquirer.books()).length;
      const asked = paymentOfPage(1);
      const card = { ...asked.paymentMethod.card, number: cardEnding(ending) };
      const referenceId = `authenticated-${ending}`;
      const sent = { ...asked, referenceId, paymentMethod: { source: 'card', card } };
      const { body } = await call('POST', '/v1/payments', sent);
      const path = `/v1/payments/${body.id}`;
      if (flow === 'challenge') {
        expect(body).toMatchObject({ status: 'pending', threeDS: { status: 'step-up-required' } });
        expect((await acquirer.books()).length).toBe(before);
        const end = await answerOverTls(agent, body.actions[0].href, 'approve');
        expect(end.searchParams.get('status')).toBe('approved');
      }
      const paid = (await call('GET', path)).body;
      expect(paid).toMatchObject({
        status: 'approved',
        threeDS: { provider: 'emv3ds', status, flow, eci: '05', liabilityShift: true },
      });
      const parts = partsOf((await acquirer.last())[48] ?? '', { tagLength: 2, lengthDigits: 3 });
      expect([parts.get('40'), parts.get('42')]).toEqual(['2.2.0', '05']);
      // The mock of the 3D Secure server derives the cryptogram from its transaction id and the card number.
      const made = `${parts.get('44')}:${card.number}`;
      expect(parts.get('43')).toBe(createHash('sha1').update(made).digest('base64'));
      const refund = { referenceId: `${referenceId}-back`, amount: 60 };
      expect((await call('POST', `${path}/refunds`, refund)).status).toBe(200);
      const { amount } = (await call('GET', path)).body;
      expect(amount).toMatchObject({ total: 60, captured: 60, refunded: 60 });
      expect((await acquirer.books()).slice(before).map(rowOf)).toEqual([
        ['purchase', 6_000, '840', 'approved'],
        ['refund', 6_000, '840', 'approved'],
      ]);
    },
  );

  it('payments are approved again after the line drops, and a declined card is declined', async () => {
    await acquirer.control('drop');
    const answers = [];
    for (let count = 0; count < 4; count++) {
      answers.push(await call('POST', '/v1/payments', payment({ referenceId: `again-${count}` })));
    }
    expect(answers.at(-1)).toMatchObject({ status: 200, body: { status: 'approved' } });
    const card = { number: '4000000000000002', expMonth: 12, expYear: 2034, cvc: '123' };
    const declined = await call(
      'POST',
      '/v1/payments',
      payment({ referenceId: 'declined', paymentMethod: { source: 'card', card } }),
    );
    expect(declined).toMatchObject({ status: 422, body: { code: 'declined-by-acquirer' } });
    expect((await doctor('--process', 'processor')).bad).toEqual([]);
  });

  it('every command of the page was run, and every path of it called', async () => {
    const commands = [...page.matchAll(/^\.\/gateway (\w[\w-]*(?: [a-z][\w-]*)?)/gm)].map(([, words = '']) => words);
    // The `iso8583` command reads a message that the acquirer sends.
    const wanted = new Set(commands.filter((words) => !words.startsWith('iso8583')));
    expect(wanted.size).toBeGreaterThan(6);
    expect([...wanted].filter((words) => !ran.has(words))).toEqual([]);
    const paths = callsOf(page).map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(4);
    expect(paths.filter((path) => !called.has(path))).toEqual([]);
  });
});
