/** Payments through `stripe` from end to end: API, workers, a server that answers as Stripe's reference says, and its webhooks. */
import { Stripe } from 'stripe';
import { en } from '../../api/pages/texts/en.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { PROCESSOR_UPDATES } from '../../shared/store/processor-update.model.js';
import { type FakeStripe, type Intent, startFakeStripe } from '../processors/stripe/fake-stripe.js';
import { receiveCallbacks } from '../support/callback-receiver.js';
import { enableWallets } from '../support/enable-wallets.js';
import { type CallOptions, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { gatewaySettings, methodsOf } from '../support/merchant-settings.js';
import { waitFor } from '../support/patience.js';
import { toReachableUrl } from '../support/payer.js';
import { checkoutBody, makeSession } from './session-support.js';

const KEY = 'sk_test_pipeline';
const SECRET = 'whsec_pipeline';
let gateway: TestGateway;
let stripe: FakeStripe;
beforeAll(async () => {
  stripe = await startFakeStripe([KEY]);
  gateway = await startGateway({
    name: 'stripe',
    settings: {
      STRIPE_SECRET_KEY: KEY,
      STRIPE_API_URL: stripe.url,
      STRIPE_WEBHOOK_SECRET: SECRET,
    },
  });
  const settings = gatewaySettings({ paymentProcessor: { id: 'stripe', acquirer: 'stripe' } });
  const changed = await gateway.call('PUT', `${methodsOf(1001)}/visa`, { settings });
  expect(changed.status).toBe(200);
});
afterEach(() => stripe.interfere(undefined));
afterAll(async () => {
  await gateway?.close();
  await stripe?.close();
});

const pay = (more: Record<string, unknown> = {}, card: Record<string, unknown> = {}, options: CallOptions = {}) =>
  gateway.call('POST', '/v1/payments', paymentBody(more, card), options);
const read = async (id: string) => (await gateway.call('GET', `/v1/payments/${id}`)).body;

let events = 0;
async function webhook(type: string, object: object): Promise<number> {
  events += 1;
  const created = Math.floor(Date.now() / 1000);
  const payload = JSON.stringify({ id: `evt_${events}`, object: 'event', created, type, data: { object } });
  const response = await fetch(`${gateway.baseUrl}/v1/processors/stripe/updates`, {
    method: 'POST',
    headers: { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET }) },
    body: payload,
  });
  return response.status;
}

const intentOf = (key: string) => [...stripe.intents.values()].find(({ metadata }) => metadata['gateway_key'] === key);

test('an authorization, a partial capture and a refund are each made once at Stripe under their key', async () => {
  const { status, body } = await pay({ capture: { method: 'manual' } });
  expect([status, body.status]).toEqual([200, 'authorized']);
  expect(body.transactions[0]).toMatchObject({
    networkTransactionId: '104102978678771',
    ticket: expect.stringMatching(/^ch_/),
  });
  const captured = await gateway.call('POST', `/v1/payments/${body.id}/captures`, {
    referenceId: `c-${body.id}`,
    amount: 4,
  });
  expect(captured.body).toMatchObject({ status: 'approved', amount: { captured: 4 } });
  const refunded = await gateway.call('POST', `/v1/payments/${body.id}/refunds`, { referenceId: `r-${body.id}` });
  expect(refunded.body).toMatchObject({ status: 'refunded', amount: { refunded: 4 } });
  const [authorization, capture, refund] = refunded.body.transactions.map(({ id }: { id: string }) => id);
  expect(stripe.books.filter(({ key }) => [authorization, capture, refund].includes(key))).toMatchObject([
    { kind: 'authorization', amountMinor: 1_050, key: authorization },
    { kind: 'capture', amountMinor: 400, original: authorization },
    { kind: 'refund', amountMinor: 400, original: authorization },
  ]);
});

test('POST /v1/payments 422: a decline says why and what to do', async () => {
  const { status, body } = await pay({}, { number: '4000000000009995' });
  expect([status, body.declineCode, body.params.advice]).toEqual([422, 'insufficient_funds', ['retry-later']]);
});

