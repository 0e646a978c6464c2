/**
 * Authorization (T9): every endpoint of the list with every kind of caller gets the answer that the endpoint declares. The suite
 * fails for an endpoint without a request in this file, and for a merchant scope that it does not know.
 */
import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../../api/http/define-endpoint.js';
import { endpoints } from '../../api/routes.js';
import { revokeKey } from '../../scripts/provisioning/end-key.js';
import { issueKey } from '../../scripts/provisioning/issue-key.js';
import { openProvisioning } from '../../scripts/provisioning/provisioning.js';
import { systemClock } from '../../shared/clock.js';
import { createDeliveryRepository } from '../../shared/store/delivery.repository.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { facilitatorSettings, gatewaySettings } from '../support/merchant-settings.js';
import { PATIENCE_MS } from '../support/patience.js';
import { png } from '../support/pictures.js';
import { walletScript } from '../support/wallet-keys.js';
import { maximalBody } from './maximal-bodies.js';
import { withoutLimits } from './wire-client.js';

/** Merchant of the requests: it is the owner's, and its secondary key has no grant for it. */
const MERCHANT = 1002;
const UNKNOWN_MERCHANT = 999_999;

type Principal = 'owner' | 'granted' | 'ungranted' | 'other' | 'revoked' | 'expired' | 'none' | 'malformed';

let gateway: TestGateway;
let credentials: Record<Principal, string | null>;

/** Ids for the names in paths: objects of {@link MERCHANT}. */
let objects: Readonly<Record<string, string>>;
/** A session of {@link MERCHANT}, and one of its events. */
let ofSession: Readonly<Record<string, string>>;
/** Queries that name an object of {@link MERCHANT}, by operation. */
let queries: Readonly<Record<string, Record<string, string>>>;

beforeAll(async () => {
  gateway = await startGateway({ name: 'matrix', settings: { ...withoutLimits, ...walletScript } });
  const { sandbox, database, config } = gateway;
  const provisioning = openProvisioning(database, config, systemClock);
  const issue = async (more: object = {}) => issueKey(provisioning, { clientId: sandbox.clientId, ...more });
  const [granted, revoked] = [await issue({ merchantIds: [MERCHANT] }), await issue()];
  const expired = await issue({ expiresAt: new Date(Date.now() - 1_000) });
  await revokeKey(provisioning, revoked.keyId);
  const of = (apiKey: string) => `${sandbox.clientId}:${apiKey}`;
  credentials = {
    owner: of(sandbox.apiKey),
    granted: of(granted.apiKey),
    ungranted: of(sandbox.secondary.apiKey),
    other: `${sandbox.other.clientId}:${sandbox.other.apiKey}`,
    revoked: of(revoked.apiKey),
    expired: of(expired.apiKey),
    none: null,
    malformed: 'no-colon-in-here',
  };
  const payment = await gateway.call('POST', '/v1/payments', paymentBody({ merchantId: MERCHANT }));
  const eventId = await insertEvent(payment.body.id);
  await gateway.call('POST', `/v1/merchants/${MERCHANT}/payment-methods`, {
    id: 'instant-transfer',
    settings: facilitatorSettings(),
  });
  const transfer = await gateway.call('POST', '/v1/payments', {
    ...paymentBody({ merchantId: MERCHANT, flow: 'pos' }),
    paymentMethod: { source: 'bank-transfer', id: 'instant-transfer' },
  });
  const session = await gateway.call('POST', '/v1/sessions', {
    merchantId: MERCHANT,
    referenceId: randomUUID(),
    type: 'checkout',
    paymentRequest: { referenceId: randomUUID(), invoiceNumber: '1', amount: { total: 10.5, currency: 'USD' } },
  });
  ofSession = { sessionId: session.body.id, eventId: await insertEvent(session.body.id) };
  queries = { getCode: { paymentMethod: 'instant-transfer', value: transfer.body.code.value } };
  objects = { paymentId: payment.body.id, eventId, file: await uploadLogo(), code: 'sandbox' };
});
afterAll(async () => {
  // The gateway made none of these callbacks, so they need not be as published.
  await gateway?.database.collection('deliveries').deleteMany({ host: RECEIVER });
  await gateway?.close();
});

