/** Bearer tokens from the request to their end (docs/decisions.md, "bearer token"; RFC 6749, 4.4 and 5; docs/security.md#bearer-tokens). */
import { endpoints } from '../../api/routes.js';
import { revokeKey } from '../../scripts/provisioning/end-key.js';
import { grantMerchants } from '../../scripts/provisioning/grant-merchants.js';
import { issueKey } from '../../scripts/provisioning/issue-key.js';
import { openProvisioning, type Provisioning } from '../../scripts/provisioning/provisioning.js';
import { systemClock } from '../../shared/clock.js';
import { type Answer, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { PATIENCE_MS } from '../support/patience.js';
import { startSecondApi } from '../support/second-api.js';

let gateway: TestGateway;
let second: Awaited<ReturnType<typeof startSecondApi>>;
let provisioning: Provisioning;
beforeAll(async () => {
  gateway = await startGateway({ name: 'bearer' });
  second = await startSecondApi(gateway);
  provisioning = openProvisioning(gateway.database, gateway.config, systemClock);
});
afterAll(async () => {
  await second?.close();
  await gateway?.close();
});

const basicOf = (id: string, key: string) => `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`;
const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'grant_type=client_credentials';

async function askToken(
  body: string,
  { authorization, type = FORM }: { authorization?: string | null; type?: string } = {},
): Promise<Answer> {
  const { clientId, apiKey } = gateway.sandbox;
  const credentials = authorization === undefined ? basicOf(clientId, apiKey) : authorization;
  const response = await fetch(`${gateway.baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': type, ...(credentials !== null && { authorization: credentials }) },
    body,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Calls an endpoint with a bearer token, at the first API unless `baseUrl` names the second. */
async function callWith(
  token: string,
  method: string,
  path: string,
  body?: unknown,
  baseUrl = gateway.baseUrl,
): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

test('a token that is issued to a key pays, reads and refunds, at any API process', async () => {
  const { status, body, headers } = await askToken(GRANT);
  expect(status).toBe(200);
  expect(body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 });
  expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
  const token = body.access_token;
  const paid = await callWith(token, 'POST', '/v1/payments', paymentBody());
  expect([paid.status, paid.body.status]).toEqual([200, 'approved']);
  const read = await callWith(token, 'GET', `/v1/payments/${paid.body.id}`, undefined, second.baseUrl);
  expect([read.status, read.body.id]).toEqual([200, paid.body.id]);
  const refunded = await callWith(token, 'POST', `/v1/payments/${paid.body.id}/refunds`, {
    referenceId: `refund-${Date.now()}`,
  });
  expect([refunded.status, refunded.body.status]).toEqual([200, 'refunded']);
});

test('the token of a secondary key is limited to the key’s merchants, and follows changes of its grants', async () => {
  const { sandbox } = gateway;
  const { keyId, apiKey } = await issueKey(provisioning, { clientId: sandbox.clientId, merchantIds: [1001] });
  const { body } = await askToken(GRANT, { authorization: basicOf(sandbox.clientId, apiKey) });
  const pay = (merchantId: number) =>
    callWith(body.access_token, 'POST', '/v1/payments', paymentBody({ merchantId }), second.baseUrl);
  expect((await pay(1001)).status).toBe(200);
  expect(await pay(1002)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  await grantMerchants(provisioning, { keyId, merchantIds: [1002] });
  const giveUpAt = Date.now() + PATIENCE_MS;
  while ((await pay(1001)).status === 200 && Date.now() < giveUpAt) await new Promise((done) => setTimeout(done, 200));
  expect((await pay(1001)).status).toBe(403);
  expect((await pay(1002)).status).toBe(200);
});

test('the token of a revoked key is soon refused by every API process, as invalid_token', async () => {
  const { sandbox } = gateway;
  const { keyId, apiKey } = await issueKey(provisioning, { clientId: sandbox.clientId });
  const { body } = await askToken(GRANT, { authorization: basicOf(sandbox.clientId, apiKey) });
  const urls = [gateway.baseUrl, second.baseUrl];
  const read = (baseUrl: string) => callWith(body.access_token, 'GET', '/v1/payments/pay_0', undefined, baseUrl);
  for (const url of urls) expect((await read(url)).status).toBe(404);
  await revokeKey(provisioning, keyId);
  const giveUpAt = Date.now() + PATIENCE_MS;
  const living = new Set(urls);
  while (living.size > 0 && Date.now() < giveUpAt) {
    await new Promise((done) => setTimeout(done, 200));
    for (const url of living) if ((await read(url)).status === 401) living.delete(url);
  }
  expect([...living]).toEqual([]);
  const refused = await read(gateway.baseUrl);
  expect(refused.body).toMatchObject({ code: 'unauthorized', type: 'api-error', traceId: expect.any(String) });
  expect(refused.headers.get('www-authenticate')).toMatch(/^Basic .*Bearer .*error="invalid_token"/);
});

test.each(endpoints.filter(({ auth }) => auth !== 'none').map((endpoint) => [endpoint.operationId, endpoint] as const))(
  'a token is answered like its key, unless only keys are accepted: %s',
  async (_id, { method, path, keyOnly }) => {
    const { body } = await askToken(GRANT);
    const place = path.replace(/:merchantId/g, '1001').replace(/:\w+/g, 'none');
    const sent = method === 'get' || method === 'delete' ? undefined : {};
    const byToken = await callWith(body.access_token, method.toUpperCase(), place, sent);
    const byKey = await gateway.call(method.toUpperCase(), place, sent);
    expect(byKey.status).not.toBe(401);
    expect(byToken.status).toBe(keyOnly ? 401 : byKey.status);
    expect((await callWith('rubbish', method.toUpperCase(), place, sent)).status).toBe(401);
  },
);

describe('a token request is refused as RFC 6749, 5.2 requires', () => {
  test.each<[string, string | null]>([
    ['no credentials', null],
    ['a wrong key', basicOf('cli_5a9db0c0000000000000000000000001', 'sk_test_wrong')],
    ['an unknown client', basicOf(`cli_${'0'.repeat(32)}`, 'x')],
    ['something that is no Basic header', 'Basic !!'],
  ])('401: %s', async (_name, authorization) => {
    const { status, body, headers } = await askToken(GRANT, { authorization });
    expect([status, body]).toEqual([401, { error: 'invalid_client', error_description: expect.any(String) }]);
    expect(headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('a token cannot be used to request another token', async () => {
    const { body } = await askToken(GRANT);
    const again = await askToken(GRANT, { authorization: `Bearer ${body.access_token}` });
    expect([again.status, again.body.error]).toEqual([401, 'invalid_client']);
  });

  test.each([
    ['no grant type', '', 'invalid_request'],
    ['an empty grant type', 'grant_type=', 'invalid_request'],
    ['a grant type twice', `${GRANT}&${GRANT}`, 'invalid_request'],
    ['another grant type', 'grant_type=password&username=a&password=b', 'unsupported_grant_type'],
    ['the key in the body too', `${GRANT}&client_id=a&client_secret=b`, 'invalid_request'],
    ['a scope', `${GRANT}&scope=payments`, 'invalid_scope'],
  ])('400: %s', async (_name, form, error) => {
    const { status, body } = await askToken(form);
    expect([status, body]).toEqual([400, { error, error_description: expect.stringMatching(/^[^"\\]+$/) }]);
  });

  test.each([
    ['scope=', 'grant_type is required'],
    [`${GRANT}&${GRANT}`, 'grant_type must be given once'],
  ])('the description of %s says what is wrong with which parameter', async (form, description) => {
    expect((await askToken(form)).body.error_description).toBe(description);
  });

  test('unknown parameters and parameters without a value are ignored', async () => {
    expect((await askToken(`${GRANT}&scope=&foo=bar&__proto__=x`)).status).toBe(200);
  });

  test('another media type and a body that is too large get the gateway’s own errors', async () => {
    const json = await askToken(JSON.stringify({ grant_type: 'client_credentials' }), { type: 'application/json' });
    expect([json.status, json.body.code]).toEqual([415, 'unsupported-media-type']);
    const large = await askToken(`${GRANT}&x=${'a'.repeat(5_000)}`);
    expect([large.status, large.body.code]).toEqual([413, 'payload-too-large']);
  });
});

test('a token that is made up, cut or unsigned is refused with 401', async () => {
  const { body } = await askToken(GRANT);
  const [head, claims] = body.access_token.split('.');
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
  for (const token of ['x', `${head}.${claims}.`, `${none}.${claims}.`, body.access_token.slice(0, -2)]) {
    expect((await callWith(token, 'GET', '/v1/payments/pay_0')).status).toBe(401);
  }
});
