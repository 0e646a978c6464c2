/** Bank transfers under faults: a processor that fails or is silent, work of a process that died, many readers of a code. */

import { responseCodes } from '../../shared/domain/response-codes.js';
import { createLog } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import { openPools } from '../../workers/pools.js';
import { receiveCallbacks } from '../support/callback-receiver.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let receiver: Awaited<ReturnType<typeof receiveCallbacks>>;

beforeAll(async () => {
  receiver = await receiveCallbacks();
  gateway = await startGateway({ name: 'transferfaults', settings: { TIME_SCALE: '100' } });
});
afterAll(async () => {
  await gateway?.close();
  await receiver?.close();
});
afterEach(() => faults('DELETE'));

const faults = (method: 'POST' | 'DELETE', body?: object) =>
  fetch(`${gateway.simulatorUrl}/faults`, { method, ...(body && { body: JSON.stringify(body) }) });
const pay = (total: number, more: object = {}) =>
  gateway.call(
    'POST',
    '/v1/payments',
    paymentBody({
      flow: 'pos',
      amount: { total, currency: 'USD' },
      paymentMethod: { source: 'bank-transfer', id: 'instant-transfer' },
      callbackUrl: receiver.url,
      ...more,
    }),
  );
const choose = (url: string, choice: string) => fetch(url, { method: 'POST', body: new URLSearchParams({ choice }) });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a payment at a processor that always fails gets 422 and no code, and leaves no work', async () => {
  await faults('POST', { errors500: 1 });
  const { status, body } = await pay(31);
  expect([status, body.code]).toEqual([422, 'acquirer-offline']);
  const stored = await gateway.payments.findById(body.params.paymentId[0]);
  expect(stored).toMatchObject({ status: 'failed', transactions: [{ status: 'failed' }] });
  expect(stored?.work).toBeUndefined();
  // A code is valid for 9 s here. On a busy machine that takes longer the code may have been issued, and the bank is asked later.
  const ranOut = stored?.transactions[0]?.resultCode === responseCodes.tooLate;
  expect(stored?.transferCheckAt !== undefined).toBe(ranOut);
});

test('a processor that fails at times issues one code per payment', async () => {
  await faults('POST', { errors500: 0.3, duplicates: 0.3, seed: 7 });
  const codes = async () => (await gateway.ledger()).filter(({ kind }) => kind === 'code');
  const before = await codes();
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => pay(100 + index)));
  const issued = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(issued.length).toBeGreaterThan(0);
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [422, 'acquirer-offline']));
  const ended = await Promise.all(refused.map(({ body }) => gateway.payments.findById(body.params.paymentId[0])));
  // A code is valid for 9 s here: a machine that takes longer refuses the rest. Eight faults in a row are rare.
  const exhausted = ended.filter((payment) => payment?.transactions[0]?.resultCode !== responseCodes.tooLate);
  expect(exhausted.length).toBeLessThanOrEqual(2);
  const keys = issued.map(({ body }) => body.transactions[0].id);
  expect(issued.map(({ body }) => [body.status, body.code?.type])).toEqual(issued.map(() => ['pending', 'qrcode']));
  // A refused payment may have a code too: half of the faults have their effect.
  const made = (await codes()).slice(before.length).map(({ key }) => key);
  const own = new Set([...keys, ...ended.map((payment) => payment?.transactions[0]?.id)]);
  expect(new Set(made).size).toBe(made.length);
  expect(made).toEqual(expect.arrayContaining(keys));
  expect(made.filter((key) => !own.has(key))).toEqual([]);
});

test('a payment made while the bank is silent is approved with the first answer of the bank', async () => {
  const { body } = await pay(32);
  await faults('POST', { errors500: 1 });
  await choose(body.code.url, 'pay');
  await pause(1_500);
  expect((await gateway.payments.findById(body.id))?.status).toBe('pending');
  await faults('DELETE');
  expect((await receiver.wait(body.id, 1)).map(({ status }) => status)).toEqual(['approved']);
});

test('a payment whose bank is silent beyond the grace expires, and money that is found later is announced', async () => {
  const { body } = await pay(33);
  await pause(200);
  await faults('POST', { errors500: 1 });
  await choose(body.code.url, 'pay');
  await gateway.until(body.id, 'expired');
  await faults('DELETE');
  const callbacks = await receiver.wait(body.id, 2);
  expect(callbacks.map(({ status }) => status)).toEqual(['expired', 'expired']);
  expect(callbacks[1]?.transactions[1]).toMatchObject({ reason: 'paid-after-expiry', status: 'approved' });
});

test('work whose process died is taken over, and the payment is announced once', async () => {
  const { body } = await pay(34);
  const { payments, database, config } = gateway;
  // The state after a process that died between claim and write: an expired lease, and the token of another process.
  await payments.collection.updateOne(
    { _id: body.id } as never,
    {
      $set: { 'work.leaseToken': 'gone', 'work.leaseUntil': new Date(Date.now() - 1_000) },
      $inc: { version: 1 },
    } as never,
  );
  const log = createLog('second', 'silent');
  const second = await openPools(['qr'], { config, log, database, metrics: createMetrics({ process: 'second' }) });
  await choose(body.code.url, 'pay');
  await Promise.all(second.pools.map((pool) => pool.sweep()));
  await gateway.until(body.id, 'approved');
  await pause(1_000);
  expect(receiver.of(body.id)).toHaveLength(1);
  await Promise.all(second.pools.map((pool) => pool.close()));
  await second.close();
});

test('many readers of one code at once are all answered, with the same picture', async () => {
  const { body } = await pay(35);
  // The code must not expire while it is read, even on a slow machine.
  const end = new Date(Date.now() + 3_600_000);
  await gateway.payments.collection.updateOne({ _id: body.id }, {
    $set: { expiresAt: end },
    $inc: { version: 1 },
  } as never);
  const query = new URLSearchParams({ paymentMethod: 'instant-transfer', value: body.code.value });
  const answers = await Promise.all(Array.from({ length: 300 }, () => gateway.call('GET', `/v1/codes?${query}`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map((answer) => answer.body.base64Image)).size).toBe(1);
});

test('a payment whose code is not made in time is pending, and the code is sent by callback', async () => {
  const alone = await startGateway({
    name: 'transferalone',
    settings: { TIME_SCALE: '10' },
    pools: ['callback'],
  });
  try {
    const { status, body } = await alone.call(
      'POST',
      '/v1/payments',
      paymentBody({
        flow: 'pos',
        paymentMethod: { source: 'bank-transfer', id: 'instant-transfer' },
        callbackUrl: receiver.url,
      }),
      { responseWaitMs: 300 },
    );
    expect([status, body.status, body.code]).toEqual([200, 'pending', undefined]);
    const { database, config } = alone;
    const log = createLog('late', 'silent');
    const late = await openPools(['qr'], { config, log, database, metrics: createMetrics({ process: 'late' }) });
    const sweep = () => Promise.all(late.pools.map((pool) => pool.sweep()));
    while (receiver.of(body.id).length === 0) {
      await alone.payments.collection.updateOne(
        { _id: body.id, 'work.kind': 'issue-code' } as never,
        { $set: { 'work.dueAt': new Date(Date.now() - 20_000) } } as never,
      );
      await sweep();
      await pause(250);
    }
    expect(receiver.of(body.id)).toMatchObject([{ status: 'pending', code: { type: 'qrcode' } }]);
    await Promise.all(late.pools.map((pool) => pool.close()));
    await late.close();
  } finally {
    await alone.close();
  }
});
