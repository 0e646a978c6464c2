import { cards } from '../support/forms.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { authenticatedBody, completeChallenge, switchOnThreeDs } from '../support/payer.js';

let gateway: TestGateway;
let waiting: { id: string; href: string; referenceId: string };
let beforeLast: string;

const pay = (number: string, more: Record<string, unknown> = {}) =>
  gateway.call('POST', '/v1/payments', authenticatedBody(number, more));
const list = (query = '', options: Parameters<TestGateway['call']>[3] = {}) =>
  gateway.call('GET', `/v1/threeds/sessions${query}`, undefined, options);

beforeAll(async () => {
  gateway = await startGateway({ name: 'threeds_sessions' });
  await switchOnThreeDs(gateway);
  await switchOnThreeDs(gateway, 'mastercard');
  await pay(cards.frictionless, { amount: { total: 5, currency: 'USD' } });
  await pay('5555555555554444', { amount: { total: 700, currency: 'JPY' } });
  const failed = await pay(cards.challenge, { amount: { total: 7.5, currency: 'USD' } });
  await completeChallenge(gateway, failed.body.actions[0].href, 'cancel');
  await new Promise((resolve) => setTimeout(resolve, 20));
  beforeLast = new Date().toISOString();
  const open = await pay(cards.challenge, { amount: { total: 20.25, currency: 'USD' } });
  waiting = { id: open.body.id, href: open.body.actions[0].href, referenceId: open.body.referenceId };
  // A payment without authentication has no session.
  await pay('6011111111111117');
});
afterAll(() => gateway?.close());

test('each authenticated payment has a session; the list is newest first, with a summary', async () => {
  const { status, body } = await list();
  expect(status).toBe(200);
  expect(body.data.map((session: { status: string }) => session.status)).toEqual([
    'step-up-required',
    'cancelled',
    'frictionless',
    'frictionless',
  ]);
  expect(body.data[0]).toEqual({
    sessionId: waiting.href.split('/').at(-1),
    paymentId: waiting.id,
    merchantId: 1001,
    referenceId: waiting.referenceId,
    paymentMethodId: 'visa',
    provider: 'sandbox',
    status: 'step-up-required',
    amount: 20.25,
    currency: 'USD',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    completedAt: null,
  });
  expect(body.data[1].completedAt).toEqual(expect.any(String));
  expect(body).toMatchObject({ page: 1, size: 20, totalItems: 4, totalPages: 1 });
  expect(body.summary).toEqual({
    total: 4,
    byStatus: { 'step-up-required': 1, cancelled: 1, frictionless: 2 },
    byPaymentMethod: { visa: 3, mastercard: 1 },
    amountByCurrency: { USD: 32.75, JPY: 700 },
  });
});

test('the list is paged, and the summary covers all pages', async () => {
  const { body } = await list('?page=2&size=3');
  expect(body).toMatchObject({ page: 2, size: 3, totalItems: 4, totalPages: 2, summary: { total: 4 } });
  expect(body.data).toHaveLength(1);
  expect((await list('?page=9')).body).toMatchObject({ data: [], totalItems: 4 });
});

test.each([
  ['status=step-up-required', 1],
  ['status=expired', 0],
  ['paymentMethodId=mastercard', 1],
  ['currency=USD', 3],
  ['currency=USD&minAmount=7.5', 2],
  ['minAmount=7.50&maxAmount=20.25', 2],
  ['maxAmount=5', 1],
  ['minAmount=700', 1],
  ['merchants=1001', 4],
  ['merchants=1002', 0],
  ['merchants=1001,1002&status=cancelled', 1],
  ['sessionId=unknown', 0],
])('%s finds %i', async (query, count) => {
  const { body } = await list(`?${query}`);
  expect([body.data.length, body.totalItems, body.summary.total]).toEqual([count, count, count]);
});

test('sessions are found by id and by time', async () => {
  const id = waiting.href.split('/').at(-1);
  expect((await list(`?sessionId=${id}`)).body.data).toMatchObject([{ paymentId: waiting.id }]);
  expect((await list(`?minDate=${beforeLast}`)).body.totalItems).toBe(1);
  expect((await list(`?maxDate=${beforeLast}`)).body.totalItems).toBe(3);
});

test.each([
  ['merchants=abc', 'merchants'],
  ['merchants=1001,', 'merchants'],
  ['status=unknown', 'status'],
  ['minAmount=2&maxAmount=1', 'maxAmount'],
  ['minDate=2030-01-02&maxDate=2030-01-01', 'maxDate'],
  ['size=101', 'size'],
  ['page=0', 'page'],
])('%s: 400', async (query, field) => {
  expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { params: { [field]: [expect.any(String)] } } });
});

test('a client does not see the sessions of others', async () => {
  const { other, secondary, clientId } = gateway.sandbox;
  const foreign = await list('', { auth: `${other.clientId}:${other.apiKey}` });
  expect(foreign.body).toMatchObject({ data: [], summary: { total: 0, byStatus: {} } });
  expect(await list('?merchants=1001', { auth: `${other.clientId}:${other.apiKey}` })).toMatchObject({ status: 403 });
  expect(await list('?merchants=1001,999999')).toMatchObject({ status: 400, body: { code: 'merchant-not-found' } });
  const granted = { auth: `${clientId}:${secondary.apiKey}` };
  expect((await list('', granted)).body.totalItems).toBe(4);
  expect(await list('?merchants=1001,1002', granted)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
});
