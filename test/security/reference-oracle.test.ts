/** An attack of a client that knows the shown digits of a card: it tries the other digits by the answers to a used reference. */
import { limits } from '../../config/limits.js';
import { luhnValid } from '../../shared/domain/card/card-checks.js';
import { type Answer, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

const NUMBER = '4242424242424242';
const TRIES = 40;
/** Valid numbers with the same first and last digits. */
const others = Array.from({ length: 10_000 }, (_, n) => `42424242${String(n).padStart(4, '0')}4242`)
  .filter((number) => luhnValid(number) && number !== NUMBER)
  .slice(0, TRIES);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'oracle' });
});
afterAll(() => gateway?.close());

type Body = ReturnType<typeof paymentBody>;
const withNumber = (body: Body, number: string): Body => ({
  ...body,
  paymentMethod: { ...body.paymentMethod, card: { ...body.paymentMethod.card, number } },
});
const pay = (body: object, headers: Record<string, string> = {}) =>
  gateway.call('POST', '/v1/payments', body, { headers });
const sameOf = ({ body }: Answer) => body.params.sameRequest;

test('the 409 of a used reference does not tell card numbers apart', async () => {
  const body = paymentBody({}, { number: NUMBER });
  expect((await pay(body)).status).toBe(200);
  const answers = [];
  for (const number of [...others, NUMBER]) answers.push(await pay(withNumber(body, number)));
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body.params]))).size).toBe(1);
  expect(sameOf(answers[0] as Answer)).toEqual(['true']);
});

test('an Idempotency-Key does not tell card numbers apart either', async () => {
  const body = paymentBody({}, { number: NUMBER });
  const headers = { 'idempotency-key': `oracle-${process.pid}` };
  const first = await pay(body, headers);
  for (const number of others) expect((await pay(withNumber(body, number), headers)).body).toEqual(first.body);
  const other = await pay({ ...body, installments: 2 }, headers);
  expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

describe('after five differing bodies even an equal body is not reported as the same', () => {
  async function exhaust(send: (n: number) => Promise<Answer>): Promise<void> {
    expect(sameOf(await send(0))).toEqual(['true']);
    for (let n = 1; n <= limits.differingBodiesMax; n += 1) expect(sameOf(await send(n))).toEqual(['false']);
    expect(sameOf(await send(0))).toEqual(['false']);
  }

  test('for a payment', async () => {
    const body = paymentBody();
    await pay(body);
    await exhaust((n) => pay(n === 0 ? body : { ...body, installments: n }));
  });

  test('for a refund, also of another payment', async () => {
    const [{ body: paid }, { body: another }] = [await pay(paymentBody()), await pay(paymentBody())];
    const refund = (id: string, n: number) =>
      gateway.call('POST', `/v1/payments/${id}/refunds`, { referenceId: `r-${paid.id}`, amount: 1 + n / 100 });
    expect((await refund(paid.id, 0)).status).toBe(200);
    await exhaust((n) => refund(n % 2 === 0 ? paid.id : another.id, n));
  });

  test('for a customer', async () => {
    const customer = (n: number) =>
      gateway.call('POST', '/v1/customers', {
        referenceId: `c-${process.pid}`,
        firstName: `N${n}`,
        lastName: 'X',
        email: 'a@shop.example',
      });
    expect((await customer(0)).status).toBe(200);
    await exhaust(customer);
  });

  test('of a customer: an update is no guess', async () => {
    const referenceId = `u-${process.pid}`;
    const made = (n: number) =>
      gateway.call('POST', '/v1/customers', {
        referenceId,
        firstName: `N${n}`,
        lastName: 'X',
        email: 'a@shop.example',
      });
    expect((await made(0)).status).toBe(200);
    const { body: another } = await gateway.call('POST', '/v1/customers', { email: 'b@shop.example' });
    const update = await gateway.call('PUT', `/v1/customers/${another.id}`, { referenceId });
    expect([update.status, update.body.code, update.body.params.sameRequest]).toEqual([
      409,
      'duplicated-reference-id',
      ['false'],
    ]);
    for (let n = 1; n < limits.differingBodiesMax; n += 1) expect((await made(n)).status).toBe(409);
    expect((await made(0)).body.params.sameRequest).toEqual(['true']);
  });

  test('for a session', async () => {
    const referenceId = `s-${process.pid}-${Date.now()}`;
    const session = (n: number) =>
      gateway.call('POST', '/v1/sessions', {
        type: 'checkout',
        merchantId: 1001,
        referenceId,
        paymentRequest: {
          referenceId: `${referenceId}-p`,
          invoiceNumber: 'I',
          amount: { total: 10 + n, currency: 'USD' },
        },
        settings: { redirects: { defaultUrl: 'https://shop.example/done' } },
      });
    expect((await session(0)).status).toBe(200);
    await exhaust(session);
  });
});
