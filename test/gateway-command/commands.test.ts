/** The operator command line on a real MongoDB: its effects, its texts and its exit codes. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAuthenticator } from '../../api/identity/authenticator.js';
import { commandGroups } from '../../scripts/gateway/commands/index.js';
import { environmentOf } from '../../scripts/gateway/environment.js';
import { globalOptions } from '../../scripts/gateway/read-command-line.js';
import { exitCodes, run } from '../../scripts/gateway/run.js';
import { systemClock } from '../../shared/clock.js';
import type { Delivery } from '../../shared/domain/callback/delivery.js';
import { noLease } from '../../shared/domain/time.js';
import type { Log } from '../../shared/log.js';
import { createAuditRepository } from '../../shared/store/audit.repository.js';
import type { ApiKeyRow } from '../../shared/store/client.model.js';
import { createClientRepository } from '../../shared/store/client.repository.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { createDeliveryRepository } from '../../shared/store/delivery.repository.js';
import { createProcessorUpdateRepository } from '../../shared/store/processor-update.repository.js';
import { openVault } from '../../shared/vault/open-vault.js';
import { reportKeys } from '../../shared/vault/report-keys.js';
import { dropDatabase } from '../support/drop-database.js';
import { testMongoUri } from '../support/services.js';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => silent };
const key = () => randomBytes(32).toString('base64');
const env = {
  GATEWAY_ENVIRONMENT: 'testing',
  MONGODB_URI: testMongoUri('command'),
  API_KEY_PEPPER: key(),
  VAULT_MASTER_KEYS: `m1:${key()}`,
};

let database: Database;
let folder: string;
beforeAll(async () => {
  database = await openDatabase(env.MONGODB_URI);
  await database.connection.dropDatabase();
  folder = await mkdtemp(join(tmpdir(), 'gateway-command-'));
});
afterAll(async () => {
  await dropDatabase(database);
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function gateway(args: string | readonly string[], more: Record<string, string | undefined> = {}) {
  const said = { out: '', err: '' };
  const code = await run(typeof args === 'string' ? args.split(' ') : args, {
    env: { ...env, ...more },
    local: join(folder, '.local'),
    out: (text) => {
      said.out += `${text}\n`;
    },
    err: (text) => {
      said.err += `${text}\n`;
    },
  });
  return { code, ...said };
}

/** Runs a command that must succeed, and returns its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
async function json(args: string | readonly string[]): Promise<any> {
  const words = typeof args === 'string' ? args.split(' ') : args;
  const { code, out, err } = await gateway([...words, '--json']);
  expect([words.join(' '), code, err]).toEqual([words.join(' '), 0, '']);
  return JSON.parse(out);
}

const signIn = (clientId: string, apiKey: string) =>
  createAuthenticator({
    clients: createClientRepository(database),
    pepper: Buffer.from(env.API_KEY_PEPPER, 'base64'),
    environment: 'testing',
    clock: systemClock,
    log: silent,
  }).authenticate(`Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`);

test('four commands lead from an empty database to a key that signs in', async () => {
  const { clientId, name } = await json(['clients', 'create', '--name', 'Example Shop']);
  expect(name).toBe('Example Shop');
  expect(await json('clients list')).toContainEqual(expect.objectContaining({ clientId, name }));
  const merchant = await json(['merchants', 'create', '--client-id', clientId, '--name', 'Shop', '--country', 'UY']);
  expect(merchant).toMatchObject({ clientId, status: 'active', country: 'UY', merchantId: expect.any(Number) });
  const set = `methods set ${merchant.merchantId} visa --payment-processor-id sandbox --payment-processor-acquirer a --merchant-identification-number 123`;
  expect(await json(set)).toMatchObject({ method: 'visa', mode: 'gateway', enabled: true });
  const { keyId, apiKey, kind } = await json(`keys issue --client-id ${clientId}`);
  expect(kind).toBe('primary');
  expect(await signIn(clientId, apiKey)).toEqual({ clientId, keyId, merchants: 'all' });
});

test.each([
  ['--country', 'UK'],
  ['--country', 'uy'],
  ['--default-currency', 'ABC'],
  ['--tax-id', '219999830018'],
  ['--tax-id', '12'],
])('a merchant with %s %s is refused', async (option, value) => {
  const { clientId } = await json('clients create --name Checks');
  const { code, err } = await gateway(`merchants create --client-id ${clientId} --name Shop ${option} ${value}`);
  expect(code).not.toBe(0);
  expect(err).toContain(option);
  expect(await json(`merchants list --client-id ${clientId}`)).toEqual([]);
});

describe('keys', () => {
  let clientId: string;
  let first: number;
  let second: number;
  beforeAll(async () => {
    ({ clientId } = await json('clients create --name Keys'));
    ({ merchantId: first } = await json(`merchants create --client-id ${clientId} --name One`));
    ({ merchantId: second } = await json(`merchants create --client-id ${clientId} --name Two`));
  });

  test('are shown only once: no list, table or stored row holds a key', async () => {
    const { out } = await gateway(`keys issue --client-id ${clientId}`);
    const [apiKey = ''] = /sk_test_\S+/.exec(out) ?? [];
    expect(out).toMatch(/shown this once/);
    const later = [
      (await gateway(`keys list --client-id ${clientId} --all`)).out,
      JSON.stringify(await json(`keys list --client-id ${clientId} --all`)),
      JSON.stringify(await database.collection('apiKeys').find().toArray()),
      JSON.stringify(await database.collection('audit').find().toArray()),
    ].join();
    expect(apiKey.length).toBeGreaterThan(40);
    expect(later).not.toContain(apiKey.slice(8, 30));
    expect(later).not.toMatch(/sk_test/);
    expect(later).toContain(apiKey.slice(-4));
  });

  test('with grants may use only the merchants of their grants', async () => {
    const { keyId, apiKey, merchants } = await json(
      `keys issue --client-id ${clientId} --merchant-id ${first},${first} --merchant-id ${first}`,
    );
    expect(merchants).toEqual([first]);
    const granted = async () => (await signIn(clientId, apiKey))?.merchants;
    expect(await granted()).toEqual([first]);
    await json(`grants add ${keyId} --merchant-id ${second}`);
    expect(await granted()).toEqual([first, second]);
    await json(`grants remove ${keyId} --merchant-id ${first}`);
    expect(await granted()).toEqual([second]);
    await json(`grants set ${keyId} --merchant-id ${first},${second}`);
    expect(await granted()).toEqual([first, second]);
    expect(await json(`grants list ${keyId}`)).toEqual([
      { merchantId: first, name: 'One' },
      { merchantId: second, name: 'Two' },
    ]);
    const bare = await gateway(`grants set ${keyId}`);
    expect([bare.code, bare.err]).toEqual([exitCodes.usage, expect.stringMatching(/or --none/)]);
    expect((await gateway(`grants set ${keyId} --none --merchant-id ${first}`)).code).toBe(exitCodes.usage);
    expect(await granted()).toEqual([first, second]);
    expect(await json(`grants set ${keyId} --none`)).toMatchObject({ merchants: [] });
    expect(await granted()).toEqual([]);
  });

  test('are rotated with an overlap, expire and are revoked', async () => {
    const old = await json(`keys issue --client-id ${clientId} --expires-at 90d`);
    expect(new Date(old.expiresAt).getTime()).toBeGreaterThan(Date.now() + 89 * 24 * 3_600_000);
    const next = await json(`keys rotate ${old.keyId} --overlap 1h`);
    expect(next).toMatchObject({ replaces: old.keyId, clientId, apiKey: expect.stringMatching(/^sk_test_/) });
    const endsInMs = new Date(next.oldKeyEndsAt).getTime() - Date.now();
    expect(endsInMs).toBeGreaterThan(3_500_000);
    expect(endsInMs).toBeLessThanOrEqual(3_600_000);
    expect([await signIn(clientId, old.apiKey), await signIn(clientId, next.apiKey)]).not.toContain(undefined);
    // The new key expires when the old one would have, or at the given time.
    expect(next.expiresAt).toBe(old.expiresAt);
    const longer = await json(`keys rotate ${next.keyId} --expires-at 2999-01-31`);
    expect(longer.expiresAt).toBe('2999-01-31T00:00:00.000Z');
    const shown = await json(`keys list --client-id ${clientId}`);
    const endOf = (id: string) => shown.find(({ keyId }: { keyId: string }) => keyId === id)?.expiresAt;
    expect([endOf(longer.keyId), endOf(next.keyId) < old.expiresAt]).toEqual([longer.expiresAt, true]);
    // A second rotation of the old key, because its successor was lost: the new key lives longer than the rest of the overlap.
    expect(longer.otherSuccessors).toBeUndefined();
    expect(await json(`keys rotate ${old.keyId}`)).toMatchObject({
      expiresAt: longer.expiresAt,
      oldKeyEndsAt: next.oldKeyEndsAt,
      otherSuccessors: [next.keyId, longer.keyId],
    });
    await json(`keys revoke ${next.keyId}`);
    expect(await signIn(clientId, next.apiKey)).toBeUndefined();
    const left = await json(`keys list --client-id ${clientId}`);
    expect(left.map(({ keyId }: { keyId: string }) => keyId)).not.toContain(next.keyId);
    const all = await json(`keys list --client-id ${clientId} --all`);
    expect(all).toContainEqual(expect.objectContaining({ keyId: next.keyId, status: 'revoked' }));
  });

  test('cannot be rotated once they have expired', async () => {
    const { keyId } = await json(`keys issue --client-id ${clientId} --expires-at 90d`);
    await database.collection<ApiKeyRow>('apiKeys').updateOne({ _id: keyId }, { $set: { expiresAt: new Date(0) } });
    const before = await json(`keys list --client-id ${clientId} --all`);
    const { code, err } = await gateway(`keys rotate ${keyId}`);
    expect([code, err]).toEqual([exitCodes.refused, expect.stringMatching(/has expired: issue a new one/)]);
    expect(await json(`keys list --client-id ${clientId} --all`)).toEqual(before);
  });

  test('commands about unknown or foreign objects are refused with a sentence and code 1', async () => {
    const { clientId: other } = await json('clients create --name Other');
    const { merchantId: foreign } = await json(`merchants create --client-id ${other} --name Foreign`);
    const { keyId: primary } = await json(`keys issue --client-id ${clientId}`);
    const refused: [string, RegExp][] = [
      ['keys issue --client-id cli_0', /There is no client cli_0/],
      [`keys issue --client-id ${clientId} --merchant-id ${foreign}`, /has no merchant/],
      ['keys list --client-id cli_0', /There is no client cli_0/],
      ['keys revoke key_0', /There is no key key_0/],
      ['keys rotate key_0', /There is no active key key_0/],
      [`grants add ${primary} --merchant-id ${first}`, /primary key: it may use all merchants/],
      ['grants list key_0', /There is no key key_0/],
      ['merchants suspend 999999', /There is no merchant 999999/],
      [`merchants create --client-id ${clientId} --name X --id ${first}`, /There is a merchant/],
    ];
    for (const [command, sentence] of refused) {
      const { code, out, err } = await gateway(command);
      expect([command, code, out]).toEqual([command, exitCodes.refused, '']);
      expect(err).toMatch(sentence);
      expect(err).not.toMatch(/ {4}at /);
    }
  });
});

describe('merchants', () => {
  let clientId: string;
  let id: number;
  beforeAll(async () => {
    ({ clientId } = await json('clients create --name Merchants'));
    ({ merchantId: id } = await json(`merchants create --client-id ${clientId} --name Shop`));
  });

  test('are suspended and activated', async () => {
    const statusNow = async () => (await json(`merchants list --client-id ${clientId}`))[0].status;
    await json(`merchants suspend ${id}`);
    expect(await statusNow()).toBe('suspended');
    await json(`merchants activate ${id}`);
    expect(await statusNow()).toBe('active');
    expect((await json('merchants list')).length).toBeGreaterThan(1);
  });

  test('have embed origins, in the form of browsers', async () => {
    expect(await json(`embed-origins list ${id}`)).toEqual([]);
    const set = `embed-origins set ${id} --origin HTTPS://Shop.Example:443/ --origin http://localhost:3000`;
    expect((await json(set)).origins).toEqual(['https://shop.example', 'http://localhost:3000']);
    expect(await json(`embed-origins list ${id}`)).toEqual([
      { origin: 'https://shop.example' },
      { origin: 'http://localhost:3000' },
    ]);
    for (const origin of ['http://shop.example', 'https://shop.example/path', 'https://a@shop.example', '*', 'null']) {
      const { code, err } = await gateway(['embed-origins', 'set', String(id), '--origin', origin]);
      expect([origin, code]).toEqual([origin, exitCodes.refused]);
      expect(err).toMatch(/is no origin/);
    }
    expect((await gateway(`embed-origins set ${id}`)).code).toBe(exitCodes.usage);
    expect((await json(`embed-origins set ${id} --none`)).origins).toEqual([]);
  });

  test('have a page colour, which must be a valid one', async () => {
    expect((await json(`page-color set ${id} --color #B4451F`)).pageColor).toBe('#b4451f');
    expect((await json(`page-color set ${id} --none`)).pageColor).toBe(null);
    for (const color of ['red', '#12345', 'url(x)', '#b4451f;']) {
      const { code, err } = await gateway(['page-color', 'set', String(id), '--color', color]);
      expect([color, code]).toEqual([color, exitCodes.refused]);
      expect(err).toMatch(/is no colour/);
    }
    expect((await gateway(`page-color set ${id}`)).code).toBe(exitCodes.usage);
  });

  test('have an address and a contact for payers', async () => {
    const set = ['page-contact', 'set', String(id)];
    const whole = ['--address', 'Sarandí 690, Montevideo', '--email', 'help@shop.example', '--phone', '+598 2915 0000'];
    const { code, out } = await gateway([...set, ...whole, '--url', 'https://shop.example/', '--json']);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        merchantId: id,
        address: 'Sarandí 690, Montevideo',
        email: 'help@shop.example',
        phone: '+598 2915 0000',
        url: 'https://shop.example/',
      },
    ]);
    expect(await json(`page-contact set ${id} --email a@shop.example`)).toMatchObject({
      address: null,
      email: 'a@shop.example',
    });
    for (const [option, value] of [
      ['address', 'two\nlines'],
      ['address', ' '],
      ['email', 'nobody'],
      ['phone', 'call us'],
      ['url', 'http://shop.example'],
      ['url', 'javascript:alert(1)'],
    ] as const) {
      const refused = await gateway([...set, `--${option}`, value]);
      expect([value, refused.code]).toEqual([value, exitCodes.refused]);
      expect(refused.err).toMatch(new RegExp(`The ${option} cannot be used: give `));
    }
    expect(await json(`page-contact set ${id} --none`)).toMatchObject({ email: null });
    expect((await gateway(`page-contact set ${id}`)).code).toBe(exitCodes.usage);
  });

  test('have payment methods by the rules of the API', async () => {
    const set = (rest: string) => gateway(`methods set ${id} ${rest}`);
    expect(
      (
        await set(
          'visa --payment-processor-id sandbox --payment-processor-acquirer a --merchant-identification-number 1 --disabled',
        )
      ).code,
    ).toBe(0);
    expect(await json(`methods list ${id}`)).toMatchObject([
      { method: 'visa', enabled: false, mode: 'gateway', processor: 'sandbox', acquirer: 'a', merchantNumber: '1' },
    ]);
    const wrong: [string, number, RegExp][] = [
      ['nonsense --payment-processor-acquirer a', exitCodes.usage, /There is no payment method "nonsense"/],
      ['visa', exitCodes.usage, /--payment-processor-acquirer <code> is missing/],
      [
        'visa --payment-processor-acquirer a --merchant-identification-number 1',
        exitCodes.refused,
        /Not configured: --payment-processor-id is required/,
      ],
      [
        'visa --payment-processor-id none --payment-processor-acquirer a --merchant-identification-number 1',
        exitCodes.refused,
        /--payment-processor-id takes one of sandbox/,
      ],
      [
        'visa --payment-processor-id sandbox --payment-processor-acquirer a',
        exitCodes.refused,
        /--merchant-identification-number is required/,
      ],
      [
        'visa --payment-processor-id sandbox --payment-processor-acquirer a --merchant-identification-number 1 --merchant-category-code 12',
        exitCodes.refused,
        /--merchant-category-code must/,
      ],
      [
        'visa --payment-processor-id sandbox --payment-processor-acquirer a --merchant-identification-number 1 --routes [{}]',
        exitCodes.refused,
        /Not configured: routes\.0\.paymentProcessor in --routes is required/,
      ],
      [
        'amex --payment-processor-acquirer a --payment-facilitator-id f --payment-facilitator-merchant-id m',
        exitCodes.refused,
        /American Express can be used in gateway/,
      ],
      ['visa --payment-processor-acquirer a --payment-facilitator-id f', exitCodes.usage, /go together/],
    ];
    for (const [rest, code, sentence] of wrong) {
      const result = await set(rest);
      expect([rest, result.code]).toEqual([rest, code]);
      expect(result.err).toMatch(sentence);
    }
    // Another change leaves the method disabled.
    const number =
      'visa --payment-processor-id sandbox --payment-processor-acquirer a --merchant-identification-number 2';
    expect(await json(`methods set ${id} ${number}`)).toMatchObject({ enabled: false });
    expect(await json(`methods list ${id}`)).toMatchObject([{ enabled: false, merchantNumber: '2', threeDs: null }]);
    expect(await json(`methods set ${id} ${number} --enabled`)).toMatchObject({ enabled: true });
    expect((await set(`${number} --enabled --disabled`)).code).toBe(exitCodes.usage);
    // What is shown can be given back as it is.
    const routes = [
      {
        paymentProcessor: { id: 'sandbox', acquirer: 'a' },
        conditions: { currencies: ['USD'], amount: { from: 10.5 } },
      },
      { paymentProcessor: { id: 'sandbox', acquirer: 'b' } },
    ];
    await json(`methods set ${id} ${number} --routes ${JSON.stringify(routes)}`);
    const shown = await json(`methods show ${id} visa`);
    expect(shown).toMatchObject({
      merchantId: id,
      id: 'visa',
      settings: { merchantIdentificationNumber: '2', routes },
    });
    expect(JSON.parse((await gateway(`methods show ${id} visa`)).out)).toEqual(shown);
    await json(`methods set ${id} ${number} --routes ${JSON.stringify(shown.settings.routes)}`);
    expect((await json(`methods show ${id} visa`)).settings).toEqual(shown.settings);
    const none = await gateway(`methods show ${id} amex`);
    expect([none.code, none.err]).toEqual([exitCodes.refused, expect.stringMatching(/is not configured for amex/)]);
    const threeDs = { provider: 'p', metadata: [], enabled: true };
    await database.collection('paymentMethods').updateOne({ merchantId: id }, { $set: { threeDs } });
    expect(await json(`methods list ${id}`)).toMatchObject([{ threeDs: 'on' }]);
    const kept = await gateway(`methods remove ${id} visa`);
    expect([kept.code, kept.err]).toEqual([exitCodes.refused, expect.stringMatching(/3D Secure.*--force/)]);
    await json(`methods remove ${id} visa --force`);
    expect((await gateway(`methods remove ${id} visa`)).code).toBe(exitCodes.refused);
    expect(await json(`methods list ${id}`)).toEqual([]);
  });
});

test('an exhausted callback is replayed, and a waiting or unknown one is not', async () => {
  const deliveries = createDeliveryRepository(database);
  const planned = {
    _id: 'pay_1:1',
    paymentId: 'pay_1',
    clientId: 'cli_1',
    seq: 1,
    url: 'https://a.example',
    host: 'a',
  };
  await deliveries.insert([{ ...planned, body: '{}', resourceVersion: 1, createdAt: new Date() }], new Date());
  const [waiting] = await json('callbacks list pay_1');
  expect(waiting).toMatchObject({ state: 'waiting', seq: 1, tries: 0 });
  expect((await gateway(`callbacks replay pay_1 ${waiting.eventId}`)).err).toMatch(/still waits/);
  await database.collection<Delivery>('deliveries').updateOne({ _id: 'pay_1:1' }, { $set: { state: 'exhausted' } });
  expect(await json(`callbacks replay pay_1 ${waiting.eventId}`)).toMatchObject({ state: 'waiting' });
  expect((await json('callbacks list pay_1'))[0].state).toBe('waiting');
  expect((await json('audit list --payment-id pay_1'))[0].action).toBe('callback.replayed');
  expect((await gateway('callbacks replay pay_1 evt_0')).err).toMatch(/no event evt_0/);
});

test('flagged updates of processors are listed and can be retried', async () => {
  const updates = createProcessorUpdateRepository(database);
  const update = { eventId: 'evt_bank_1', kind: 'outcome', key: 'txn_nobody' } as never;
  const received = { processor: 'stripe', merchantId: 1001, update, traceId: 'trace', receivedAt: new Date() };
  const [id = ''] = await updates.store([received]);
  expect(await json('updates list')).toEqual([]);
  expect(await json('updates list --waiting')).toMatchObject([{ updateId: id, processor: 'stripe', merchantId: 1001 }]);
  expect((await gateway(`updates retry ${id}`)).err).toMatch(/No flagged update has the id/);
  const held = { _id: id, leaseUntil: noLease };
  await updates.settle(held, { status: 'flagged', reason: 'its payment is not known' }, new Date());
  expect(await json('updates list')).toMatchObject([
    { updateId: id, eventId: 'evt_bank_1', reason: 'its payment is not known' },
  ]);
  expect(await json(`updates retry ${id}`)).toEqual({ updateId: id, status: 'waiting' });
  expect(await json('updates list')).toEqual([]);
  expect(await json('audit list --action processor-update.retried')).toMatchObject([{ object: id, outcome: 'done' }]);
  expect(await updates.findDue(new Date(), 10)).toContain(id);
});

test('the vault is rewrapped with the newest master key, and a BIN table is imported', async () => {
  const VAULT_MASTER_KEYS = `m2:${key()},${env.VAULT_MASTER_KEYS}`;
  const { code, out } = await gateway('vault keys rotate', { VAULT_MASTER_KEYS });
  expect([code, out]).toEqual([0, expect.stringMatching(/master key m2/)]);
  const missing = await gateway('vault keys rotate', { VAULT_MASTER_KEYS: undefined });
  expect([missing.code, missing.err]).toEqual([
    exitCodes.notReady,
    expect.stringMatching(/VAULT_MASTER_KEYS is missing/),
  ]);
  const file = join(folder, 'bins.csv');
  const head = 'bin_start,bin_end,card_type,issuer_id,issuer_name,issuer_short_name,country,country_code';
  await writeFile(file, `${head}\n411111,411111,credit,1,Bank,Bank,Uruguay,UY\n`);
  expect(await json(['bins', 'import', file])).toMatchObject({ ranges: 1 });
  expect(await json(['bins', 'status'])).toMatchObject({ ranges: 1, file: 'bins.csv' });
  expect((await gateway(['bins', 'import', join(folder, 'none.csv')])).code).toBe(exitCodes.refused);
});

test('data keys are wrapped with a new master key only when every process has it', async () => {
  const [k3, k4] = [key(), key()];
  const master = (...ids: string[]) => ids.map((id) => ({ id, key: Buffer.from(id === 'k3' ? k3 : k4, 'base64') }));
  const started = (role: string, ...ids: string[]) =>
    reportKeys({ database, config: { vaultMasterKeys: master(...ids) }, role, log: silent });
  const VAULT_MASTER_KEYS = `k4:${k4},k3:${k3}`;
  await database.collection('vault_keys').deleteMany({});
  await openVault(database, { vaultMasterKeys: master('k3') }, systemClock).seal('card', 'x', {
    recordId: 'pay_1',
    field: 'card',
    clientId: 'cli_1',
  });
  const wrapping = () => database.collection('vault_keys').distinct('masterKeyId');

  const stopWeb = await started('web', 'k4', 'k3');
  const stopOld = await started('processor', 'k3');
  const refused = await gateway('vault keys rotate', { VAULT_MASTER_KEYS });
  expect([refused.code, refused.out]).toEqual([exitCodes.refused, '']);
  expect(refused.err).toMatch(/Without master key k4: processor on \S+ \(pid \d+\)\. /);
  expect(await wrapping()).toEqual(['k3']);

  const said: string[] = [];
  let first: () => void = () => {};
  const waits = new Promise<void>((resolve) => {
    first = resolve;
  });
  const rotated = run(['vault', 'keys', 'rotate', '--wait'], {
    env: { ...env, VAULT_MASTER_KEYS },
    out: (text) => said.push(text),
    err: (text) => {
      said.push(text);
      first();
    },
  });
  await waits;
  expect(await wrapping()).toEqual(['k3']);
  await stopOld();
  const stopNew = await started('processor', 'k4', 'k3');
  expect(await rotated).toBe(exitCodes.done);
  expect(said).toEqual([
    expect.stringMatching(/^Without master key k4: processor on /),
    expect.stringContaining('Wrapped 1 data key with master key k4.'),
  ]);
  expect(await wrapping()).toEqual(['k4']);
  await stopWeb();
  await stopNew();
});

test('every change is in the audit log with its operator', async () => {
  const { clientId } = await json('clients create --name Audited --as alice');
  const { merchantId } = await json(`merchants create --client-id ${clientId} --name Shop --as=bob@shop`);
  const { keyId } = await json(`keys issue --client-id ${clientId} --secondary`);
  await json(`grants add ${keyId} --merchant-id ${merchantId}`);
  await json(`keys revoke ${keyId}`);
  await json(`page-color set ${merchantId} --none`);
  await json(`embed-origins set ${merchantId} --none`);
  await json(`merchants suspend ${merchantId}`);
  const entries = await createAuditRepository(database, systemClock).find({ clientId });
  const self = `operator:${userInfo().username}`;
  const ofMerchant = [String(merchantId), merchantId];
  expect(entries.map((entry) => [entry.actor, entry.action, entry.object, entry.merchantId]).reverse()).toEqual([
    ['operator:alice', 'client.created', clientId, undefined],
    ['operator:bob@shop', 'merchant.created', ...ofMerchant],
    [self, 'key.issued', keyId, undefined],
    [self, 'grants.changed', keyId, undefined],
    [self, 'key.revoked', keyId, undefined],
    [self, 'page-color.changed', ...ofMerchant],
    [self, 'embed-origins.changed', ...ofMerchant],
    [self, 'merchant.suspended', ...ofMerchant],
  ]);
  expect((await gateway('clients list --as')).code).toBe(exitCodes.usage);
  expect((await gateway(['clients', 'list', '--as', 'a b'])).code).toBe(exitCodes.usage);
  expect((await gateway('keys revoke key_none --as alice')).code).toBe(exitCodes.refused);
  const refused = await json('audit list --by operator:alice --outcome refused');
  expect(refused).toMatchObject([{ action: 'keys revoke', object: 'key_none', outcome: 'refused' }]);
  expect(await json('audit verify')).toMatchObject({ unchained: 0, headsCompared: 0 });
  expect((await gateway('audit verify')).out).toContain('Without --log');
  const log = join(folder, 'without-heads.log');
  await writeFile(log, '{"msg":"http.listening"}\n');
  expect((await gateway(`audit verify --log ${log}`)).out).toContain('The logs have no audit.head');
});

test('another key than the database was used with is refused until a command accepts it', async () => {
  const changed = { DIGEST_KEY: key(), FINGERPRINT_KEY: key() };
  const pepper = { API_KEY_PEPPER: key() };
  const refused = await gateway('clients list', pepper);
  expect([refused.code, refused.err]).toEqual([
    exitCodes.notReady,
    expect.stringContaining('API_KEY_PEPPER: not the key'),
  ]);
  const unknown = await gateway('vault keys accept REPLY_KEY', { ...changed, REPLY_KEY: key() });
  expect([unknown.code, unknown.err]).toEqual([
    exitCodes.refused,
    expect.stringMatching(/no check value of REPLY_KEY is kept\. .*API_KEY_PEPPER.*DIGEST_KEY/),
  ]);
  expect((await gateway('vault keys accept API_KEY_PEPPER', { ...changed, ...pepper })).code).toBe(exitCodes.done);
  expect((await gateway('clients list', pepper)).code).toBe(exitCodes.done);
  expect((await gateway('vault keys accept API_KEY_PEPPER', changed)).code).toBe(exitCodes.done);
});

test('people get a table, and a name cannot control their terminal', async () => {
  // Earlier releases accepted such a name.
  const { clientId } = await json('clients create --name Red');
  const name = 'Red \u001b[31mShop\nnext';
  await database.collection<{ _id: string; name: string }>('clients').updateOne({ _id: clientId }, { $set: { name } });
  const { out } = await gateway('clients list');
  const lines = out.trim().split('\n');
  expect(lines[0]).toMatch(/^CLIENT ID +NAME +CREATED AT$/);
  expect(out).toContain('Red ?[31mShop?next');
  expect(out).not.toContain('\u001b');
  const empty = await json('clients create --name Empty');
  expect((await gateway(`merchants list --client-id ${empty.clientId}`)).out).toMatch(/There is no merchant yet/);
});

describe('help', () => {
  test('is available at every level, needs no setting, and ends with code 0', async () => {
    const nothing = { MONGODB_URI: undefined, API_KEY_PEPPER: undefined };
    const top = await gateway('--help', nothing);
    expect(top.code).toBe(0);
    for (const { name, summary, commands } of commandGroups) {
      expect(top.out).toContain(summary);
      const group = await gateway([name, '--help'], nothing);
      expect([name, group.code]).toEqual([name, 0]);
      for (const command of commands) {
        expect(group.out).toContain(command.summary);
        const own = await gateway([...command.path, '-h'], nothing);
        expect([command.path, own.code, own.err]).toEqual([command.path, 0, '']);
        expect(own.out).toContain(`./gateway ${command.path.join(' ')}`);
        for (const option of Object.keys(command.options ?? {})) expect(own.out).toContain(`--${option}`);
        for (const example of command.examples) {
          expect(own.out).toContain(example);
          expect(example.startsWith(command.path.join(' '))).toBe(true);
        }
      }
    }
  });

  test('is shown for an incomplete command, with code 2', async () => {
    for (const words of [[], ['keys'], ['vault', 'keys']]) {
      const { code, out, err } = await gateway(words);
      expect([words, code, out]).toEqual([words, exitCodes.usage, '']);
      expect(err).toMatch(/Commands:/);
    }
  });
});

test.each<[string, RegExp]>([
  ['nonsense', /no command "nonsense"[\s\S]*\.\/gateway --help/],
  ['keys isue', /no command "keys isue"\. Did you mean issue\?[\s\S]*\.\/gateway keys --help/],
  ['keys isue --help', /no command "keys isue"/],
  ['clients create', /--name <name> is missing/],
  ['clients create --name', /--name <name>: its value is missing/],
  ['clients create --name=', /--name is empty/],
  ['clients create --nam x', /There is no option --nam\. Did you mean --name\?/],
  ['clients create --name --json', /its value is missing/],
  ['keys issue --client-id --secondary', /--client-id: its value is missing/],
  ['keys list --client cli_1', /Did you mean --client-id\?/],
  ['clients create --name a --name b', /--name is given twice[\s\S]*\.\/gateway clients create --help/],
  ['audit list --limit=5 --limit 7', /--limit is given twice/],
  ['--as ann clients list --as bob', /--as is given twice/],
  ['completion fish', /<shell> is bash or zsh/],
  ['clients list extra', /"extra" is one word too many/],
  ['keys revoke', /<key> is missing/],
  ['keys issue --client-id a --expires-at yesterday', /--expires-at takes a date/],
  ['keys issue --client-id a --expires-at 2020-01-01', /--expires-at must be in the future/],
  ['keys issue --client-id a --expires-at 0s', /--expires-at must be in the future/],
  ['keys issue --client-id a --merchant-id x', /whole number/],
  ['keys rotate key_1 --overlap 1w', /--overlap takes a duration/],
  ['merchants create --client-id a --name b --country Uruguay', /--country takes a code of ISO 3166-1 alpha-2/],
  ['merchants suspend 0', /whole number from 1/],
  ['clients list --env-file', /--env-file <file>: its value is missing/],
  ['audit list --outcome rejected', /--outcome takes done, refused or failed/],
  ['audit list --by alice', /--by takes an API key \(key_…\), operator:<name> or payer/],
  ['audit list --payment-id 5f0c', /--payment-id takes the id of a payment/],
  ['audit list --client-id shop', /--client-id takes the id of a client/],
  ['testing wallet-token --type wallet-a-pay --merchant-id x', /whole number from 1/],
  ['reconcile --compared nope', /--compared: there is no processor "nope"/],
  ['testing wallet-token --type wallet-a-pay --merchant-id 1 --card 123', /--card takes a card number/],
])('`gateway %s` ends with code 2 and a reason', async (args, sentence) => {
  const { code, out, err } = await gateway(args);
  expect([code, out]).toEqual([exitCodes.usage, '']);
  expect(err).toMatch(sentence);
  expect(err).not.toMatch(/ {4}at /);
});

test.each([
  [['merchants', 'list', '--client-id', 'cli_0'], 'There is no client cli_0.'],
  [['clients', 'create', '--name', 'two\nlines'], 'The name has to be one line of 1 to 200 characters.'],
  [['clients', 'create', '--name', ' '], 'The name has to be one line of 1 to 200 characters.'],
  [['merchants', 'create', '--client-id', 'cli_0', '--name', 'x'.repeat(201)], 'The name has to be one line of'],
  [
    ['merchants', 'create', '--client-id', 'cli_0', '--name', 'x', '--legal-name', 'a\u001bb'],
    'The legal name has to be one line of',
  ],
])('`gateway %j` is refused', async (words, sentence) => {
  const { code, out, err } = await gateway(words);
  expect([code, out, err]).toEqual([exitCodes.refused, '', expect.stringContaining(sentence)]);
});

test('--version prints the version of package.json, and needs no setting', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const args of ['--version', '-V', 'keys issue --version']) {
    const nothing = { MONGODB_URI: undefined, API_KEY_PEPPER: undefined };
    expect(await gateway(args, nothing)).toEqual({ code: 0, out: `${version}\n`, err: '' });
  }
});

describe('completion', () => {
  /** Returns what bash offers when Tab is pressed after these words. */
  async function offered(line: string): Promise<string[]> {
    const { out } = await gateway('completion bash');
    const words = line.split(' ').map((word) => `'${word}'`);
    const pressed = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
_payment_gateway gateway ${words.at(-1)} x; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', `${out}\n${pressed}`]);
    return stdout.trim().split('\n');
  }

  test.each([
    ['./gateway ke', ['keys']],
    ['./gateway keys r', ['rotate', 'revoke']],
    ['./gateway vault ', expect.arrayContaining(['keys', '--json'])],
    ['./gateway --json keys issue --client-id cli_1 --ex', ['--expires-at']],
    ['./gateway keys issue --js', ['--json']],
    ['./gateway methods set 10001 visa --payment-p', ['--payment-processor-acquirer', '--payment-processor-id']],
  ])('of `%s` offers %j', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  test('for zsh contains that of bash', async () => {
    const [bash, zsh] = [await gateway('completion bash'), await gateway('completion zsh')];
    expect(zsh.out).toMatch(/bashcompinit/);
    expect(zsh.out).toContain(bash.out);
  });
});