/** Host of the receiver of inserted callbacks. */
const RECEIVER = '127.0.0.1:9';

/** Callers without valid credentials. */
const UNPROVEN: readonly Principal[] = ['revoked', 'expired', 'none', 'malformed'];
const PROVEN: readonly Principal[] = ['owner', 'granted', 'ungranted', 'other'];

let references = 0;

/** Uploads a logo of the merchant. Returns the last segment of its public path. */
async function uploadLogo(): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(png())], { type: 'image/png' }), 'logo.png');
  const response = await fetch(`${gateway.baseUrl}/v1/merchants/${MERCHANT}/profile/logo`, {
    method: 'PUT',
    headers: { authorization: `Basic ${Buffer.from(credentials.owner ?? '').toString('base64')}` },
    body: form,
  });
  const { logoUrl } = (await response.json()) as { logoUrl: string };
  return logoUrl.split('/').at(-1) ?? '';
}

/** Makes a payment method of {@link MERCHANT} for one call: the call may delete it. */
async function makeMethod(): Promise<Record<string, string>> {
  const body = { id: 'cabal', settings: gatewaySettings() };
  await gateway.call('POST', `/v1/merchants/${MERCHANT}/payment-methods`, body);
  await gateway.call(
    'POST',
    `/v1/merchants/${MERCHANT}/payment-methods/cabal/threeds`,
    maximalBody('createThreeDsSettings'),
  );
  return { paymentMethodId: 'cabal' };
}

/** Stores a callback about the payment as sent. Returns the id of its event. */
async function insertEvent(paymentId: string): Promise<string> {
  const deliveries = createDeliveryRepository(gateway.database);
  const [url, host] = [`http://${RECEIVER}/`, RECEIVER];
  const about = { paymentId, clientId: gateway.sandbox.clientId, seq: 9, url, host, body: '{}', resourceVersion: 9 };
  await deliveries.insert([{ _id: `${paymentId}:9`, ...about, createdAt: new Date() }], new Date());
  return (await deliveries.findByPayment(paymentId))[0]?.eventId ?? '';
}

/** Makes a payment link of {@link MERCHANT} for one call: the call may disable it. */
async function makeLink(): Promise<Record<string, string>> {
  const link = { merchantId: MERCHANT, type: 'regular', amount: { total: 1, currency: 'USD' } };
  const { body } = await gateway.call('POST', '/v1/payment-links', { ...link, settings: { amountMode: 'fixed' } });
  return { linkId: body.id, externalId: body.externalId };
}

/** Makes a customer of the owner with a saved card, for one call: the call may delete it. */
async function makeCustomer(): Promise<Record<string, string>> {
  const { body } = await gateway.call('POST', '/v1/customers', { firstName: 'Ana' });
  const tokenId = randomUUID();
  await createPaymentInstrumentRepository(gateway.database).insert({
    _id: tokenId,
    clientId: gateway.sandbox.clientId,
    merchantId: MERCHANT,
    customerId: body.id,
    tokenizationType: 'persistent',
    paymentMethodId: 'visa',
    bin: '424242',
    last4: '4242',
    expMonth: 12,
    expYear: 2034,
    card: { v: 1, alg: 'A256GCM', kid: 'card:1', iv: Buffer.alloc(12), ct: Buffer.alloc(24) },
    createdAt: new Date(),
  });
  return { customerId: body.id, tokenId };
}