test('a cryptogram of a wallet is refused before anything is stored: API and page ask for another way', async () => {
  await enableWallets(gateway.call);
  const minted = await gateway.call('POST', '/v1/testing/wallet-tokens', { merchantId: 1001, type: 'wallet-a-pay' });
  const walletAPayToken = { token: minted.body.token };
  // A failed try of a session leaves its reserved reference in this collection: a document without transactions.
  const stored = () => gateway.database.collection('payments').countDocuments({ transactions: { $exists: true } });
  const before = await stored();
  const refused = await pay({ paymentMethod: { source: 'wallet-a-pay-token', walletAPayToken } });
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([
    400,
    'invalid-card-payment-method',
    'The payment method Visa cannot be charged so: its processor takes no cryptograms of wallets.',
  ]);
  const saved = await gateway.call('POST', '/v1/tokenizations', {
    merchantId: 1001,
    type: 'temporal',
    paymentMethod: { source: 'wallet-a-pay-token', walletAPayToken },
  });
  const paymentInstrument = { token: saved.body.token };
  expect(await pay({ paymentMethod: { source: 'token', paymentInstrument } })).toMatchObject({
    status: 400,
    body: { message: refused.body.message },
  });
  const made = await makeSession(gateway, checkoutBody());
  const entered = await fetch(toReachableUrl(gateway, made.actions[0].href), { redirect: 'manual' });
  const cookie = entered.headers.getSetCookie().map((text) => text.split(';')[0]);
  const headers = { cookie: cookie.join('; ') };
  const url = `${gateway.baseUrl}/checkout/${made.id}`;
  const [, form = ''] = /name="form" value="([^"]+)"/.exec(await (await fetch(url, { headers })).text()) ?? [];
  const body = new URLSearchParams({ form, attempt: '1', action: 'wallet-a' });
  const answered = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
  const page = await answered.text();
  expect([answered.status, page.includes(en.walletNotForAmount), page.includes(en.nothingCharged)]).toEqual([
    400,
    true,
    true,
  ]);
  expect(await stored()).toBe(before);
});

test('an installment plan that the adapter never takes is reported as not sent, not as an offline bank', async () => {
  const refused = await pay({ installmentPlan: 'AB', installments: 2 });
  expect(refused).toMatchObject({
    status: 422,
    body: {
      code: 'acquirer-offline',
      message: expect.stringMatching(/^Not sent: stripe takes no code of an installment plan\. /),
    },
  });
});

test('an amount that Stripe never takes is reported as refused, without the advice to retry later', async () => {
  const error = { type: 'invalid_request_error', code: 'amount_too_small' };
  stripe.interfere(({ path }) => (path === '/v1/payment_intents' ? { status: 400, json: { error } } : undefined));
  expect(await pay()).toMatchObject({
    status: 422,
    body: {
      code: 'acquirer-offline',
      message: 'Not done: refused by stripe (amount_too_small). No money moved; the same request would fail again.',
    },
  });
});

test('a webhook after a lost answer makes the gateway inquire, and the payment is approved', async () => {
  const lost = await payWithLostAnswer();
  expect(lost.status).toBe('pending');
  const intent = intentOf(lost.transactions[0].id);
  stripe.interfere(undefined);
  expect(await webhook('payment_intent.succeeded', intent?.json(false) ?? {})).toBe(200);
  await gateway.until(lost.id, 'approved');
  expect(stripe.books.filter(({ key }) => key === lost.transactions[0].id)).toHaveLength(1);
});

test('a webhook about a payment that was given up, and that Stripe has charged since, makes the gateway return it', async () => {
  const { body } = await pay();
  const [purchase] = body.transactions;
  const payments = gateway.database.collection<Payment>('payments');
  const givenUp = {
    status: 'failed',
    capturedMinor: 0,
    authorizedMinor: 0,
    'transactions.0.status': 'failed',
  } as const;
  const unnamed = { 'transactions.0.processorReference': '' } as const;
  await payments.updateOne({ _id: body.id }, { $set: givenUp, $unset: unnamed, $inc: { version: 1 } } as never);
  const intent = intentOf(purchase.id) as Intent;
  expect(await webhook('payment_intent.succeeded', intent.json(false))).toBe(200);
  const reversal = await waitFor(
    async () => (await read(body.id)).transactions.find(({ type }: { type: string }) => type === 'reversal'),
    (found) => found?.status === 'approved',
  );
  expect([reversal.amount, intent.refunded]).toEqual([10.5, 1_050]);
  expect((await read(body.id)).status).toBe('failed');
  // The refund has an event of its own, and Stripe repeats events.
  expect(await webhook('payment_intent.succeeded', intent.json(false))).toBe(200);
  await waitFor(
    () => gateway.database.collection(PROCESSOR_UPDATES).countDocuments({ status: 'waiting' }),
    (count) => count === 0,
  );
  const stored = await gateway.payments.findById(body.id);
  expect([stored?.transactions.length, stored?.alerts?.length]).toEqual([2, 1]);
});

