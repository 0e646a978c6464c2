import { receiveCallbacks } from '../support/callback-receiver.js';
import { type CallOptions, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

/** With TIME_SCALE 10 the processor that answers after 20 s answers after 2 s, and refunds settle after 0.3 s. */
let gateway: TestGateway;
let callbacks: Awaited<ReturnType<typeof receiveCallbacks>>;
let callbackUrl: string;
let begun: ReturnType<typeof begin>;

beforeAll(async () => {
  callbacks = await receiveCallbacks();
  callbackUrl = callbacks.url;
  gateway = await startGateway({ name: 'late', settings: { TIME_SCALE: '10' } });
  begun = begin();
  await Promise.allSettled(Object.values(begun));
});
afterAll(async () => {
  await gateway?.close();
  await callbacks.close();
});

/** Answers `pending` before the processor answers. */
const early = { responseWaitMs: 500 };
const pay = (number: string, options: CallOptions = {}) =>
  gateway.call('POST', '/v1/payments', paymentBody({ callbackUrl }, { number }), options);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
async function callbacksAbout(id: string, count: number) {
  const heard = await callbacks.wait(id, count);
  expect(heard).toHaveLength(count);
  return heard;
}
const refund = async (number: string) => {
  // The callback of a later change is sent when the wait for the answer has ended.
  const options = { responseWaitMs: 8_000 };
  const { body } = await pay(number, options);
  return gateway.call('POST', `/v1/payments/${body.id}/refunds`, { referenceId: `refund-${body.id}` }, options);
};

/** Starts all slow calls at the same time, so that the suite waits only once. */
function begin() {
  const card = { number: '4000000000100042', tokenizationSettings: { type: 'store' } };
  const delayed = paymentBody({ callbackUrl, capture: { delay: 1 } }, { number: '4000000000100026' });
  return {
    late: pay('4000000000100042', early),
    saved: gateway.call('POST', '/v1/payments', paymentBody({ callbackUrl }, card), early),
    lateRefund: refund('4000000000007726'),
    returnedRefund: refund('4000000000005126'),
    delayed: gateway.call('POST', '/v1/payments', delayed),
    twice: pay('4000000000100091'),
  };
}

test('…0042: a payment answered after the wait is pending, then approved by callback, charged once', async () => {
  const answer = await begun.late;
  expect(answer).toMatchObject({ status: 200, body: { status: 'pending' } });
  expect(await callbacksAbout(answer.body.id, 1)).toMatchObject([{ status: 'approved' }]);
  const key = answer.body.transactions[0].id;
  expect((await gateway.ledger()).filter((entry) => entry.key === key)).toHaveLength(1);
});

test('the callback of a card that is saved after the wait has its token, as the payment does', async () => {
  const { body } = await begun.saved;
  expect([body.status, body.paymentInstrument]).toEqual(['pending', undefined]);
  const [callback] = await callbacksAbout(body.id, 1);
  const read = await gateway.call('GET', `/v1/payments/${body.id}`);
  expect(callback).toMatchObject({ status: 'approved', paymentInstrument: read.body.paymentInstrument });
  expect(read.body.paymentInstrument).toMatchObject({ token: expect.any(String), type: 'persistent', expiresAt: null });
});

test('…7726: the refund is pending, and its approval is announced by callback', async () => {
  const answer = await begun.lateRefund;
  expect(answer).toMatchObject({ status: 200, body: { status: 'approved' } });
  expect(answer.body.transactions[1]).toMatchObject({ type: 'refund', status: 'pending' });
  expect(await callbacksAbout(answer.body.id, 1)).toMatchObject([{ status: 'refunded' }]);
});

test('…5126: an approved refund that the bank returns fails, frees its amount and is announced', async () => {
  const answer = await begun.returnedRefund;
  expect(answer).toMatchObject({ status: 200, body: { status: 'refunded', amount: { refunded: 10.5 } } });
  const { id } = answer.body;
  const [callback] = await callbacksAbout(id, 1);
  expect(callback).toMatchObject({ status: 'approved', amount: { captured: 10.5, refunded: 0 } });
  const { body } = await gateway.call('GET', `/v1/payments/${id}`);
  for (const shown of [callback, body]) {
    expect(shown?.transactions).toMatchObject([
      { type: 'purchase', status: 'approved' },
      { type: 'refund', status: 'failed', resultCode: expect.any(String), resultMessage: expect.any(String) },
    ]);
  }
  const stored = await gateway.payments.findById(id);
  expect(stored?.alerts).toHaveLength(1);
  expect(stored?.refundCheckAt).toBeUndefined();

  const again = await gateway.call('POST', `/v1/payments/${id}/refunds`, { referenceId: `again-${id}`, amount: 4 });
  expect(again.body).toMatchObject({ status: 'partially-refunded', amount: { refunded: 4 } });
});

test('…0026 with a delay: the callback says that the capture failed, why, and when the next attempt is', async () => {
  const { body } = await begun.delayed;
  expect([body.status, body.params]).toEqual(['authorized', undefined]);
  const heard = await callbacks.wait(body.id, 1);
  expect(heard[0]).toMatchObject({
    status: 'authorized',
    capture: { delay: 1, nextAttemptAt: expect.any(String) },
    params: { capture: [expect.stringMatching(/failed \(05 .*\): the next attempt is at/)] },
  });
  expect(heard[0]?.transactions.at(-1)).toMatchObject({ type: 'capture', status: 'denied', resultCode: '05' });
});

test('…0091: an outcome that arrives twice makes one charge and no callback beside the answer', async () => {
  const answer = await begun.twice;
  const id = answer.body.id;
  await gateway.until(id, 'approved');
  await pause(2_500);
  expect(answer.body.status).toBe('approved');
  expect(callbacks.of(id)).toEqual([]);
  const key = answer.body.transactions[0].id;
  expect((await gateway.ledger()).filter((entry) => entry.key === key)).toHaveLength(1);
});

test('an approved refund is scheduled for a check', async () => {
  const answer = await refund('4242424242424242');
  expect(answer.body.status).toBe('refunded');
  const stored = await gateway.payments.findById(answer.body.id);
  expect(stored?.refundChecks).toMatchObject([{ tries: 0 }]);
});