/** Options that are no fields of an API request, so they have names of their own. */
const OWN_WORDS = [
  ...Object.keys(globalOptions),
  ...[
    'by',
    'process',
    'skip-processors',
    'action',
    'limit',
    'after',
    'since',
    'log',
    'client-id',
    'name',
    'id',
    'all',
    'overlap',
    'secondary',
    'expires-at',
    'none',
    'origin',
    'color',
    'disabled',
    'force',
    'reject',
    'wait',
    'waiting',
    'import',
    'compared',
    'note',
    'dry-run',
    'profile',
  ],
];

test('options are named like the fields of the API', () => {
  const { components, paths } = JSON.parse(readFileSync('api/openapi.json', 'utf8'));
  const text = JSON.stringify([components, paths]);
  const isField = (name: string) => text.includes(`"${name}":`);
  const unknown = commandGroups.flatMap(({ commands }) =>
    commands.flatMap(({ path, options = {} }) =>
      Object.keys(options)
        .filter((name) => !OWN_WORDS.includes(name))
        .filter((name) => {
          const words = name.split('-');
          // `payment-processor-id` is `paymentProcessor.id`: the option is one field, or two fields when it is split at some hyphen.
          const camel = (part: string[]) =>
            part.map((word, at) => (at ? word[0]?.toUpperCase() + word.slice(1) : word)).join('');
          return !words.some(
            (_, at) => isField(camel(words.slice(at))) && (at === 0 || isField(camel(words.slice(0, at)))),
          );
        })
        .map((name) => `${path.join(' ')} --${name}`),
    ),
  );
  expect(unknown).toEqual([]);
});

