/** Payments with Adyen from end to end: the gateway with all its pools, a mock of Adyen's server, and its notifications. */
import { setProcessorCredentials } from '../../scripts/provisioning/processor-credentials.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { adyenCredentials } from '../../shared/processors/adyen/create-adyen-processor.js';
import type { AdyenNotification } from '../../shared/processors/adyen/notification.js';
import { createProcessorCredentialsRepository } from '../../shared/store/processor-credentials.repository.js';
import { PROCESSOR_UPDATES, type ProcessorUpdateRow } from '../../shared/store/processor-update.model.js';
import { newReference } from '../support/adyen/bank.js';
import { account, notificationBody, startAdyen } from '../support/adyen/server.js';
import { receiveCallbacks } from '../support/callback-receiver.js';
import { enableWallets } from '../support/enable-wallets.js';
import { type CallOptions, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { gatewaySettings, methodsOf } from '../support/merchant-settings.js';
import { waitFor } from '../support/patience.js';

const PATH = '/v1/processors/adyen/updates/1001';

let adyen: Awaited<ReturnType<typeof startAdyen>>;
let gateway: TestGateway;
beforeAll(async () => {
  adyen = await startAdyen();
  const settings = { ADYEN_URL: adyen.url, ADYEN_HMAC_KEYS: account.hmacKey };
  gateway = await startGateway({ name: 'adyen', settings });
  const configured = await gateway.call('PUT', `${methodsOf(1001)}/visa`, {
    settings: gatewaySettings({ paymentProcessor: { id: 'adyen', acquirer: 'adyen' } }),
  });
  expect(configured.status).toBe(200);
  const merchant = await gateway.database.collection('merchants').findOne({ merchantId: 1001 } as never);
  const { vault } = gateway.deps;
  const credentials = createProcessorCredentialsRepository(gateway.database);
  await setProcessorCredentials(
    { vault, credentials },
    {
      clientId: String(merchant?.['clientId'] ?? gateway.sandbox.clientId),
      merchantId: 1001,
      processor: 'adyen',
      names: adyenCredentials,
      values: account,
      environment: 'testing',
      now: new Date(),
    },
  );
});
afterEach(() => void adyen.notifications.splice(0));
afterAll(async () => {
  await gateway?.close();
  await adyen?.close();
});

async function post(body: string, path = PATH) {
  const response = await fetch(gateway.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** Delivers the waiting notifications of Adyen in one request. */
async function notify(change: (item: AdyenNotification) => AdyenNotification = (item) => item) {
  const items = adyen.notifications.splice(0).map(change);
  expect(items.length).toBeGreaterThan(0);
  expect(await post(notificationBody(items))).toEqual({ status: 200, text: '[accepted]' });
  return items;
}

const pay = async (more: object = {}, card: Record<string, unknown> = {}, options: CallOptions = {}) =>
  (await gateway.call('POST', '/v1/payments', paymentBody({ ...more }, card), options)).body;
const hold = (more: object = {}) => pay({ capture: { method: 'manual' }, ...more });
const operate = async (id: string, what: string, body: object = {}) =>
  gateway.call('POST', `/v1/payments/${id}/${what}`, { referenceId: `${what}-${Math.random()}`, ...body });
const read = async (id: string) => (await gateway.call('GET', `/v1/payments/${id}`)).body;
const stored = async (id: string) => (await gateway.payments.findById(id)) as Payment;

const applied = (eventId: string) =>
  waitFor(
    () => gateway.database.collection<ProcessorUpdateRow>(PROCESSOR_UPDATES).findOne({ 'update.eventId': eventId }),
    (row) => row !== null && row.status !== 'waiting',
  );
const eventIdOf = ({ eventCode, pspReference, success, eventDate = '' }: AdyenNotification) =>
  `${eventCode}:${pspReference}:${success}${eventCode === 'CAPTURE_FAILED' ? `:${new Date(eventDate).toISOString()}` : ''}`;

test.each([
  ['wallet-a-pay', 'walletAPayToken', {}, 'googlepay'],
  ['wallet-b-pay', 'walletBPayToken', { amount: { total: 10.5, currency: 'USD' } }, 'applepay'],
] as const)('a token of %s pays, also after it was saved as a temporary card', async (type, name, more, brand) => {
  await enableWallets(gateway.call);
  const source = `${type}-token`;
  const minted = async () =>
    (await gateway.call('POST', '/v1/testing/wallet-tokens', { merchantId: 1001, type, ...more })).body.token;
  const methodOf = async (cardholder: object) => ({ source, [name]: { token: await minted(), cardholder } });
  const payer = { firstName: 'Ana', lastName: 'Paz', email: 'ana@example.com' };
  expect(await pay({ paymentMethod: await methodOf(payer) })).toMatchObject({ status: 'approved' });
  const proof = { eci: '05', directoryResponse: 'Y', authenticationResponse: 'Y', cavv: expect.stringMatching(/=$/) };
  expect(adyen.last('/payments').body).toMatchObject({ paymentMethod: { type: 'scheme', brand }, mpiData: proof });
  const saved = await gateway.call('POST', '/v1/tokenizations', {
    ...{ merchantId: 1001, type: 'temporal', paymentMethod: await methodOf({ name: 'Ana Paz' }) },
  });
  const paymentMethod = { source: 'token', paymentInstrument: { token: saved.body.token } };
  expect(await pay({ paymentMethod })).toMatchObject({ status: 'approved' });
  expect(adyen.last('/payments').body).toMatchObject({ paymentMethod: { type: 'scheme', brand }, mpiData: proof });
  adyen.notifications.splice(0);
});

test('a capture and a refund take effect with the notifications of Adyen', async () => {
  const receiver = await receiveCallbacks();
  const payment = await hold({ callbackUrl: receiver.url });
  expect(payment).toMatchObject({ status: 'authorized', amount: { captured: 0 } });
  expect(adyen.last('/payments').headers['idempotency-key']).toBe(payment.transactions[0].id);

  await notify();
  const capture = await operate(payment.id, 'captures');
  expect(capture.body).toMatchObject({
    status: 'authorized',
    transactions: [{}, { type: 'capture', status: 'pending' }],
  });
  // Adyen has only received the request: nothing counts as captured before its notification.
  expect((await read(payment.id)).amount.captured).toBe(0);
  await notify();
  expect(await gateway.until(payment.id, 'approved')).toMatchObject({ amount: { captured: 10.5 } });

  const refund = await operate(payment.id, 'refunds', { amount: 4 });
  expect(refund.body.transactions.at(-1)).toMatchObject({ type: 'refund', status: 'pending' });
  await notify();
  const refunded = await gateway.until(payment.id, 'partially-refunded');
  expect(refunded.amount).toMatchObject({ captured: 10.5, refunded: 4 });
  await receiver.since(payment.id, 'partially-refunded');
  const announced = receiver.of(payment.id);
  expect(announced.map(({ status }) => status)).toEqual(expect.arrayContaining(['approved', 'partially-refunded']));
  await receiver.close();
});

test('a capture that Adyen refuses by notification is denied, and the hold stays', async () => {
  const payment = await hold();
  adyen.notifications.splice(0);
  await operate(payment.id, 'captures');
  const refuse = (item: AdyenNotification): AdyenNotification => ({ ...item, success: 'false', reason: 'Too late' });
  const [item] = await notify(refuse);
  // The merchant whose secret signed the notification is stored: that secret must not change payments of another merchant.
  expect(await applied(eventIdOf(item as AdyenNotification))).toMatchObject({ status: 'applied', merchantId: 1001 });
  expect(await read(payment.id)).toMatchObject({
    status: 'authorized',
    amount: { captured: 0 },
    transactions: [{}, { type: 'capture', status: 'denied' }],
  });
});

test('a refund that Adyen refuses by notification frees its amount', async () => {
  const payment = await pay();
  expect(payment.status).toBe('approved');
  adyen.notifications.splice(0);
  await operate(payment.id, 'refunds', { amount: 10.5 });
  const [item] = await notify((known) => ({ ...known, success: 'false', reason: 'Insufficient balance' }));
  await applied(eventIdOf(item as AdyenNotification));
  expect(await read(payment.id)).toMatchObject({ status: 'approved', amount: { refunded: 0 } });
});

test('a refund that the scheme rejects later frees its amount', async () => {
  const payment = await pay();
  adyen.notifications.splice(0);
  await operate(payment.id, 'refunds', { amount: 10.5 });
  const [item] = await notify();
  await gateway.until(payment.id, 'refunded');
  expect((await post(notificationBody([{ ...(item as AdyenNotification), eventCode: 'REFUND_FAILED' }]))).status).toBe(
    200,
  );
  await gateway.until(payment.id, 'approved');
});

test('a cancellation takes effect with the notification of Adyen', async () => {
  const payment = await hold();
  adyen.notifications.splice(0);
  const answer = await operate(payment.id, 'cancellations');
  expect(answer.body.status).toBe('authorized');
  await notify();
  await gateway.until(payment.id, 'cancelled');
});

describe('a payment that is approved in part', () => {
  const payInPart = (more: object = {}) =>
    hold({ amount: { currency: 'USD', total: 900 }, allowPartialApproval: true, ...more });

  test('agrees with its notifications, and can be cancelled', async () => {
    const payment = await payInPart();
    expect(payment).toMatchObject({ status: 'authorized', transactions: [{ approvedAmount: 450 }] });
    const [made] = await notify();
    await applied(eventIdOf(made as AdyenNotification));
    await operate(payment.id, 'cancellations');
    // Adyen names the requested amount of the payment, not the approved part.
    const [cancelled] = await notify();
    expect(cancelled?.amount.value).toBe(90_000);
    await gateway.until(payment.id, 'cancelled');
    expect((await stored(payment.id)).alerts).toBeUndefined();
  });

  test.each([
    ['of the part', 45_000],
    ['of the whole', 90_000],
  ])('is settled by a notification %s when its answer is lost', async (_what, value) => {
    adyen.fault(/^\/payments$/, 'answer-lost');
    const payment = await payInPart();
    await notify((item) => ({ ...item, amount: { ...item.amount, value } }));
    expect(await gateway.until(payment.id, 'authorized')).toMatchObject({ transactions: [{ approvedAmount: 450 }] });
    expect((await stored(payment.id)).alerts).toBeUndefined();
  });
});

test('a capture that the scheme rejects later is flagged for a person', async () => {
  const payment = await pay();
  const [made] = adyen.notifications.splice(0) as [AdyenNotification];
  const failed = { ...made, eventCode: 'CAPTURE_FAILED', pspReference: 'QFQTPCQ8HXSKGK82', reason: 'Capture Failed' };
  await post(notificationBody([failed]));
  await applied(eventIdOf(failed));
  expect((await stored(payment.id)).alerts?.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /^purchase txn_\w+ is approved, and the processor now reports it as not captured \(Capture Failed\)/,
    ),
  ]);
});

test('a capture whose failure arrives before its success is denied without an alert', async () => {
  const payment = await hold();
  adyen.notifications.splice(0);
  await operate(payment.id, 'captures');
  const [captured] = adyen.notifications.splice(0) as [AdyenNotification];
  const failed = { ...captured, eventCode: 'CAPTURE_FAILED', reason: 'Capture Failed' };
  for (const item of [failed, captured]) {
    await post(notificationBody([item]));
    await applied(eventIdOf(item));
  }
  expect(await read(payment.id)).toMatchObject({ status: 'authorized', transactions: [{}, { status: 'denied' }] });
  expect((await stored(payment.id)).alerts).toBeUndefined();
});

describe('a failed capture that Adyen repeats automatically', () => {
  type Order = (failed: AdyenNotification, captured: AdyenNotification) => AdyenNotification[];
  async function capturedAgain(order: Order) {
    const payment = await hold();
    adyen.notifications.splice(0);
    await operate(payment.id, 'captures', { amount: 4 });
    const [captured] = adyen.notifications.splice(0) as [AdyenNotification];
    const failed = { ...captured, eventCode: 'CAPTURE_FAILED', reason: 'Capture Failed' };
    for (const item of order(failed, captured)) {
      await post(notificationBody([item]));
      await applied(eventIdOf(item));
    }
    const again = { ...captured, reason: 'Transaction Auto-recaptured' };
    for (const _twice of [1, 2]) await post(notificationBody([again]));
    await applied(`${eventIdOf(again)}:again`);
    const shown = await read(payment.id);
    const alerts = (await stored(payment.id)).alerts?.map(({ text }) => text);
    return { shown, alerts };
  }

  test.each<[string, Order]>([
    ['heard of before its success', (failed, captured) => [failed, captured]],
    ['heard of alone', (failed) => [failed]],
  ])('failure %s: the payment is captured once', async (_when, order) => {
    const { shown, alerts } = await capturedAgain(order);
    expect(shown).toMatchObject({ status: 'approved', amount: { captured: 4 } });
    expect(shown.transactions).toMatchObject([
      {},
      { type: 'capture', status: 'denied' },
      { type: 'capture', status: 'approved', amount: 4 },
    ]);
    expect(alerts).toEqual([expect.stringMatching(/was captured at the processor, .* is approved now$/)]);
  });

  test('failure of the repeated capture: it is flagged on that capture', async () => {
    const payment = await hold();
    adyen.notifications.splice(0);
    await operate(payment.id, 'captures');
    const [captured] = adyen.notifications.splice(0) as [AdyenNotification];
    const failed = { ...captured, eventCode: 'CAPTURE_FAILED', reason: 'Capture Failed' };
    const again = { ...captured, reason: 'Transaction Recaptured' };
    const failedAgain = { ...failed, eventDate: new Date(Date.now() + 86_400_000).toISOString() };
    await post(notificationBody([failed]));
    await applied(eventIdOf(failed));
    await post(notificationBody([again]));
    await applied(`${eventIdOf(again)}:again`);
    await post(notificationBody([failedAgain, failed]));
    await applied(eventIdOf(failedAgain));
    const { alerts = [], transactions } = await stored(payment.id);
    expect(alerts.map(({ text }) => text)).toEqual([
      expect.stringMatching(/was captured at the processor/),
      `capture ${transactions.at(-1)?.id} is approved, and the processor now reports it as declined; nothing was moved by it`,
    ]);
  });

  test('failure heard of after its success: the payment stays captured, and the failure is flagged', async () => {
    const { shown, alerts } = await capturedAgain((failed, captured) => [captured, failed]);
    expect(shown).toMatchObject({ status: 'approved', amount: { captured: 4 } });
    expect(shown.transactions).toMatchObject([{}, { type: 'capture', status: 'approved' }]);
    expect(alerts).toEqual([expect.stringMatching(/now reports it as declined/)]);
  });
});

describe('operations made in the Customer Area, under the reference of the payment', () => {
  const operationNotification = (
    made: AdyenNotification,
    eventCode: string,
    more: Partial<AdyenNotification> = {},
  ) => ({
    ...made,
    eventCode,
    originalReference: made.pspReference,
    pspReference: newReference(),
    ...more,
  });
  const alertsOf = async (id: string) => (await stored(id)).alerts?.map(({ text }) => text.replace(/txn_\w+/, 'it'));
  const takeNotification = () => (adyen.notifications.splice(0) as [AdyenNotification])[0];
  async function send(...items: AdyenNotification[]) {
    for (const item of items) {
      await post(notificationBody([item]));
      await applied(eventIdOf(item));
    }
  }

  test('a partial capture and a refund are recorded on the payment once', async () => {
    const receiver = await receiveCallbacks();
    const payment = await hold({ callbackUrl: receiver.url });
    const made = takeNotification();
    const capture = operationNotification(made, 'CAPTURE', { amount: { currency: 'USD', value: 400 } });
    const refund = operationNotification(made, 'REFUND', { amount: { currency: 'USD', value: 100 } });
    await send(capture, refund);
    await post(notificationBody([refund, { ...capture, eventDate: '2026-01-01' }]));
    expect(await read(payment.id)).toMatchObject({
      status: 'partially-refunded',
      amount: { captured: 4, refunded: 1 },
      transactions: [{}, { type: 'capture', amount: 4 }, { type: 'refund', amount: 1 }],
    });
    expect(await alertsOf(payment.id)).toEqual([
      'authorization it was captured at the processor, not by this gateway; the payment is approved now',
      'authorization it was refunded at the processor, not by this gateway; the payment is partially-refunded now',
    ]);
    await receiver.since(payment.id, 'partially-refunded');
    expect((await receiver.since(payment.id, 'approved')).map(({ status }) => status)).toEqual([
      'approved',
      'partially-refunded',
    ]);
    await send({ ...refund, eventCode: 'REFUND_FAILED' });
    expect(await read(payment.id)).toMatchObject({ status: 'approved', amount: { refunded: 0 } });
    await receiver.close();
  });

  test('the failure of a capture is flagged on the capture, also when it arrives before the capture', async () => {
    const payment = await hold();
    const capture = operationNotification(takeNotification(), 'CAPTURE');
    const failed = { ...capture, eventCode: 'CAPTURE_FAILED', reason: 'Capture Failed' };
    await post(notificationBody([failed]));
    const updates = gateway.database.collection<ProcessorUpdateRow>(PROCESSOR_UPDATES);
    const ofFailed = { 'update.eventId': eventIdOf(failed) };
    await waitFor(
      () => updates.findOne(ofFailed),
      (row) => row?.tries === 1,
    );
    await send(capture);
    await updates.updateOne(ofFailed, { $set: { dueAt: new Date() } });
    await applied(eventIdOf(failed));
    expect(await read(payment.id)).toMatchObject({ status: 'approved', transactions: [{}, { type: 'capture' }] });
    const { transactions, alerts = [] } = await stored(payment.id);
    expect(alerts.map(({ text }) => text)).toEqual([
      expect.stringMatching(/was captured at the processor/),
      `capture ${transactions[1]?.id} is approved, and the processor now reports it as declined; nothing was moved by it`,
    ]);
  });

  test('a refund whose notification arrives before that of the capture is recorded after the capture', async () => {
    const payment = await hold();
    const made = takeNotification();
    const refund = operationNotification(made, 'REFUND', { amount: { currency: 'USD', value: 100 } });
    await post(notificationBody([refund]));
    const updates = gateway.database.collection<ProcessorUpdateRow>(PROCESSOR_UPDATES);
    const ofRefund = { 'update.eventId': eventIdOf(refund) };
    await waitFor(
      () => updates.findOne(ofRefund),
      (row) => row?.tries === 1,
    );
    await send(operationNotification(made, 'CAPTURE'));
    await updates.updateOne(ofRefund, { $set: { dueAt: new Date() } });
    expect(await gateway.until(payment.id, 'partially-refunded')).toMatchObject({
      amount: { captured: 10.5, refunded: 1 },
    });
    expect(await alertsOf(payment.id)).toEqual([
      expect.stringMatching(/was captured .* is approved now$/),
      expect.stringMatching(/was refunded .* is partially-refunded now$/),
    ]);
  });

  test.each([
    ['CANCELLATION', {}],
    ['CANCEL_OR_REFUND', { additionalData: { 'modification.action': 'cancel' } }],
  ])('%s of a hold cancels the payment', async (event, more) => {
    const payment = await hold();
    await send(operationNotification(takeNotification(), event, more));
    expect(await read(payment.id)).toMatchObject({ status: 'cancelled' });
    expect(await alertsOf(payment.id)).toEqual([
      expect.stringMatching(/^authorization it was cancelled at the processor/),
    ]);
  });

  test('a reversal of a partly captured hold refunds the captured part', async () => {
    const payment = await hold();
    const made = takeNotification();
    await send(operationNotification(made, 'CAPTURE', { amount: { currency: 'USD', value: 400 } }));
    await send(
      operationNotification(made, 'CANCEL_OR_REFUND', { additionalData: { 'modification.action': 'refund' } }),
    );
    expect(await read(payment.id)).toMatchObject({ status: 'refunded', amount: { captured: 4, refunded: 4 } });
    expect((await alertsOf(payment.id))?.at(-1)).toMatch(/was refunded at the processor, .* is refunded now$/);
  });

  test.each([
    [
      'more than was held',
      { amount: { currency: 'USD', value: 1_100 } },
      /must not be more than the authorized amount$/,
    ],
    ['another currency', { amount: { currency: 'EUR', value: 1_050 } }, /it has another currency than the payment$/],
  ])('a capture of %s changes no amount, and is flagged', async (_what, more, reason) => {
    const payment = await hold();
    await send(operationNotification(takeNotification(), 'CAPTURE', more));
    expect(await read(payment.id)).toMatchObject({ status: 'authorized', amount: { captured: 0 } });
    expect(await alertsOf(payment.id)).toEqual([expect.stringMatching(reason)]);
  });

  test('a capture after a cancellation by the gateway, and a cancellation of a purchase, are flagged', async () => {
    const cancelled = await hold();
    const made = takeNotification();
    await operate(cancelled.id, 'cancellations');
    await notify();
    await gateway.until(cancelled.id, 'cancelled');
    await send(operationNotification(made, 'CAPTURE'));
    expect(await alertsOf(cancelled.id)).toEqual([
      expect.stringMatching(/was captured .* the payment stays cancelled: /),
    ]);
    const purchase = await pay();
    await send(operationNotification(takeNotification(), 'CANCELLATION'));
    expect(await alertsOf(purchase.id)).toEqual([
      expect.stringMatching(/was cancelled .* the payment stays approved: /),
    ]);
  });
});

describe('an EXPIRE notification', () => {
  async function expire(payment: { id: string }, made: AdyenNotification, more: Partial<AdyenNotification> = {}) {
    const item = { ...made, eventCode: 'EXPIRE', additionalData: {}, ...more };
    for (const _twice of [1, 2]) await post(notificationBody([item]));
    await applied(eventIdOf(item));
    const { alerts = [], deadline } = await stored(payment.id);
    return { shown: await read(payment.id), alerts: alerts.map(({ text }) => text), deadline };
  }

  test.each([
    ['the reference of the payment', {}],
    ['a reference of its own', { pspReference: newReference() }],
  ])('under %s expires a hold in the same way as a release by the gateway', async (_what, more) => {
    const receiver = await receiveCallbacks();
    const payment = await hold({ callbackUrl: receiver.url });
    const [made] = adyen.notifications.splice(0) as [AdyenNotification];
    const { shown, alerts, deadline } = await expire(payment, made, more);
    expect(shown).toMatchObject({
      status: 'expired',
      transactions: [
        { status: 'approved' },
        { type: 'cancellation', status: 'approved', reason: 'authorization-expired' },
      ],
    });
    expect(alerts).toEqual([]);
    expect(deadline).toBeUndefined();
    expect((await receiver.since(payment.id, 'expired')).map(({ status }) => status)).toEqual(['expired']);
    await receiver.close();
  });

  test('changes nothing for the rest of a partly captured hold, nor for a purchase', async () => {
    const payment = await hold();
    const [made] = adyen.notifications.splice(0) as [AdyenNotification];
    await operate(payment.id, 'captures', { amount: 4 });
    await notify();
    await gateway.until(payment.id, 'approved');
    expect(await expire(payment, made)).toMatchObject({ shown: { status: 'approved' }, alerts: [] });
    const purchase = await pay();
    const [bought] = adyen.notifications.splice(0) as [AdyenNotification];
    expect(await expire(purchase, bought)).toMatchObject({ shown: { status: 'approved' }, alerts: [] });
  });
});

test('a chargeback is shown on the payment', async () => {
  const payment = await pay();
  const [made] = adyen.notifications.splice(0) as [AdyenNotification];
  const { pspReference: originalReference } = made;
  const dispute = { ...made, eventCode: 'CHARGEBACK', pspReference: '9915555555555555', originalReference };
  await post(notificationBody([dispute]));
  await applied(eventIdOf(dispute));
  expect((await read(payment.id)).disputes).toMatchObject([{ status: 'open' }]);
  // Without the setting of the webhook, the reference of the payment is in `pspReference`, and `originalReference` is absent.
  const { originalReference: _none, ...plain } = dispute;
  const won = { ...plain, eventCode: 'PREARBITRATION_WON', pspReference: originalReference };
  await post(notificationBody([{ ...won, eventDate: new Date(Date.now() + 1_000).toISOString() }]));
  await applied(eventIdOf(won));
  expect((await read(payment.id)).disputes).toMatchObject([{ id: '9915555555555555', status: 'won' }]);
});

test('a lost answer is fetched with the same idempotency key, and the payment is made once', async () => {
  adyen.fault(/^\/payments$/, 'answer-lost');
  const payment = await pay({}, {}, { responseWaitMs: 2_000 });
  expect(payment.status).toBe('pending');
  await gateway.until(payment.id, 'approved');
  const key = payment.transactions[0].id;
  expect(adyen.requests.filter(({ body }) => body.reference === key)).toHaveLength(2);
  expect(adyen.bank.payments.filter(({ request }) => request.reference === key)).toHaveLength(1);
});

test('a payment whose answer is lost can be settled by its notification', async () => {
  adyen.fault(/^\/payments$/, 'answer-lost');
  const payment = await pay({}, {}, { responseWaitMs: 2_000 });
  await notify();
  await gateway.until(payment.id, 'approved');
  expect((await stored(payment.id)).transactions[0]).toMatchObject({
    processorReference: expect.stringMatching(/^\w{16}$/),
  });
});

test('duplicate notifications that arrive at once are applied once', async () => {
  const payment = await hold();
  await operate(payment.id, 'captures');
  const items = [...adyen.notifications];
  const bodies = Array.from({ length: 20 }, () => notificationBody([...items].reverse()));
  const answers = await Promise.all(bodies.map((body) => post(body)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const shown = await gateway.until(payment.id, 'approved');
  expect(shown.transactions.map(({ status }: { status: string }) => status)).toEqual(['approved', 'approved']);
  expect((await stored(payment.id)).alerts).toBeUndefined();
});

describe('a payment for which Adyen wants a redirect is refused, and cancelled at Adyen', () => {
  test.each([
    ['by the payment', (item: AdyenNotification) => item],
    [
      'by the request',
      (item: AdyenNotification) => ({ ...item, merchantReference: `${item.merchantReference}-close` }),
    ],
    ['and could not be cancelled', (item: AdyenNotification): AdyenNotification => ({ ...item, success: 'false' })],
  ])('stays denied when its end is notified %s', async (_what, change) => {
    const answer = await pay({}, { cardholder: { firstName: 'REDIRECT' } });
    expect(answer).toMatchObject({ code: 'authentication-required' });
    const key = String(adyen.last('/cancels').body.paymentReference);
    const [item] = await notify(change);
    expect(item).toMatchObject({ eventCode: 'TECHNICAL_CANCEL' });
    // A notification under the reference of the closing request itself (`…-close`) is not stored.
    if (item?.merchantReference === key) {
      expect(await applied(eventIdOf(item))).toMatchObject({ status: 'applied', reason: 'nothing is reversed' });
    }
    const payment = await gateway.payments.findForUpdate('adyen', { key });
    expect(payment).toMatchObject({ status: 'denied', transactions: [{ status: 'denied' }] });
    expect(payment?.alerts).toBeUndefined();
  });
});

test.each([
  ['another key', (body: string) => body.replace(/"hmacSignature":"[^"]{4}/, '"hmacSignature":"AAAA')],
  ['no JSON', () => 'notificationItems=1'],
])('a notification with %s is refused with 401', async (_what, change) => {
  await pay();
  const body = change(notificationBody(adyen.notifications.splice(0)));
  expect((await post(body)).status).toBe(401);
});

test('notifications to the address of the installation are checked with the keys of the settings', async () => {
  const payment = await hold();
  await operate(payment.id, 'captures');
  const body = notificationBody(adyen.notifications.splice(0));
  expect(await post(body, '/v1/processors/adyen/updates')).toEqual({ status: 200, text: '[accepted]' });
  await gateway.until(payment.id, 'approved');
});