/** Builds a valid request of the endpoint about {@link MERCHANT} or one of its objects. */
async function requestOf(endpoint: Endpoint, merchantId = MERCHANT): Promise<{ path: string; body?: unknown }> {
  references += 1;
  const { merchantScope } = endpoint;
  const own = {
    ...objects,
    ...(endpoint.path.includes(':sessionId') && ofSession),
    ...(endpoint.path.includes(':customerId') && (await makeCustomer())),
    ...(endpoint.path.includes(':paymentMethodId') && (await makeMethod())),
    ...(endpoint.path.includes('/payment-links/:') && (await makeLink())),
    ...(endpoint.path.includes('/public/payment-links/') && (await makeLink())),
  };
  const plain = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const id = name === 'merchantId' ? String(merchantId) : own[name];
    if (id === undefined) {
      throw new Error(
        `${endpoint.operationId}: nothing is known for :${name}. Make an object in requestOf() of this file, as makeLink() does.`,
      );
    }
    return id;
  });
  const inQuery = typeof merchantScope === 'object' && merchantScope.in === 'query';
  const named = queries[endpoint.operationId];
  if (named) return { path: `${plain}?${new URLSearchParams(named)}` };
  const path = inQuery ? `${plain}?${merchantScope.field}=${merchantId}` : plain;
  if (!endpoint.request?.body) return { path };
  const body = maximalBody(endpoint.operationId);
  // The parts of a link go to merchants, and the caller needs a grant for each of them.
  if (Array.isArray(body)) return { path, body: body.map((part) => ({ ...part, destinationMerchantId: merchantId })) };
  const { redirectUrl: _redirect, callbackUrl: _callback, ...rest } = body;
  return {
    path,
    body: {
      ...rest,
      ...('referenceId' in rest && { referenceId: `matrix-${references}` }),
      ...('merchantId' in rest && { merchantId }),
      ...('splitDestinations' in rest && { splitDestinations: [] }),
    },
  };
}

async function ask(endpoint: Endpoint, principal: Principal, merchantId?: number) {
  const { path, body } = await requestOf(endpoint, merchantId);
  const auth = credentials[principal];
  const method = endpoint.method.toUpperCase();
  if (endpoint.bodyFormat !== 'form') return gateway.call(method, path, body, { auth });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return gateway.call(method, path, String(new URLSearchParams(body as Record<string, string>)), { auth, headers });
}

/** Refusals of authorization. An authorized call may still be refused because of the state of the object (409, 400). */
const DENIED = [401, 403, 404];

const foreignMerchant = { status: 403, code: 'forbidden' };
/** Sessions have no error code of their own in the catalogue. */
const hidden = { status: 404, code: expect.stringMatching(/^([a-z-]+-)?not-found$/) };

/** Returns the answer to an authenticated caller without permission. */
function refusalOf({ merchantScope, operationId }: Endpoint, principal: Principal): object | 'allowed' {
  // Customers belong to the client, but this one has a card that was saved for a merchant without a grant for the key.
  if (operationId === 'deleteCustomer' && principal === 'ungranted') return foreignMerchant;
  if (typeof merchantScope === 'object') return foreignMerchant;
  if (merchantScope === 'resource') return hidden;
  if (merchantScope === 'client-resource') return principal === 'other' ? hidden : 'allowed';
  if (merchantScope === 'none' || merchantScope === 'client') return 'allowed';
  throw new Error(`${operationId} has a merchant scope that this matrix does not know`);
}

test('only these endpoints are open to callers without credentials', () => {
  const open = endpoints.filter(({ auth }) => auth === 'none').map(({ path }) => path);
  expect(open.sort()).toEqual([
    '/healthz',
    '/openapi/v1.json',
    '/openapi/v2.json',
    '/readyz',
    '/v1/public/merchants/:merchantId/logo/:file',
    '/v1/public/payment-links/:externalId/qr.svg',
    '/v1/testing/cards',
  ]);
});

