/** When MongoDB aborts statements, every list answers `503 timeout` with `Retry-After`, never 500, and 200 again afterwards. */
import { setTimeout } from 'node:timers/promises';
import { exitCodes, run } from '../../scripts/gateway/run.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { createdPayment } from '../domain/payment/a-payment.js';
import { startGateway, type TestGateway, testSettings } from '../support/gateway.js';
import { type OwnMongo, startOwnMongo } from '../support/own-servers.js';
import { testMongoUri } from '../support/services.js';

let mongo: OwnMongo;
let gateway: TestGateway;
beforeAll(async () => {
  mongo = await startOwnMongo(['--setParameter', 'enableTestCommands=1']);
  const MONGODB_URI = mongo.uri(new URL(testMongoUri('slow')).pathname.slice(1));
  gateway = await startGateway({ name: 'slow', pools: [], settings: { MONGODB_URI } });
  const { clientId } = gateway.sandbox;
  const payments = Array.from({ length: 700 }, (_, n) => {
    const { work: _work, ...payment } = createdPayment({ clientId, status: 'approved', createdAt: new Date(n) });
    return payment as Payment;
  });
  await gateway.payments.collection.insertMany(payments);
});
afterAll(async () => {
  await gateway?.close();
  await mongo?.stop();
});

/** Time for which commands are blocked (ms): far longer than a query or a ping waits. */
const BLOCKED_MS = 20_000;

async function whileFailing<T>(failPoint: string, data: object, work: () => Promise<T>): Promise<T> {
  const admin = gateway.database.connection.getClient().db('admin');
  await admin.command({ configureFailPoint: failPoint, mode: 'alwaysOn', data });
  try {
    return await work();
  } finally {
    await admin.command({ configureFailPoint: failPoint, mode: 'off' });
  }
}

/** Each way of finding a page: by an index, in windows, by a value that few payments have, by id and reference. */
const queries = [
  '',
  '?status=denied',
  '?currency=EUR',
  '?metadataKey=k',
  '?status=created',
  '?id=pay_1',
  '?referenceId=r',
];
const lists = [
  ...queries.map((query) => `/v1/payments/query${query}`),
  '/v1/payments/pay_1/callbacks',
  '/v1/customers',
  '/v1/sessions',
  '/v1/payment-links',
  '/v1/threeds/sessions',
  '/v1/merchants',
  '/v1/merchants/1001/payment-methods',
];

const ask = async (path: string) => {
  const { status, body, headers } = await gateway.call('GET', path);
  return { path, status, code: body.code, retryAfter: headers.get('retry-after') };
};
const timedOut = (path: string) => ({ path, status: 503, code: 'timeout', retryAfter: '1' });

/** Asks again after `503 timeout`, as a client does: statements may really take too long while the machine is busy. */
async function askUntilAnswered(path: string) {
  for (;;) {
    const answer = await ask(path);
    if (answer.status !== 503) return answer;
    await setTimeout(Number(answer.retryAfter) * 1_000);
  }
}

test('every list answers 503 timeout when its statement takes too long, and answers again afterwards', async () => {
  const before = await Promise.all(lists.map(askUntilAnswered));
  expect(before.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
  // Every statement with a time limit exceeds it. The lists are asked in turn: a list of a client waits for another only for a short time.
  const answers = await whileFailing('maxTimeAlwaysTimeOut', {}, async () => {
    const each = [];
    for (const path of lists) each.push(await ask(path));
    return each;
  });
  expect(answers).toEqual(lists.map(timedOut));
  expect(await Promise.all(lists.map(askUntilAnswered))).toEqual(before);
});

test.each([
  ['the search itself', 'find'],
  ['a look at how many there are', 'aggregate'],
])('a payment query answers 503 timeout when %s takes too long', async (_what, command) => {
  const namespace = `${gateway.database.connection.name}.payments`;
  const data = { failCommands: [command], errorCode: 50, namespace };
  const path = '/v1/payments/query?metadataKey=k&currency=USD';
  expect(await whileFailing('failCommand', data, () => ask(path))).toEqual(timedOut(path));
});

test('an operator command whose search takes too long says what to do', async () => {
  const said: string[] = [];
  const keep = (text: string) => void said.push(text);
  const env = testSettings({ MONGODB_URI: mongo.uri('operator') });
  const data = { failCommands: ['find'], errorCode: 50, namespace: 'operator.audit' };
  const code = await whileFailing('failCommand', data, () =>
    run(['audit', 'list', '--by', 'key_1'], { env, out: keep, err: keep }),
  );
  expect(said).toEqual([expect.stringMatching(/^gateway: MongoDB searched for too long .* with --since/)]);
  expect(code).toBe(exitCodes.refused);
});

test('a payment query and a ping that MongoDB does not answer at all time out', async () => {
  // The commands are blocked before MongoDB starts its own time limit, and would be answered in the end.
  const data = { failCommands: ['find', 'ping'], blockConnection: true, blockTimeMS: BLOCKED_MS };
  const path = '/v1/payments/query?currency=EUR';
  // This call caches the caller's key, whose look-up would be blocked too.
  await askUntilAnswered(path);
  const [answer, pinged] = await whileFailing('failCommand', data, () =>
    Promise.all([ask(path), gateway.database.ping().catch((error: Error) => error)]),
  );
  expect(answer).toEqual(timedOut(path));
  expect(pinged).toMatchObject({ name: 'MongoOperationTimeoutError' });
  await gateway.database.ping();
  expect(await askUntilAnswered(path)).toMatchObject({ status: 200 });
});