describe('a hold that ends in the dashboard', () => {
  const hold = async (more: object = {}) => {
    const { body } = await pay({ capture: { method: 'manual' }, ...more });
    expect(body.status).toBe('authorized');
    return { id: body.id as string, intent: intentOf(body.transactions[0].id) as Intent };
  };
  const operate = async (id: string, what: string, body: object = {}) =>
    gateway.call('POST', `/v1/payments/${id}/${what}`, { referenceId: `${what}-${id}`, ...body });
  const alertsOf = async (id: string) => (await gateway.payments.findById(id))?.alerts?.map(({ text }) => text);
  const captureThere = (intent: Intent, received: number) => Object.assign(intent, { status: 'succeeded', received });

  test('cancelled there: the payment is cancelled and announced, with an alert', async () => {
    const receiver = await receiveCallbacks();
    const { id, intent } = await hold({ callbackUrl: receiver.url });
    intent.status = 'canceled';
    await webhook('payment_intent.canceled', intent.json(false));
    await webhook('payment_intent.canceled', intent.json(false));
    const shown = await gateway.until(id, 'cancelled');
    expect(shown.transactions).toMatchObject([{}, { type: 'cancellation', status: 'approved' }]);
    expect((await receiver.since(id, 'cancelled')).map(({ status }) => status)).toEqual(['cancelled']);
    expect(await alertsOf(id)).toEqual([
      expect.stringMatching(
        /^authorization txn_\w+ was cancelled at the processor, not by this gateway; the payment is cancelled now$/,
      ),
    ]);
    await receiver.close();
  });

  test('expired there: the payment expires and is announced, without an alert', async () => {
    const receiver = await receiveCallbacks();
    const { id, intent } = await hold({ callbackUrl: receiver.url });
    Object.assign(intent, { status: 'canceled', cancellationReason: 'expired' });
    await webhook('payment_intent.canceled', intent.json(false));
    await webhook('payment_intent.canceled', intent.json(false));
    const shown = await gateway.until(id, 'expired');
    expect(shown.transactions).toMatchObject([{}, { type: 'cancellation', status: 'approved' }]);
    expect((await receiver.since(id, 'expired')).map(({ status }) => status)).toEqual(['expired']);
    expect(await alertsOf(id)).toBeUndefined();
    await receiver.close();
  });

  test('expired there, and found by a capture: the capture is refused, and the payment expires', async () => {
    const { id, intent } = await hold();
    Object.assign(intent, { status: 'canceled', cancellationReason: 'automatic' });
    expect((await operate(id, 'captures')).status).toBe(422);
    expect(await read(id)).toMatchObject({ status: 'expired', transactions: [{}, { status: 'denied' }, {}] });
    expect(await alertsOf(id)).toBeUndefined();
  });

  test('captured there in part: the payment is approved with the captured amount, and can be refunded', async () => {
    const receiver = await receiveCallbacks();
    const { id, intent } = await hold({ callbackUrl: receiver.url });
    captureThere(intent, 400);
    await webhook('payment_intent.succeeded', intent.json(false));
    const shown = await gateway.until(id, 'approved');
    expect(shown).toMatchObject({ amount: { captured: 4 }, transactions: [{}, { type: 'capture', amount: 4 }] });
    expect((await receiver.since(id, 'approved')).map(({ status }) => status)).toEqual(['approved']);
    expect(await alertsOf(id)).toEqual([expect.stringMatching(/was captured at the processor, .* is approved now$/)]);
    expect((await operate(id, 'refunds')).body).toMatchObject({ status: 'refunded', amount: { refunded: 4 } });
    await receiver.close();
  });

  test('without a webhook the refusal of the next operation updates the payment', async () => {
    const cancelled = await hold();
    cancelled.intent.status = 'canceled';
    expect((await operate(cancelled.id, 'captures')).status).toBe(422);
    expect(await read(cancelled.id)).toMatchObject({
      status: 'cancelled',
      transactions: [{}, { type: 'capture', status: 'denied' }, { type: 'cancellation', status: 'approved' }],
    });
    const captured = await hold();
    captureThere(captured.intent, 400);
    expect((await operate(captured.id, 'cancellations')).status).toBe(422);
    expect(await read(captured.id)).toMatchObject({ status: 'approved', amount: { captured: 4 } });
    expect(await alertsOf(captured.id)).toEqual([expect.stringMatching(/was captured at the processor/)]);
  });

  test.each([
    ['all of it: it is approved, not expired', 1_050, 'approved', [/^authorization \S+ was captured at the processor/]],
    [
      'more than was held: it expires, and both are said',
      1_100,
      'expired',
      [/unless it was captured/, /stays expired: /],
    ],
  ])('captured there, and found at the end of the hold: %s', async (_what, received, status, alerts) => {
    const { id, intent } = await hold();
    captureThere(intent, received);
    const ended = new Date();
    const deadline = { kind: 'expire', at: ended } as const;
    const payments = gateway.database.collection<Payment>('payments');
    await payments.updateOne({ _id: id }, { $set: { deadline, expiresAt: ended }, $inc: { version: 1 } });
    await gateway.until(id, status);
    expect(await alertsOf(id)).toEqual(alerts.map((text) => expect.stringMatching(text)));
    expect((await read(id)).transactions).toHaveLength(status === 'approved' ? 3 : 2);
  });

  test('expired there, and found at the end of the hold: the payment expires without an alert', async () => {
    const { id, intent } = await hold();
    Object.assign(intent, { status: 'canceled', cancellationReason: 'expired' });
    const ended = new Date();
    const $set = { deadline: { kind: 'expire', at: ended } as const, expiresAt: ended };
    await gateway.database.collection<Payment>('payments').updateOne({ _id: id }, { $set, $inc: { version: 1 } });
    await gateway.until(id, 'expired');
    expect(await alertsOf(id)).toBeUndefined();
  });

  test('ended by the gateway itself: the webhook changes nothing', async () => {
    const captured = await hold();
    expect((await operate(captured.id, 'captures', { amount: 4 })).body.status).toBe('approved');
    await webhook('payment_intent.succeeded', captured.intent.json(false));
    const cancelled = await hold();
    expect((await operate(cancelled.id, 'cancellations')).body.status).toBe('cancelled');
    await webhook('payment_intent.canceled', cancelled.intent.json(false));
    await waitFor(
      () => gateway.database.collection(PROCESSOR_UPDATES).countDocuments({ status: 'waiting' }),
      (count) => count === 0,
    );
    for (const { id } of [captured, cancelled]) {
      expect([(await read(id)).transactions.length, await alertsOf(id)]).toEqual([2, undefined]);
    }
  });
});