describe.each(endpoints.map((endpoint) => [endpoint.operationId, endpoint] as const))('%s', (_id, endpoint) => {
  if (endpoint.auth === 'none') {
    test.each([...PROVEN, ...UNPROVEN])('%s may call it: the endpoint is public', async (principal) => {
      expect((await ask(endpoint, principal)).status).toBe(200);
    });
    return;
  }

  test.each(UNPROVEN)('%s gets 401', async (principal) => {
    const { status, body, headers } = await ask(endpoint, principal);
    const code = endpoint.presentError ? body.error : body.code;
    expect([status, code, headers.get('www-authenticate')]).toEqual([
      401,
      endpoint.presentError ? 'invalid_client' : 'unauthorized',
      expect.stringMatching(/^Basic /),
    ]);
  });

  test.each(['owner', 'granted'] as const)('%s is authorized', async (principal) => {
    const { status } = await ask(endpoint, principal);
    expect({ principal, denied: DENIED.includes(status), failed: status >= 500 }).toEqual({
      principal,
      denied: false,
      failed: false,
    });
  });

  test.each(['ungranted', 'other'] as const)(
    '%s gets the answer that the merchant scope prescribes',
    async (principal) => {
      const { status, body } = await ask(endpoint, principal);
      const expected = refusalOf(endpoint, principal);
      if (expected === 'allowed') return expect(DENIED).not.toContain(status);
      expect({ status, code: body.code }).toEqual(expected);
      // The trace id is random and may contain any four digits.
      expect(JSON.stringify({ ...body, traceId: undefined })).not.toMatch(/Sandbox|INV-|1111/);
    },
  );

  if (endpoint.idempotent) {
    test.each(['ungranted', 'other'] as const)(
      'a stored answer of the owner is replayed to %s only if the merchant scope allows it',
      async (principal) => {
        const { path, body } = await requestOf(endpoint);
        const headers = { 'idempotency-key': `matrix-${randomUUID()}` };
        const call = (who: Principal) =>
          gateway.call(endpoint.method.toUpperCase(), path, body, { auth: credentials[who], headers });
        expect((await call('owner')).status).toBeLessThan(500);
        const { status, body: answered, headers: returned } = await call(principal);
        const expected = refusalOf(endpoint, principal);
        if (expected === 'allowed') {
          // All keys of a client share its own objects. Another client has its own idempotency keys.
          expect(returned.get('idempotent-replayed')).toBe(principal === 'other' ? null : 'true');
          return expect(DENIED).not.toContain(status);
        }
        expect({ status, code: answered.code }).toEqual(expected);
        expect(returned.get('idempotent-replayed')).toBeNull();
      },
    );
  }

  test('missing credentials are refused before the body is read', async () => {
    const { path } = await requestOf(endpoint);
    const { status } = await gateway.call(
      endpoint.method.toUpperCase(),
      path,
      endpoint.method === 'get' ? undefined : '{broken',
      { auth: null },
    );
    expect(status).toBe(401);
  });

  if (typeof endpoint.merchantScope === 'object') {
    test('a merchant that does not exist is 400 for every caller', async () => {
      for (const principal of PROVEN) {
        const { status, body } = await ask(endpoint, principal, UNKNOWN_MERCHANT);
        expect([principal, status, body.code]).toEqual([principal, 400, 'merchant-not-found']);
      }
    });
  }

  const { merchantScope } = endpoint;
  if (merchantScope === 'resource' || merchantScope === 'client-resource') {
    test('a foreign object and one that does not exist get the same answer (docs/security.md#ids-reveal-nothing)', async () => {
      const { path, body } = await requestOf(endpoint);
      const absent = path.replace(/[0-9a-f]{8}(?=\/|$)/gi, '00000000');
      expect(absent).not.toBe(path);
      // Customers belong to the client, but their saved cards to merchants: a key may see the customer and not the card.
      const ofCustomer = endpoint.operationId === 'deletePaymentInstrument';
      const absentCard = path.replace(/[0-9a-f]{8}$/i, '00000000');
      const answerTo = async (principal: keyof typeof credentials, target: string) => {
        const auth = credentials[principal];
        const answer = await gateway.call(endpoint.method.toUpperCase(), target, body, { auth });
        return { status: answer.status, ...answer.body, traceId: '' };
      };
      expect(await answerTo('other', path)).toEqual(await answerTo('owner', absent));
      if (merchantScope === 'client-resource') return;
      expect(await answerTo('ungranted', path)).toEqual(await answerTo('owner', ofCustomer ? absentCard : absent));
    });
  }
});

test('a revoked key stops working soon, and the other keys of the client keep working', async () => {
  const provisioning = openProvisioning(gateway.database, gateway.config, systemClock);
  const { keyId, apiKey } = await issueKey(provisioning, { clientId: gateway.sandbox.clientId });
  const read = () =>
    gateway.call('GET', `/v1/payments/${objects.paymentId}`, undefined, {
      auth: `${gateway.sandbox.clientId}:${apiKey}`,
    });
  expect((await read()).status).toBe(200);
  await revokeKey(provisioning, keyId);
  const giveUpAt = Date.now() + PATIENCE_MS;
  let status = 200;
  while (status === 200 && Date.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    status = (await read()).status;
  }
  expect(status).toBe(401);
  expect((await gateway.call('GET', `/v1/payments/${objects.paymentId}`)).status).toBe(200);
});
