/** What a merchant sends reaches the adapter: checked in the requests that the adapter sends, not in the answers of the API. */

import { endpoints } from '../../api/routes.js';
import { enableWallets } from '../support/enable-wallets.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { facilitatorSettings, gatewaySettings, methodsOf } from '../support/merchant-settings.js';
import { PATIENCE_MS } from '../support/patience.js';
import { type RecordingProcessor, startRecordingProcessor } from '../support/recording-processor.js';
import { walletScript } from '../support/wallet-keys.js';
import { maximalBodies } from './maximal-bodies.js';
import { paymentWays } from './payment-fields.js';
import { customerWays, leavesOf, lostFields, methodWays } from './port-fields.js';
import { withoutLimits } from './wire-client.js';

let gateway: TestGateway;
let recorder: RecordingProcessor;
let count = 0;

type Body = Record<string, unknown>;
const bodies = maximalBodies as unknown as Record<string, readonly Body[]>;
const schemaOf = (operationId: string) => {
  const schema = endpoints.find((endpoint) => endpoint.operationId === operationId)?.request?.body;
  if (!schema) throw new Error(`${operationId} has no body`);
  return schema;
};

beforeAll(async () => {
  recorder = await startRecordingProcessor();
  const settings = { ...withoutLimits, ...walletScript, SANDBOX_PROCESSOR_URL: recorder.url };
  gateway = await startGateway({ name: 'port-fields', settings });
  recorder.forwardTo(gateway.simulatorUrl);
  await enableWallets(gateway.call);
});
afterAll(async () => {
  await gateway?.close();
  await recorder?.close();
});

/** Sends a payment, with its own reference and without the ids of objects that do not exist. */
async function pay(body: Body, more: Body = {}): Promise<Body> {
  count += 1;
  const { customerId: _none, recurring: _first, ...rest } = structuredClone(body);
  const sent = { ...rest, referenceId: `port-${count}`, ...more };
  let { status, body: answer } = await gateway.call('POST', '/v1/payments', sent);
  // If the wallet token is not opened in time, the request is sent again, as the answer asks.
  if (status === 503) ({ status, body: answer } = await gateway.call('POST', '/v1/payments', sent));
  expect([status, answer.code]).toEqual([200, undefined]);
  return { sent, id: answer.id, ...answer };
}

const newCustomer = async (): Promise<string> => {
  const body = { ...bodies.createCustomer?.[0], referenceId: `customer-${count}` };
  return (await gateway.call('POST', '/v1/customers', body)).body.id;
};

test.each([
  ['createPayment', paymentWays],
  ['createCustomer', customerWays],
  ['createPaymentMethod', methodWays],
])('every field of %s has a place in the requests of the adapter, or a reason why it has none', (operationId, ways) => {
  const leaves = leavesOf(schemaOf(operationId));
  expect(leaves.length).toBeGreaterThan(5);
  expect(leaves.filter((name) => ways[name] === undefined)).toEqual([]);
  expect(Object.keys(ways).filter((name) => !leaves.includes(name))).toEqual([]);
});

test('a card payment reaches the adapter with every field', async () => {
  const [byCard = {}] = bodies.createPayment ?? [];
  const customerId = await newCustomer();
  const first = await pay(byCard, { recurring: { type: 'initial' }, customerId });
  const recurring = { ...(byCard.recurring as Body), initialPaymentId: first.id };
  const { sent } = await pay(byCard, { recurring, customerId });
  const request = recorder.last('authorizations');
  expect(lostFields(paymentWays, sent, request)).toEqual([]);
  const { order: _none, ...cut } = request;
  expect(lostFields(paymentWays, sent, cut)).toContain('referenceId does not arrive at order.referenceId: undefined');
});

test('payments by network token and by click-to-pay reach the adapter with every field', async () => {
  for (const source of ['network-token', 'click-to-pay-token']) {
    const body = bodies.createPayment?.find(({ paymentMethod }) => (paymentMethod as Body).source === source) ?? {};
    const { sent } = await pay(body);
    expect(lostFields(paymentWays, sent, recorder.last('authorizations'))).toEqual([]);
  }
});

test.each(['wallet-a-pay', 'wallet-b-pay'])(
  'a payment by %s reaches the adapter as its card, with the name of the wallet',
  async (wallet) => {
    const [byCard = {}] = bodies.createPayment ?? [];
    const { total, currency } = byCard.amount as Body;
    const minted = await gateway.call('POST', '/v1/testing/wallet-tokens', {
      merchantId: 1001,
      type: wallet,
      amount: { total, currency },
    });
    const member = wallet === 'wallet-a-pay' ? 'walletAPayToken' : 'walletBPayToken';
    const cardholder = { firstName: 'Ana', lastName: 'Núñez', email: 'ana@example.com' };
    const paymentMethod = { source: `${wallet}-token`, [member]: { token: minted.body.token, cardholder } };
    const { sent } = await pay(byCard, { paymentMethod });
    const request = recorder.last('authorizations');
    expect(lostFields(paymentWays, sent, request)).toEqual([]);
    expect(request.credential).toMatchObject({ wallet, card: { networkToken: { cryptogram: expect.any(String) } } });
  },
);