describe('a refund in the dashboard', () => {
  /** Makes a refund as the dashboard does: without a key of the gateway. */
  async function refundThere(intent: Intent, amount: number) {
    const response = await fetch(`${stripe.url}/v1/refunds`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'idempotency-key': `dashboard-${intent.id}-${amount}` },
      body: new URLSearchParams({ payment_intent: intent.id, amount: String(amount) }),
    });
    return (await response.json()) as { id: string };
  }
  const alertsOf = async (id: string) => (await gateway.payments.findById(id))?.alerts?.map(({ text }) => text);

  test('in part is recorded once, with a callback and an alert, and the rest can be refunded', async () => {
    const receiver = await receiveCallbacks();
    const { body } = await pay({ callbackUrl: receiver.url });
    const refund = await refundThere(intentOf(body.transactions[0].id) as Intent, 400);
    await webhook('refund.created', refund);
    await webhook('refund.updated', refund);
    const shown = await gateway.until(body.id, 'partially-refunded');
    expect(shown.amount.refunded).toBe(4);
    expect(shown.transactions).toMatchObject([{}, { type: 'refund', status: 'approved', amount: 4 }]);
    expect((await receiver.since(body.id, 'partially-refunded')).map(({ status }) => status)).toEqual([
      'partially-refunded',
    ]);
    const all = await gateway.call('POST', `/v1/payments/${body.id}/refunds`, { referenceId: `r-${body.id}` });
    expect(all.body).toMatchObject({
      status: 'refunded',
      amount: { refunded: 10.5 },
      transactions: [{}, {}, { amount: 6.5 }],
    });
    expect(await alertsOf(body.id)).toEqual([
      expect.stringMatching(
        /^purchase txn_\w+ was refunded at the processor, .*; the payment is partially-refunded now$/,
      ),
    ]);
    await receiver.close();
  });

  test('of a captured hold frees its amount when it fails later', async () => {
    const { body } = await pay({ capture: { method: 'manual' } });
    await gateway.call('POST', `/v1/payments/${body.id}/captures`, { referenceId: `c-${body.id}` });
    const refund = await refundThere(intentOf(body.transactions[0].id) as Intent, 1_050);
    await webhook('refund.created', refund);
    await gateway.until(body.id, 'refunded');
    await webhook('refund.failed', { ...refund, status: 'failed', failure_reason: 'lost_or_stolen_card' });
    const shown = await gateway.until(body.id, 'approved');
    expect(shown.amount.refunded).toBe(0);
    expect(shown.transactions.at(-1)).toMatchObject({ type: 'refund', status: 'failed' });
  });
});