test('errors for scripts are one line of JSON', async () => {
  const { code, out, err } = await gateway('keys revoke key_0 --json');
  expect([code, out]).toEqual([1, '']);
  expect(JSON.parse(err)).toEqual({ error: 'There is no key key_0.', code: 1 });
  for (const words of ['keys --json', '--json']) {
    const half = await gateway(words);
    expect([half.code, half.out]).toEqual([exitCodes.usage, '']);
    expect(JSON.parse(half.err)).toEqual({ error: 'The command is missing, or is not whole.', code: exitCodes.usage });
  }
});

describe('the environment of a command', () => {
  test('a missing or wrong setting is named without its value, with code 3', async () => {
    const missing = await gateway('clients list', { MONGODB_URI: undefined, API_KEY_PEPPER: 'short-secret' });
    expect(missing.code).toBe(exitCodes.notReady);
    expect(missing.err).toMatch(/MONGODB_URI is missing/);
    expect(missing.err).toMatch(/API_KEY_PEPPER must be/);
    expect(missing.err).not.toMatch(/short-secret|REDIS_URL/);
    const unreachable = 'mongodb://user:hunter2@127.0.0.1:1/x?serverSelectionTimeoutMS=200';
    for (const MONGODB_URI of [unreachable, 'hunter2://nonsense']) {
      const away = await gateway('clients list', { MONGODB_URI });
      expect([away.code, away.out]).toEqual([exitCodes.notReady, '']);
      expect(away.err).toMatch(/MONGODB_URI/);
      expect(away.err).not.toMatch(/hunter2| {4}at /);
    }
  });

  test.each([
    ['mongodb://gw:hunter2@127.0.0.1:hunter2/x', /^gateway: MONGODB_URI is no connection string of MongoDB/],
    ['mongodb://gw:hunter2/34@127.0.0.1/x', /percent-encode/],
    ['mongodb://gw:hunter2%ZZ@127.0.0.1/x', /^gateway: MONGODB_URI is no connection string of MongoDB/],
    ['mongodb://127.0.0.1:1/x?authSource=', /^gateway: MONGODB_URI cannot be used: .*"authSource"/],
    ['mongodb://gw:hunter2@127.0.0.1:1/x?authMechanism=MONGODB-X509', /^gateway: MONGODB_URI cannot be used: Password/],
    ['mongodb+srv://gw:hunter2@nowhere.invalid/x', /^gateway: MONGODB_URI names a host that DNS does not answer for/],
    ['mongodb://127.0.0.1:1/x?tls=true&tlsCAFile=/nowhere/ca.pem', /^gateway: MONGODB_URI names a file .*ENOENT/],
    ['mongodb://127.0.0.1:1/pay.ment', /MONGODB_URI must name a database/],
  ])('an unusable address of MongoDB is reported as a wrong setting: %s', async (MONGODB_URI, said) => {
    const { code, out, err } = await gateway('clients list', { MONGODB_URI });
    expect([code, out]).toEqual([exitCodes.notReady, '']);
    expect(err).toMatch(said);
    expect(err).not.toMatch(/hunter2| {4}at |--sandbox, |npm start` has to run/);
  });

  test('a command for production refuses a testing database', async () => {
    const production = { GATEWAY_ENVIRONMENT: 'production' };
    const bare = await gateway('clients list', production);
    expect([bare.code, bare.err]).toEqual([exitCodes.notReady, expect.stringMatching(/MONGODB_URI is without/)]);
    const { code, err } = await gateway('clients list', { ...production, ALLOW_INSECURE_STORES: 'true' });
    expect([code, err]).toEqual([exitCodes.notReady, expect.stringMatching(/belongs to the testing environment/)]);
  });

  test('an env file adds variables that the environment does not have', async () => {
    const file = join(folder, 'some.env');
    await writeFile(file, `MONGODB_URI=${env.MONGODB_URI}\nAPI_KEY_PEPPER=wrong\n`);
    const { code } = await gateway(['clients', 'list', `--env-file=${file}`], { MONGODB_URI: undefined });
    expect(code).toBe(3);
    // Only an absent variable is taken from the file; an empty one is not absent.
    const { MONGODB_URI: _uri, ...rest } = env;
    const said: string[] = [];
    const out = (text: string) => void said.push(text);
    expect(await run(['clients', 'list', '--env-file', file], { env: rest, out, err: out })).toBe(0);
    await writeFile(file, `\uFEFFMONGODB_URI=${env.MONGODB_URI}\n`);
    expect(await run(['clients', 'list', '--env-file', file], { env: rest, out, err: out })).toBe(0);
    expect((await gateway(`clients list --env-file ${join(folder, 'none')}`)).code).toBe(exitCodes.notReady);
  });

  test('--sandbox uses what `npm start` has stored, whatever the environment has', async () => {
    const before = await gateway('--sandbox clients list');
    expect([before.code, before.err]).toEqual([exitCodes.notReady, expect.stringMatching(/Run `npm start` first/)]);
    const { mkdir } = await import('node:fs/promises');
    await mkdir(join(folder, '.local'));
    await writeFile(join(folder, '.local/secrets.json'), JSON.stringify({ API_KEY_PEPPER: env.API_KEY_PEPPER }));
    const servers = {
      mongodbUri: env.MONGODB_URI,
      redisUrl: 'redis://127.0.0.1:1',
      publicBaseUrl: 'http://127.0.0.1:8391',
      processorUrl: 'http://127.0.0.1:9180',
      settings: { EMV3DS_URL: 'http://127.0.0.1:9290', MONGODB_URI: 'mongodb://127.0.0.1:1/x' },
    };
    await writeFile(join(folder, '.local/servers.json'), JSON.stringify(servers));
    const elsewhere = { MONGODB_URI: 'mongodb://127.0.0.1:1/x', GATEWAY_ENVIRONMENT: 'production' };
    const { code, out } = await gateway('--sandbox clients list', elsewhere);
    expect([code, out]).toEqual([0, expect.stringMatching(/Example Shop/)]);
    expect(environmentOf({ sandbox: true, envFile: undefined }, {}, join(folder, '.local'))).toMatchObject({
      MONGODB_URI: servers.mongodbUri,
      PUBLIC_BASE_URL: servers.publicBaseUrl,
      SANDBOX_PROCESSOR_URL: servers.processorUrl,
      EMV3DS_URL: servers.settings.EMV3DS_URL,
    });
  });
});
