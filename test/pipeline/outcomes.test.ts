import { responseCodes } from '../../shared/domain/response-codes.js';
import { receiveCallbacks } from '../support/callback-receiver.js';
import { type CallOptions, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { waitFor } from '../support/patience.js';

/** TIME_SCALE 60 turns the inquiry schedule of 2 s, 1 m, 5 m into 34 ms, 1 s, 5 s; the processor has 4 s to answer. */
let gateway: TestGateway;
let callbacks: Awaited<ReturnType<typeof receiveCallbacks>>;
let callbackUrl: string;
let begun: ReturnType<typeof begin>;

beforeAll(async () => {
  callbacks = await receiveCallbacks();
  callbackUrl = callbacks.url;
  gateway = await startGateway({
    name: 'outcomes',
    settings: { TIME_SCALE: '60', PROCESSOR_TIMEOUT_MS: '4000' },
  });
  begun = begin();
  await Promise.allSettled(Object.values(begun));
});
afterAll(async () => {
  await gateway?.close();
  await callbacks.close();
});

const pay = (number: string, more: Record<string, unknown> = {}, options: CallOptions = {}) =>
  gateway.call('POST', '/v1/payments', paymentBody({ callbackUrl, ...more }, { number }), options);
async function callbacksBecome(id: string, statuses: string[]) {
  expect((await callbacks.wait(id, statuses.length)).map(({ status }) => status)).toEqual(statuses);
}

/** Starts all slow calls at the same time, so that the suite waits only once. */
const begin = () => ({
  refusing: pay('4000000000100075', { callbackUrl: null }),
  charged: pay('4000000000100059', {}, { responseWaitMs: 500 }),
  notFound: pay('4000000000100067', {}, { responseWaitMs: 500 }),
  paid: pay('4242424242424242'),
  held: pay('4000000000100117', { capture: { method: 'manual' } }),
});

test.each([
  ['4000000000000002', 'declined-by-acquirer', 'generic_decline', '05'],
  ['4000000000009995', 'declined-by-acquirer', 'insufficient_funds', '51'],
  ['4000000000009987', 'declined-by-acquirer', 'lost_card', '41'],
  ['4000000000009979', 'declined-by-acquirer', 'stolen_card', '43'],
  ['4000000000000069', 'declined-by-acquirer', 'expired_card', '54'],
  ['4000000000000127', 'declined-by-acquirer', 'incorrect_cvc', 'N7'],
  ['4000000000000119', 'declined-by-acquirer', 'processing_error', '96'],
  ['4000000000006975', 'declined-by-acquirer', 'velocity_exceeded', '65'],
])('%s is declined with 422 %s %s', async (number, code, declineCode, resultCode) => {
  const declined = await pay(number);
  expect(declined).toMatchObject({ status: 422, body: { code, declineCode, type: 'processor-error', status: 422 } });
  const { body } = await gateway.call('GET', `/v1/payments/${declined.body.params.paymentId[0]}`);
  expect(body).toMatchObject({ status: 'denied', transactions: [{ status: 'denied', resultCode }] });
});

test('a soft decline asks for authentication', async () => {
  expect(await pay('4000000000100018')).toMatchObject({ status: 422, body: { code: 'authentication-required' } });
});

test('a payment whose acquirer refuses connections fails as acquirer-offline, and is not charged', async () => {
  const answer = await begun.refusing;
  expect(answer).toMatchObject({ status: 422, body: { code: 'acquirer-offline', type: 'processor-error' } });
  const body = await gateway.until(answer.body.params.paymentId[0], 'failed');
  expect(body.transactions).toMatchObject([
    { type: 'purchase', status: 'failed', resultCode: responseCodes.issuerInoperative },
  ]);
  const charged = (await begun.paid).body.transactions[0].id;
  const keys = (await gateway.ledger()).map(({ key }) => key);
  expect([keys.includes(charged), keys.includes(body.transactions[0].id)]).toEqual([true, false]);
});

test('a payment charged without an answer is pending, then approved by inquiry, with one callback', async () => {
  const answer = await begun.charged;
  expect(answer).toMatchObject({ status: 200, body: { status: 'pending' } });
  const body = await gateway.until(answer.body.id, 'approved');
  await callbacksBecome(body.id, ['approved']);
  const charges = (await gateway.ledger()).filter((entry) => entry.key === body.transactions[0].id);
  expect(charges).toMatchObject([{ result: 'approved' }]);
});

test('a payment without an answer that the inquiry does not find is reversed and fails', async () => {
  const answer = await begun.notFound;
  expect(answer.body.status).toBe('pending');
  const body = await gateway.until(answer.body.id, 'failed');
  expect(body.transactions).toMatchObject([
    { type: 'purchase', status: 'failed' },
    { type: 'reversal', status: 'approved' },
  ]);
  await callbacksBecome(body.id, ['failed']);
});

test('an outcome that the caller got as the answer is not announced as well', async () => {
  const paid = await begun.paid;
  expect(paid.body.status).toBe('approved');
  // From then on no process announces the outcome. If one had, its delivery would be stored.
  await waitFor(
    () => gateway.payments.findById(paid.body.id),
    (stored) => stored !== undefined && stored.announceAt === undefined,
  );
  expect(await gateway.database.collection('deliveries').countDocuments({ paymentId: paid.body.id })).toBe(0);
});

test('a hold that reaches its end is released at the acquirer and expires, with a callback', async () => {
  const held = await begun.held;
  expect(held.body.status).toBe('authorized');
  const expired = await gateway.until(held.body.id, 'expired');
  expect(expired.transactions[1]).toMatchObject({ type: 'cancellation', status: 'approved' });
  await callbacksBecome(held.body.id, ['expired']);
  const late = await gateway.call('POST', `/v1/payments/${held.body.id}/captures`, {
    referenceId: `late-${held.body.id}`,
  });
  expect(late.status).toBe(409);
});

test('cvc and work are removed with the outcome, and the card is scheduled to be destroyed', async () => {
  const paid = await pay('4242424242424242');
  const stored = await gateway.payments.findById(paid.body.id);
  expect(stored?.cvc).toBeUndefined();
  expect(stored?.cvcDestroyAt).toBeUndefined();
  expect(stored?.work).toBeUndefined();
  expect(stored?.card).toBeDefined();
  expect(stored?.cardDestroyAt).toBeInstanceOf(Date);
});