test('a hold that ended at Stripe is only cancelled, even if Stripe reports its release as a refund', async () => {
  const { body } = await pay({ capture: { method: 'manual' } });
  const intent = intentOf(body.transactions[0].id) as Intent;
  intent.status = 'canceled';
  await webhook('payment_intent.canceled', intent.json(false));
  await gateway.until(body.id, 'cancelled');
  const released = { id: 're_released', object: 'refund', amount: 1_050, currency: 'usd', status: 'succeeded' };
  await webhook('refund.created', { ...released, payment_intent: intent.id, reason: 'expired_uncaptured_charge' });
  await waitFor(
    () => gateway.database.collection(PROCESSOR_UPDATES).countDocuments({ status: 'waiting' }),
    (count) => count === 0,
  );
  expect((await gateway.payments.findById(body.id))?.alerts?.map(({ text }) => text)).toEqual([
    expect.stringMatching(/was cancelled at the processor/),
  ]);
});

test('a capture or refund is retried when the look-up before it fails', async () => {
  const { body } = await pay({ capture: { method: 'manual' } });
  const failing = (times: number, answer: { status: number; json: Record<string, unknown> }) => {
    let left = times;
    stripe.interfere(({ method }) => (method === 'GET' && left-- > 0 ? answer : undefined));
  };
  failing(2, { status: 500, json: {} });
  // On a busy machine the capture may take longer than a caller waits.
  await gateway.call('POST', `/v1/payments/${body.id}/captures`, { referenceId: `c-${body.id}` });
  expect(await gateway.until(body.id, 'approved')).toMatchObject({ amount: { captured: 10.5 } });
  failing(1, { status: 429, json: {} });
  await gateway.call('POST', `/v1/payments/${body.id}/refunds`, { referenceId: `r-${body.id}` });
  await gateway.until(body.id, 'refunded');
});

/** Makes a payment that Stripe charges, while the gateway gets a 500 and cannot inquire. */
async function payWithLostAnswer() {
  stripe.interfere(({ method, path }) =>
    method === 'GET' && path.startsWith('/v1/payment_intents') ? { status: 500, json: {} } : undefined,
  );
  stripe.loseCharges = true;
  const { body } = await pay({}, {}, { responseWaitMs: 3_000 });
  stripe.loseCharges = false;
  return body;
}

test('a dispute and a refund that fails later arrive by webhook, are shown and announced', async () => {
  const receiver = await receiveCallbacks();
  // The callbacks of later changes are sent when the wait for the answer has ended.
  const options = { responseWaitMs: 8_000 };
  const { body } = await pay({ callbackUrl: receiver.url }, {}, options);
  const referenceId = `r-${body.id}`;
  const refunded = await gateway.call('POST', `/v1/payments/${body.id}/refunds`, { referenceId }, options);
  const refund = refunded.body.transactions.at(-1);
  const intent = intentOf(body.transactions[0].id);
  const failed = {
    ...{ object: 'refund', id: refund.ticket, status: 'failed', failure_reason: 'expired_or_canceled_card' },
    ...{ amount: 1_050, currency: 'usd', payment_intent: intent?.id, metadata: { gateway_key: refund.id } },
  };
  expect(await webhook('refund.failed', failed)).toBe(200);
  await gateway.until(body.id, 'approved');
  const dispute = {
    object: 'dispute',
    id: 'du_1',
    amount: 1_050,
    currency: 'usd',
    reason: 'fraudulent',
    payment_intent: intent?.id,
  };
  expect(await webhook('charge.dispute.created', { ...dispute, status: 'needs_response' })).toBe(200);
  const shown = await waitFor(
    () => read(body.id),
    ({ disputes }) => disputes !== undefined,
  );
  expect(shown).toMatchObject({
    status: 'approved',
    amount: { refunded: 0 },
    disputes: [{ id: 'du_1', status: 'open', amount: 10.5, reason: 'fraudulent' }],
  });
  const disputed = () => (receiver.of(body.id) as { disputes?: object[] }[]).filter(({ disputes }) => disputes);
  expect((await waitFor(disputed, ({ length }) => length > 0)).at(-1)?.disputes).toHaveLength(1);
  await receiver.close();
});