test('a saved card reaches the adapter with its holder, and a card without a holder with the customer', async () => {
  const [byCard = {}] = bodies.createPayment ?? [];
  const customerId = await newCustomer();
  const { paymentInstrument } = await pay(byCard, { customerId });
  const { token } = paymentInstrument as Body;
  const byToken = { source: 'token', paymentInstrument: { token, cvc: '937' } };
  const { sent } = await pay(byCard, { paymentMethod: byToken });
  const request = recorder.last('authorizations');
  expect(lostFields(paymentWays, sent, request)).toEqual([]);
  expect(request).toMatchObject({
    payer: { firstName: 'Ana', email: 'ana@example.com', address: { postalCode: '11100' }, document: { type: 3 } },
    credential: { stored: { initiator: 'payer', use: 'subsequent', reason: 'unscheduled' } },
  });
  const card = { number: '4242424242424242', expMonth: 12, expYear: 2034 };
  await pay(byCard, { customerId, paymentMethod: { source: 'card', card } });
  const customer = (await gateway.call('GET', `/v1/customers/${customerId}`)).body;
  expect(lostFields(customerWays, customer, recorder.last('authorizations'))).toEqual([]);
});

test('a merchant reaches the adapter with all its numbers, also as the sub-merchant of a facilitator', async () => {
  const [byCard = {}] = bodies.createPayment ?? [];
  const inFull = gatewaySettings();
  for (const settings of [inFull, facilitatorSettings()]) {
    const sent = { id: 'visa', settings };
    await gateway.call('PUT', `${methodsOf(1001)}/visa`, sent);
    // Processes cache configurations for some seconds.
    const lost = async () => {
      await pay(byCard);
      return lostFields(methodWays, sent, recorder.last('authorizations'));
    };
    let left = await lost();
    const giveUpAt = Date.now() + PATIENCE_MS;
    while (left.length > 0 && Date.now() < giveUpAt) left = await lost();
    expect(left).toEqual([]);
  }
  expect(recorder.last('authorizations').merchant).toMatchObject({
    name: 'Sandbox Books',
    taxId: '214835120018',
    facilitator: { id: 'facilitator-1', subMerchant: { id: 'sub-7', name: 'Sandbox Books' } },
  });
});

test('an authentication made by the merchant reaches the adapter as the proof', async () => {
  const [byCard = {}] = bodies.createPayment ?? [];
  const cavv = 'AJkBBkhgAAAAAAACZGiQdYEAAAA=';
  const metadata = { threeDSVersion: '2.2.0', eci: '05', cavv, dsTransactionId: 'ds-1', channel: 'web' };
  const { card } = byCard.paymentMethod as { card: Body };
  await pay(byCard, { paymentMethod: { source: 'card', card: { ...card, metadata } } });
  const { proof, credential } = recorder.last('authorizations');
  expect(proof).toEqual({
    version: '2.2.0',
    eci: '05',
    authenticationValue: cavv,
    dsTransactionId: 'ds-1',
    liabilityShift: true,
    exemption: 'low-value',
  });
  expect(credential.card.metadata).toEqual({ channel: 'web' });
});

test('captures and refunds carry the order, and refunds the reason', async () => {
  const [byCard = {}] = bodies.createPayment ?? [];
  const { id, referenceId } = await pay(byCard, { capture: { method: 'manual' } });
  await gateway.call('POST', `/v1/payments/${id}/captures`, { referenceId: `capture-${count}`, amount: 50 });
  expect(recorder.last('captures')).toMatchObject({
    amountMinor: 5_000,
    originalAmountMinor: 12_205,
    originalReferences: { ticket: expect.any(String), authorization: expect.any(String) },
    order: { referenceId, invoiceNumber: 'INV-MAX-1' },
    merchant: { id: 1001, name: 'Sandbox Books' },
  });
  const refund = { referenceId: `refund-${count}`, amount: 5, reason: 'return', description: 'Too small' };
  await gateway.call('POST', `/v1/payments/${id}/refunds`, refund);
  expect(recorder.last('refunds')).toMatchObject({
    amountMinor: 500,
    reason: 'return',
    description: 'Too small',
    captureReferences: { ticket: expect.any(String) },
  });
});
