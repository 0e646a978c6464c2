/** Documented answers that no other suite about payments, customers or merchants meets. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../api/app.js';
import type { ApiDeps } from '../../api/deps.js';
import { startSimulator } from '../../scripts/sandbox/simulator/start-simulator.js';
import { GOOD, testDeps } from '../http/app-under-test.js';
import { schemaProblems } from '../support/check-answer.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { png } from '../support/pictures.js';
import { basic, withoutLimits } from './wire-client.js';

let gateway: TestGateway;
let processor: Awaited<ReturnType<typeof startSimulator>>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rare-statuses-'));
  processor = await startSimulator({ port: 0, ledgerFile: join(folder, 'ledger.jsonl') });
  const settings = { ...withoutLimits, SANDBOX_PROCESSOR_URL: processor.url };
  gateway = await startGateway({ name: 'rare', settings });
});
afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

const TOO_LONG = 'x'.repeat(201);

test.each([
  ['GET', `/v1/customers/${TOO_LONG}`, 'customerId'],
  ['DELETE', `/v1/customers/${TOO_LONG}`, 'customerId'],
  ['GET', `/v1/customers/${TOO_LONG}/payment-instruments`, 'customerId'],
  ['DELETE', `/v1/customers/cus_1/payment-instruments/${TOO_LONG}`, 'tokenId'],
  ['GET', `/v1/payments/${TOO_LONG}/callbacks`, 'paymentId'],
  ['POST', `/v1/payments/pay_1/callbacks/${TOO_LONG}/replay`, 'eventId'],
  ['GET', `/v1/public/merchants/1001/logo/${TOO_LONG}`, 'file'],
  ['GET', `/v1/payment-links/${TOO_LONG}`, 'linkId'],
  ['DELETE', `/v1/payment-links/${TOO_LONG}`, 'linkId'],
  ['GET', `/v1/payment-links/${TOO_LONG}/payments`, 'linkId'],
  ['GET', `/v1/public/payment-links/${TOO_LONG}/qr.svg`, 'externalId'],
])('%s with an id that is too long is 400 with the name of the id', async (method, path, field) => {
  const { status, body } = await gateway.call(method, path);
  expect({ status, code: body.code, fields: Object.keys(body.params) }).toEqual({
    status: 400,
    code: 'request-validation-errors',
    fields: [field],
  });
});

test('endpoints of the testing environment do not exist in production', async () => {
  const app = createApp({
    ...testDeps().deps,
    config: {
      environment: 'production',
      publicBaseUrl: 'https://pay.example.com',
      trustedProxies: { hops: 0 },
      sandboxFile: undefined,
      sandboxProcessorUrl: undefined,
    } as ApiDeps['config'],
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const mint = { type: 'wallet-a-pay', merchantId: 7 };
    for (const [method, path, body] of [
      ['GET', '/v1/testing/cards', undefined],
      ['POST', '/v1/testing/wallet-tokens', mint],
    ] as const) {
      const answer = await fetch(`${base}${path}`, {
        method,
        headers: { authorization: GOOD, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const problems = schemaProblems(method, path, { status: answer.status, body: await answer.json() });
      expect([path, answer.status, problems]).toEqual([path, 404, []]);
    }
  } finally {
    server.close();
  }
});

test('an Idempotency-Key is refused for another request', async () => {
  const headers = { 'Idempotency-Key': 'rare-link' };
  const link = (total: number) => ({
    merchantId: 1001,
    type: 'regular',
    amount: { total, currency: 'USD' },
    settings: { amountMode: 'fixed' },
  });
  expect((await gateway.call('POST', '/v1/payment-links', link(1), { headers })).status).toBe(201);
  expect((await gateway.call('POST', '/v1/payment-links', link(2), { headers })).status).toBe(409);
});

test('a payment link is not divided with a merchant of another client', async () => {
  const { body } = await gateway.call('POST', '/v1/payment-links', {
    merchantId: 1001,
    type: 'regular',
    amount: { total: 1, currency: 'USD' },
    settings: { amountMode: 'fixed' },
  });
  const parts = [{ destinationMerchantId: 2001, amountRule: { type: 'percentage', value: 1 } }];
  const { status } = await gateway.call('PUT', `/v1/payment-links/${body.id}/split-destinations`, parts);
  expect(status).toBe(403);
});

test('an unknown grant of a token request is refused', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status, body } = await gateway.call('POST', '/oauth/token', 'grant_type=password', { headers });
  expect({ status, error: body.error }).toEqual({ status: 400, error: 'unsupported_grant_type' });
});

test('a reference that was used cannot be used for a verification', async () => {
  const used = await gateway.call('POST', '/v1/payments', paymentBody());
  const { capture: _capture, ...rest } = { ...paymentBody(), capture: undefined };
  const verify = { ...rest, referenceId: used.body.referenceId, amount: { currency: 'USD' } };
  const { status, body } = await gateway.call('POST', '/v1/payments/verify', verify);
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'duplicated-reference-id' });
});

test('a logo is served to callers without credentials', async () => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(png())], { type: 'image/png' }), 'logo.png');
  const uploaded = await fetch(`${gateway.baseUrl}/v1/merchants/1001/profile/logo`, {
    method: 'PUT',
    headers: { authorization: basic(gateway) },
    body: form,
  });
  const { logoUrl } = (await uploaded.json()) as { logoUrl: string };
  const { status, headers } = await gateway.call('GET', new URL(logoUrl).pathname, undefined, { auth: null });
  expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
});

test('a refund that does not reach the processor is 422 and leaves the payment unchanged', async () => {
  const paid = await gateway.call('POST', '/v1/payments', paymentBody());
  expect(paid.body.status).toBe('approved');
  await processor.close();
  const refund = { referenceId: `refused-${Date.now()}`, amount: 5 };
  const { status, body } = await gateway.call('POST', `/v1/payments/${paid.body.id}/refunds`, refund);
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'acquirer-offline' });
  expect((await gateway.call('GET', `/v1/payments/${paid.body.id}`)).body).toMatchObject({
    status: 'approved',
    amount: { refunded: 0 },
  });
});
