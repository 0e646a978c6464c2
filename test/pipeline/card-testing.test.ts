import { limits } from '../../config/limits.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { waitFor } from '../support/patience.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'cardtesting', settings: { CARD_TESTING_THROTTLES: 'on' } });
});
afterAll(() => gateway?.close());

const pay = (number: string, total = 10) =>
  gateway.call('POST', '/v1/payments', paymentBody({ amount: { total, currency: 'USD' } }, { number }));
const sent = async (ids: string[]) => (await gateway.ledger()).filter(({ key }) => ids.includes(key)).length;
const declines = () => gateway.database.collection('card_declines').countDocuments({});
const untilDeclinesReach = (count: number) =>
  waitFor(declines, (seen) => seen >= count, `${count} declines are counted`);

test('a card that was declined ten times in a day is no longer sent, and gets a plain decline', async () => {
  const { declinesPerDay } = limits.cardTesting;
  const ids: string[] = [];
  const answers = [];
  for (let n = 0; n <= declinesPerDay; n += 1) {
    const before = await declines();
    const answer = await pay('4000000000000002', 10 + n);
    answers.push(answer);
    const payment = await gateway.payments.findById(answer.body.params.paymentId[0]);
    ids.push(payment?.transactions[0]?.id ?? '');
    await untilDeclinesReach(before + 1);
  }
  for (const { status, body } of answers) {
    expect(status).toBe(422);
    expect({ code: body.code, declineCode: body.declineCode, message: body.message }).toEqual({
      code: answers[0]?.body.code,
      declineCode: 'generic_decline',
      message: answers[0]?.body.message,
    });
  }
  expect(await sent(ids)).toBe(declinesPerDay);
  const transaction = async (id: string | undefined) => {
    const { body } = await gateway.call('GET', `/v1/payments/${id}`);
    const { resultCode, resultMessage, status } = body.transactions[0];
    return { resultCode, resultMessage, status };
  };
  expect((await transaction(answers.at(-1)?.body.params.paymentId[0])).status).toBe('denied');
});

test('a verification of that card is refused in the same way as by the issuer', async () => {
  const { invoiceNumber: _none, ...body } = paymentBody(
    { amount: { currency: 'USD' } },
    { number: '4000000000000002' },
  );
  const answer = await gateway.call('POST', '/v1/payments/verify', body);
  expect(answer).toMatchObject({
    status: 422,
    body: { code: 'funds-verification-failed', declineCode: 'generic_decline' },
  });
  const payment = await gateway.payments.findById(answer.body.params.paymentId[0]);
  expect(await sent([payment?.transactions[0]?.id ?? ''])).toBe(0);
});

test('another card is not affected', async () => {
  expect((await pay('4242424242424242')).status).toBe(200);
});

test('many attempts of one card at once reach the processor at most as often as it may be declined', async () => {
  const { declinesPerDay } = limits.cardTesting;
  const before = (await gateway.ledger()).length;
  const answers = await Promise.all(
    Array.from({ length: 2 * declinesPerDay }, (_, n) => pay('4000000000009995', 100 + n)),
  );
  const reached = (await gateway.ledger()).length - before;
  expect(reached).toBeGreaterThan(0);
  expect(reached).toBeLessThanOrEqual(declinesPerDay);
  // On a busy machine some may still wait.
  expect(answers.filter(({ status, body }) => body.code !== 'declined-by-acquirer' && status !== 200)).toEqual([]);
});
