/** Payments by QR code over the API: refusals, answers, and every final status with its callbacks. */
import { createSessionTokens } from '../../api/sessions/session-token.js';
import { cancelSessionTransfer } from '../../api/sessions/transfer-session.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Session } from '../../shared/domain/session/session.js';
import { createLog } from '../../shared/log.js';
import { receiveCallbacks } from '../support/callback-receiver.js';
import { type Answer, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/patience.js';
import { readFields, readPayload } from '../support/read-emv.js';

/** With TIME_SCALE 100 a code is valid for 9 s, a prepared payment arrives after 50 ms, and checks are after 150 ms, 0.6 s, 6 s … */
const LIFE_MS = 9_000;
let gateway: TestGateway;
let receiver: Awaited<ReturnType<typeof receiveCallbacks>>;

beforeAll(async () => {
  receiver = await receiveCallbacks();
  gateway = await startGateway({ name: 'transfers', settings: { TIME_SCALE: '100' } });
});
afterAll(async () => {
  await gateway?.close();
  await receiver?.close();
});

const transferBody = (total: number, more: Record<string, unknown> = {}) =>
  paymentBody({
    flow: 'pos',
    amount: { total, currency: 'USD' },
    paymentMethod: { source: 'bank-transfer', id: 'instant-transfer' },
    callbackUrl: receiver.url,
    ...more,
  });
const pay = (total: number, more?: Record<string, unknown>) =>
  gateway.call('POST', '/v1/payments', transferBody(total, more));
const read = async (id: string) => (await gateway.call('GET', `/v1/payments/${id}`)).body;
const cancel = (id: string) =>
  gateway.call('POST', `/v1/payments/${id}/cancellations`, { referenceId: `cancel-${id}`, reason: 'customer-request' });
const choose = (url: string, choice: 'pay' | 'reject') =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ choice }) });
const codes = (value: string, more: { auth?: string | null; paymentMethod?: string } = {}) => {
  const { auth, paymentMethod = 'instant-transfer' } = more;
  const query = new URLSearchParams({ paymentMethod, value });
  return gateway.call('GET', `/v1/codes?${query}`, undefined, auth === undefined ? {} : { auth });
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const summariesOf = (
  bodies: readonly { status: string; transactions: readonly { status: string; reason?: string }[] }[],
) => bodies.map(({ status, transactions }) => [status, ...transactions.map((tx) => tx.reason ?? tx.status)].join(' '));
/** All callbacks that are expected for a payment. The last test compares them, when any further callback would have arrived. */
const announced = new Map<string, string[]>();

test('the answer is pending, with a QR code that an independent reader can read', async () => {
  const body = transferBody(12.5, { invoiceNumber: 'INV-Ñ-1' });
  const { status, body: payment } = await gateway.call('POST', '/v1/payments', body);
  expect(status).toBe(200);
  expect(payment).toMatchObject({
    status: 'pending',
    flow: 'pos',
    paymentMethod: { id: 'instant-transfer', type: 'bank-transfer', source: 'bank-transfer' },
    transactions: [{ type: 'purchase', status: 'pending' }],
    code: { type: 'qrcode', url: expect.stringContaining(`${gateway.simulatorUrl}/bank/`) },
  });
  expect(Date.parse(payment.expiresAt) - Date.parse(payment.createdAt)).toBe(LIFE_MS);
  const fields = readPayload(payment.code.value);
  expect(Object.fromEntries(fields)).toMatchObject({
    '00': '01',
    '01': '12',
    53: '840',
    54: '12.50',
    58: 'UY',
    59: 'Sandbox Books',
  });
  const reference = payment.code.url.split('/').at(-1);
  expect(readFields(fields.get('26') ?? '').get('05')).toBe(reference);
  expect(Object.fromEntries(readFields(fields.get('62') ?? ''))).toEqual({ '01': 'INV-N-1', '05': reference });
  const picture = Buffer.from(payment.code.base64Image, 'base64');
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
  expect((await read(payment.id)).code).toEqual(payment.code);
});

const METHOD = { source: 'bank-transfer', id: 'instant-transfer' };
const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' };
test.each<[string, Record<string, unknown>, string, string]>([
  ['another currency', { amount: { total: 5, currency: 'UYU' } }, 'currency-not-found', 'amount.currency'],
  [
    'an amount that no code has room for',
    { amount: { total: '99999999999.00', currency: 'USD' } },
    'payment-invalid-amount',
    'amount.total',
  ],
  ['a merchant without it', { merchantId: 1002 }, 'request-validation-errors', 'paymentMethod.id'],
  ['a card brand', { paymentMethod: { ...METHOD, id: 'visa' } }, 'request-validation-errors', 'paymentMethod.id'],
  ['no method', { paymentMethod: { source: 'bank-transfer' } }, 'request-validation-errors', 'paymentMethod.id'],
  [
    'an unknown method',
    { paymentMethod: { ...METHOD, id: '__proto__' } },
    'request-validation-errors',
    'paymentMethod.id',
  ],
  ['a card beside it', { paymentMethod: { ...METHOD, card } }, 'request-validation-errors', 'paymentMethod.card'],
  ['no flow', { flow: null }, 'request-validation-errors', 'flow'],
  ['the flow of cards', { flow: 'direct' }, 'request-validation-errors', 'flow'],
  ['pos with a card', { paymentMethod: { source: 'card', card } }, 'request-validation-errors', 'flow'],
  ['a hold', { capture: { method: 'manual' } }, 'request-validation-errors', 'capture'],
  ['a delay', { capture: { delay: 1 } }, 'request-validation-errors', 'capture'],
  ['a partial approval', { allowPartialApproval: true }, 'request-validation-errors', 'allowPartialApproval'],
  ['installments', { installments: 3 }, 'request-validation-errors', 'installments'],
  ['a recurring payment', { recurring: { type: 'initial' } }, 'request-validation-errors', 'recurring'],
  ['no invoice', { invoiceNumber: null }, 'request-validation-errors', 'invoiceNumber'],
])('400: %s', async (_what, more, code, field) => {
  const { status, body } = await pay(5, more);
  expect([status, body.code, Object.keys(body.params ?? {})]).toEqual([400, code, [field]]);
});

test('a request that asks for nothing special in the words of cards is taken', async () => {
  const words = { capture: { method: 'automatic', delay: 0 }, installments: 1, allowPartialApproval: false };
  expect(await pay(5, words)).toMatchObject({
    status: 200,
    body: { status: 'pending', capture: { method: 'automatic' }, installments: 1, allowPartialApproval: false },
  });
});

test('a verification by bank transfer is refused because of its source', async () => {
  const { callbackUrl: _url, flow: _flow, ...body } = transferBody(1) as Record<string, unknown>;
  const { status, body: refused } = await gateway.call('POST', '/v1/payments/verify', {
    ...body,
    amount: { currency: 'USD' },
  });
  expect([status, Object.keys(refused.params)]).toEqual([400, ['paymentMethod.source']]);
});

test('a reference cannot be used again, even after its payment was declined', async () => {
  const body = transferBody(9100.01);
  const refused = await gateway.call('POST', '/v1/payments', body);
  expect(refused).toMatchObject({
    status: 422,
    body: { code: 'declined-by-acquirer', declineCode: 'transfer_not_allowed' },
  });
  const again = await gateway.call('POST', '/v1/payments', body);
  expect(again).toMatchObject({ status: 409, body: { code: 'duplicated-reference-id' } });
  expect(again.body.params).toMatchObject({ existingStatus: ['denied'], sameRequest: ['true'] });
  expect(await read(refused.body.params.paymentId[0])).toMatchObject({
    status: 'denied',
    transactions: [{ status: 'denied' }],
  });
});

test('9100.00, paid: the payment is approved and announced once, and its code is removed', async () => {
  const { body } = await pay(9100);
  expect(summariesOf(await receiver.wait(body.id, 1))).toEqual(['approved approved']);
  const payment = await read(body.id);
  expect(payment).toMatchObject({ status: 'approved', amount: { captured: 9100 } });
  expect(payment.code).toBeUndefined();
  expect(receiver.of(body.id)[0]?.code).toBeUndefined();
  expect(await codes(body.code.value)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  announced.set(body.id, ['approved approved']);
});

test('a payment made at the page of the bank can be refunded in two parts', async () => {
  const { body } = await pay(20);
  expect(await (await fetch(body.code.url)).text()).toContain('USD 20.00');
  await choose(body.code.url, 'pay');
  await gateway.until(body.id, 'approved');
  for (const [amount, status] of [
    ['5', 'partially-refunded'],
    ['15', 'refunded'],
  ] as const) {
    const refund = await gateway.call('POST', `/v1/payments/${body.id}/refunds`, {
      referenceId: `r${amount}-${body.id}`,
      amount,
    });
    expect(refund).toMatchObject({ status: 200, body: { status } });
  }
});

test('a payment rejected at the page of the bank is denied and cannot be cancelled', async () => {
  const { body } = await pay(21);
  await choose(body.code.url, 'reject');
  expect(summariesOf(await receiver.wait(body.id, 1))).toEqual(['denied denied']);
  expect((await cancel(body.id)).status).toBe(409);
});

/** Returns the last callback after a surplus was recorded. The number of callbacks until then depends on when the bank is asked. */
async function surplusOf(id: string) {
  await until(() => receiver.of(id).at(-1)?.transactions.length === 2);
  // One more would have arrived by now.
  await pause(1_000);
  expect(new Set(receiver.events(id)).size).toBe(receiver.of(id).length);
  return summariesOf(receiver.of(id)).at(-1);
}

describe('after the code has expired', () => {
  let neverPaid: Answer;
  let itsCode: Answer;
  let paidLate: Answer;
  let paidAgain: Answer;
  // The three payments wait for the expiry of their codes at the same time.
  beforeAll(async () => {
    [neverPaid, paidLate, paidAgain] = await Promise.all([pay(9100.02), pay(9100.03), pay(27)]);
    itsCode = await codes(neverPaid.body.code.value);
  });

  test('a second payment at the page of the bank is announced once, and the sale does not change', async () => {
    const { body } = paidAgain;
    await choose(body.code.url, 'pay');
    expect(summariesOf(await receiver.wait(body.id, 1))).toEqual(['approved approved']);
    await choose(body.code.url, 'pay');
    // The bank is asked again soon after the sale, and after the code has expired.
    const callbacks = await receiver.wait(body.id, 2);
    expect(summariesOf(callbacks)).toEqual(['approved approved', 'approved approved paid-twice']);
  });

  test('9100.02, never paid: the payment expires with its code, and the code is removed', async () => {
    const { body } = neverPaid;
    expect(itsCode).toMatchObject({
      status: 200,
      body: { type: 'qrcode', value: body.code.value, base64Image: body.code.base64Image, expiresAt: body.expiresAt },
    });
    expect(summariesOf(await receiver.wait(body.id, 1))).toEqual(['expired expired']);
    expect(await read(body.id)).toMatchObject({ status: 'expired', amount: { captured: 0 } });
    expect((await codes(body.code.value)).status).toBe(409);
    expect((await cancel(body.id)).status).toBe(409);
  });

  test('9100.03, paid late: the payment stays expired, and the money is recorded, flagged and announced', async () => {
    const { body } = paidLate;
    expect(await surplusOf(body.id)).toBe('expired expired paid-after-expiry');
    expect(await gateway.payments.findById(body.id)).toMatchObject({
      status: 'expired',
      capturedMinor: 0,
      alerts: [{ text: expect.stringContaining('paid after expiry') }],
      transactions: [{}, { flagged: expect.stringContaining('to be refunded') }],
    });
  });
});

test('9100.04, paid twice: the sale is approved once, and the second payment is recorded and announced', async () => {
  const { body } = await pay(9100.04);
  expect(await surplusOf(body.id)).toBe('approved approved paid-twice');
  expect(await gateway.payments.findById(body.id)).toMatchObject({ status: 'approved', capturedMinor: 910_004 });
});

test('a cancellation of a pending payment closes its code at the bank', async () => {
  const { body } = await pay(22);
  const answer = await cancel(body.id);
  expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled', amount: { captured: 0, refunded: 0 } } });
  expect(answer.body.transactions.map(({ type, status }: never) => `${type} ${status}`)).toEqual([
    'purchase failed',
    'cancellation approved',
  ]);
  expect(await (await choose(body.code.url, 'pay')).text()).toContain('Cancelled by the shop');
  expect((await codes(body.code.value)).status).toBe(409);
  // No callback is expected: the answers to the caller showed both states.
  announced.set(body.id, []);
});

/** Makes a session in which the payer has chosen the bank transfer. */
async function atCheckout(total: number) {
  const { body: made } = await gateway.call('POST', '/v1/sessions', {
    ...{ merchantId: 1001, type: 'checkout', referenceId: `ses-${Date.now()}` },
    paymentRequest: {
      ...{ referenceId: `order-${Date.now()}`, invoiceNumber: 'A-1', amount: { total, currency: 'USD' } },
    },
    settings: { callbacks: { paymentCallbackUrl: receiver.url } },
  });
  const { hostedSessions } = gateway.flows;
  const session = await gateway.database.collection<Session>('sessions').findOne({ _id: made.id });
  if (!session) throw new Error('the session is not stored');
  const token = createSessionTokens(gateway.config.digestKey).tokenOf(session);
  const hosted = async () => {
    const found = await hostedSessions.find(session._id, token);
    if (!found) throw new Error('the session does not open');
    return found;
  };
  const payer = { traceId: 'trace', log: createLog('test', 'silent') };
  const payment = await hostedSessions.payByTransfer(await hosted(), { attempt: 1, browserDetails: {} }, payer);
  return { hosted, payer, payment, hostedSessions };
}

test('a payer’s cancellation is refused when the money arrives at the same moment: the sale stays', async () => {
  const { hosted, payer, payment } = await atCheckout(77);
  const pending = await gateway.payments.findById(payment._id);
  await choose(payment.code?.url ?? '', 'pay');
  await gateway.until(payment._id, 'approved');
  // The cancellation reads the payment as it was just before the money arrived.
  const reads = [pending];
  const findById = async (id: string) => reads.pop() ?? gateway.deps.payments.findById(id);
  const deps = { ...gateway.deps, payments: { ...gateway.deps.payments, findById } };
  const { session } = await hosted();
  await expect(cancelSessionTransfer(deps, session, payer)).rejects.toMatchObject({ code: 'conflict' });
  const { status, transactions } = await read(payment._id);
  expect([status, transactions.length]).toEqual(['approved', 1]);
});

test('a payer’s cancellation is announced to the merchant without a delay', async () => {
  const { hosted, payer, payment, hostedSessions } = await atCheckout(78);
  await hostedSessions.cancelTransfer(await hosted(), payer);
  const stored = await gateway.payments.findById(payment._id);
  expect(stored?.events.map(({ status, at, notBefore }) => [status, notBefore.getTime() - at.getTime()])).toEqual([
    ['pending', 0],
    ['cancelled', 0],
  ]);
  expect((await receiver.wait(payment._id, 2)).map(({ status }) => status)).toEqual(['pending', 'cancelled']);
});

test('a session whose code is open when its time ends is pending until the transfer decides', async () => {
  const { hosted, payment } = await atCheckout(79);
  const { session } = await hosted();
  const listed = async () => {
    const { body } = await gateway.call('GET', `/v1/sessions?referenceId=${session.referenceId}`);
    return body.data.map(({ status }: { status: string }) => status);
  };
  await gateway.database
    .collection<Session>('sessions')
    .updateOne({ _id: session._id }, { $set: { expiresAt: new Date(Date.now() - 1_000) } });
  expect(await listed()).toEqual(['pending']);
  await choose(payment.code?.url ?? '', 'pay');
  await gateway.until(payment._id, 'approved');
  expect(await listed()).toEqual(['completed']);
});

test('a payer can cancel again when the bank did not take the first cancellation', async () => {
  const { hosted, payer, payment: made, hostedSessions } = await atCheckout(9100.02);
  const { _id } = made;
  // The state after a cancellation for which the bank was not reached.
  const [sale] = (await gateway.payments.findById(_id))?.transactions ?? [];
  if (!sale) throw new Error('there is no sale');
  const failed = { ...sale, id: 'txn_failed', kind: 'cancellation', status: 'failed', referenceId: `cancel-${_id}` };
  await gateway.database
    .collection<Payment>('payments')
    .updateOne({ _id }, { $set: { transactions: [sale, failed as never] }, $inc: { version: 1 } });
  await hostedSessions.cancelTransfer(await hosted(), payer);
  const payment = await gateway.payments.findById(_id);
  expect(payment?.transactions.map(({ kind, referenceId }) => [kind, referenceId])).toEqual([
    ['purchase', sale.referenceId],
    ['cancellation', `cancel-${_id}`],
    ['cancellation', `cancel-${_id}-1`],
  ]);
});

test('a cancellation after the approval returns the money', async () => {
  const { body } = await pay(23);
  await choose(body.code.url, 'pay');
  await gateway.until(body.id, 'approved');
  const answer = await cancel(body.id);
  expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled', amount: { captured: 23, refunded: 23 } } });
  const ledger = await gateway.ledger();
  const key = body.transactions[0].id;
  expect(ledger.filter((line) => line.original === key).map(({ kind }) => kind)).toEqual(['transfer', 'cancellation']);
  announced.set(body.id, ['approved approved']);
});

test('a cancellation after a second payment returns both, and an alert says not to return the second again', async () => {
  const { body } = await pay(20);
  await choose(body.code.url, 'pay');
  await gateway.until(body.id, 'approved');
  await choose(body.code.url, 'pay');
  expect(summariesOf(await receiver.wait(body.id, 2))).toEqual(['approved approved', 'approved approved paid-twice']);
  const answer = await cancel(body.id);
  expect(answer.status).toBe(200);
  const returned = { resultMessage: 'Paid; returned by the bank' };
  const sent = ['approved approved', 'approved approved paid-twice'];
  // The bank is asked again 150 ms after the cancellation. An answer that takes longer shows the result, and no callback repeats it.
  if (answer.body.transactions[1].resultMessage === returned.resultMessage) {
    announced.set(body.id, sent);
  } else {
    const callbacks = await receiver.wait(body.id, 3);
    announced.set(body.id, [...sent, 'cancelled approved paid-twice customer-request']);
    expect(summariesOf(callbacks)).toEqual(announced.get(body.id));
    expect(callbacks.at(-1)?.transactions[1]).toMatchObject(returned);
  }
  expect((await read(body.id)).transactions[1]).toMatchObject(returned);
  const stored = await gateway.payments.findById(body.id);
  expect(stored?.alerts?.at(-1)?.text).toMatch(/was returned by the bank: it must not be sent back again$/);
});

test('a cancellation after the approval returns the money of each part of a split', async () => {
  const { body: link } = await gateway.call('POST', '/v1/payment-links', {
    ...{ merchantId: 1001, type: 'regular', amount: { total: 23, currency: 'USD' }, settings: { amountMode: 'fixed' } },
    splitDestinations: [{ destinationMerchantId: 1002, amountRule: { type: 'percentage', value: 33.333 } }],
  });
  const { hostedLinks, hostedSessions } = gateway.flows;
  const opened = await hostedLinks.find(link.externalId);
  if (!opened) throw new Error('there is no such link');
  const payer = { traceId: 'trace', log: createLog('test', 'silent') };
  const { session, token } = await hostedLinks.enter(opened, undefined, payer.traceId);
  const hosted = await hostedSessions.find(session._id, token);
  if (!hosted) throw new Error('the session does not open');
  const { _id } = await hostedSessions.payByTransfer(hosted, { attempt: 1, browserDetails: {} }, payer);
  await choose((await read(_id)).code.url, 'pay');
  await gateway.until(_id, 'approved');
  const { status, body } = await cancel(_id);
  expect([status, body.status, body.amount.refunded]).toEqual([200, 'cancelled', 23]);
  expect(body.split).toEqual([
    { merchantId: 1002, amount: 7.66, refunded: 7.66 },
    { merchantId: 1001, amount: 15.34, refunded: 15.34 },
  ]);
});

test('payments that are cancelled and paid at the same moment end as cancelled or approved', async () => {
  const tries = await Promise.all(Array.from({ length: 10 }, async (_, index) => (await pay(30 + index)).body));
  const answers = await Promise.all(
    tries.map(async ({ id, code }) => (await Promise.all([cancel(id), choose(code.url, 'pay')]))[0]),
  );
  for (const [index, { status, body }] of answers.entries()) {
    const { id } = tries[index];
    if (status === 200) expect([body.status, (await read(id)).status]).toEqual(['cancelled', 'cancelled']);
    else {
      expect([status, body.code]).toEqual([409, 'conflict']);
      await gateway.until(id, 'approved');
    }
  }
});

test('a code is found only by its own client, and only if it exists', async () => {
  const { body } = await pay(24);
  const { sandbox } = gateway;
  const { value } = body.code;
  const other = `${sandbox.other.clientId}:${sandbox.other.apiKey}`;
  for (const refused of [
    await codes(value, { auth: other }),
    await codes(value, { paymentMethod: 'visa' }),
    await codes(`${value.slice(0, -4)}0000`),
    await codes('x'),
  ]) {
    expect([refused.status, refused.body.code]).toEqual([404, 'code-not-found']);
  }
  expect((await codes(value, { auth: null })).status).toBe(401);
  expect((await gateway.call('GET', '/v1/codes?paymentMethod=visa')).status).toBe(400);
  expect((await codes(value, { auth: `${sandbox.secondary.clientId}:${sandbox.secondary.apiKey}` })).status).toBe(200);
});

test('the same request with the same idempotency key gets the same code', async () => {
  const body = transferBody(25);
  const headers = { 'idempotency-key': `transfer-${body.referenceId}` };
  const [first, second] = [
    await gateway.call('POST', '/v1/payments', body, { headers }),
    await gateway.call('POST', '/v1/payments', body, { headers }),
  ];
  expect(second.body).toEqual(first.body);
});

test('the database refuses a write that does not match the schema of a payment', async () => {
  const { body } = await pay(26);
  const drift = gateway.payments.collection.updateOne({ _id: body.id }, { $set: { code: { value: 1 } } } as never);
  await expect(drift).rejects.toMatchObject({ code: 121 });
});

test('each expected callback was sent once, and no other', async () => {
  expect(announced.size).toBe(4);
  await pause(1_500);
  for (const [id, expected] of announced) {
    expect(summariesOf(receiver.of(id))).toEqual(expected);
    expect(new Set(receiver.events(id)).size).toBe(expected.length);
  }
});
