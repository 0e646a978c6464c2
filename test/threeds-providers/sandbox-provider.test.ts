/** The sandbox adapter with a server that gives fixed answers: what fits is accepted, everything else is no answer. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ThreeDsProvider } from '../../shared/threeds-providers/provider.js';
import { createSandboxProvider } from '../../shared/threeds-providers/sandbox/create-sandbox-provider.js';

let server: Server;
let provider: ThreeDsProvider;
let respond: { status?: number; body?: unknown; hangUp?: true } = {};
const received: { url: string; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ url: request.url ?? '', body });
    if (respond.hangUp) return void request.socket.destroy();
    response.writeHead(respond.status ?? 200, { 'content-type': 'application/json' });
    response.end(typeof respond.body === 'string' ? respond.body : JSON.stringify(respond.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provider = createSandboxProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await provider.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const resultRequest = {
  sessionId: '8c6a1f0e-3b5d-4e7f-9a1c-2d4e6f8a0b1c',
  amountMinor: 12205,
  currency: 'USD',
  traceId: 't',
};
const request = {
  ...resultRequest,
  card: { number: '4000002500003155', expMonth: 3, expYear: 2034 },
  merchantId: 1001,
  merchantName: 'Casa Lumbre',
  metadata: { acquirerBin: '400000', acquirerMerchantId: '77' },
  browser: { ipAddress: '203.0.113.7' },
  payer: {},
  purchasedAt: new Date('2026-11-20T12:00:00Z'),
  methodCompletion: 'Y' as const,
  returnUrl: 'https://gateway.example/threeds/return/x',
};
const identified = {
  messageVersion: '2.2.0',
  threeDSServerTransID: resultRequest.sessionId,
  dsTransID: 'ds-1',
  acsTransID: 'acs-1',
  purchaseAmount: '12205',
  purchaseCurrency: '840',
};
const ares = (more: object) => ({ messageType: 'ARes', ...identified, ...more });
const rreq = (more: object) => ({ messageType: 'RReq', ...identified, ...more });
const proof = { eci: '05', authenticationValue: 'AAABBEg0VhI0VniQEjRWAAAAAAA=' };

test('the request has the elements of EMV 3DS', async () => {
  respond = { body: ares({ transStatus: 'Y', ...proof }) };
  await provider.authenticate(request);
  const sent = received.at(-1);
  expect(sent?.url).toBe('/threeds/areq');
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({
    messageType: 'AReq',
    threeDSServerTransID: resultRequest.sessionId,
    deviceChannel: '02',
    threeDSCompInd: 'Y',
    cardExpiryDate: '3403',
    purchaseAmount: '12205',
    purchaseCurrency: '840',
    purchaseExponent: '2',
    acquirerBIN: '400000',
    acquirerMerchantID: '77',
    merchantName: 'Casa Lumbre',
    notificationURL: request.returnUrl,
  });
});

test.each([
  [
    { transStatus: 'Y', ...proof },
    { kind: 'authenticated', transStatus: 'Y', eci: '05', dsTransactionId: 'ds-1' },
  ],
  [
    { transStatus: 'A', ...proof },
    { kind: 'authenticated', transStatus: 'A' },
  ],
  [{ transStatus: 'N' }, { kind: 'not-authenticated', transStatus: 'N' }],
  [{ transStatus: 'R' }, { kind: 'not-authenticated', transStatus: 'R' }],
  [{ transStatus: 'U' }, { kind: 'impossible' }],
])('an answer of %j is read, at once and as the result of a challenge', async (more, expected) => {
  respond = { body: ares(more) };
  expect(await provider.authenticate(request)).toMatchObject(expected);
  respond = { body: rreq(more) };
  expect(await provider.result(resultRequest)).toMatchObject(expected);
});

test('a challenge, an open result, a cancellation and an error message are read', async () => {
  respond = { body: ares({ transStatus: 'C', acsURL: 'https://acs.example/challenge' }) };
  expect(await provider.authenticate(request)).toMatchObject({
    kind: 'challenge',
    acsUrl: 'https://acs.example/challenge',
  });
  respond = { body: { status: 'open' } };
  expect(await provider.result(resultRequest)).toEqual({ kind: 'open' });
  respond = { body: rreq({ transStatus: 'N', challengeCancel: '01' }) };
  expect(await provider.result(resultRequest)).toMatchObject({ kind: 'not-authenticated', cancelled: true });
  respond = { body: { messageType: 'Erro', threeDSServerTransID: resultRequest.sessionId, errorCode: '405' } };
  expect(await provider.authenticate(request)).toMatchObject({ kind: 'impossible' });
});

test.each([
  ['of another session', { body: rreq({ transStatus: 'Y', threeDSServerTransID: 'another', ...proof }) }],
  ['with another amount', { body: rreq({ transStatus: 'Y', purchaseAmount: '1', ...proof }) }],
  ['with another currency', { body: rreq({ transStatus: 'Y', purchaseCurrency: '858', ...proof }) }],
  ['without a status', { body: rreq({}) }],
  ['with an unknown status', { body: rreq({ transStatus: 'X' }) }],
  ['of another kind', { body: ares({ transStatus: 'Y', ...proof }) }],
  ['that is not JSON', { body: '<html>' }],
  ['with status 500', { status: 500, body: rreq({ transStatus: 'Y', ...proof }) }],
  ['with status 404', { status: 404, body: {} }],
  ['that is cut off', { hangUp: true as const }],
])('a result %s is no answer', async (_what, given) => {
  respond = given;
  expect(await provider.result(resultRequest)).toMatchObject({ kind: 'no-answer' });
});

test('a challenge without a URL, or with one that is no web address, is no answer', async () => {
  for (const acsURL of [undefined, 'javascript:alert(1)', 'ftp://acs.example/']) {
    respond = { body: ares({ transStatus: 'C', acsURL }) };
    expect(await provider.authenticate(request)).toMatchObject({ kind: 'no-answer' });
  }
});

const cardRange = (more: object) => ({ threeDSServerTransID: resultRequest.sessionId, ...more });

test.each<[string, object, object]>([
  [
    'an address',
    { body: cardRange({ threeDSMethodURL: 'https://acs.example/m' }) },
    { kind: 'method', url: 'https://acs.example/m' },
  ],
  ['no address', { body: cardRange({}) }, { kind: 'no-method' }],
  [
    'another session',
    { body: cardRange({ threeDSServerTransID: 'x', threeDSMethodURL: 'https://acs.example/m' }) },
    { kind: 'no-answer' },
  ],
  ['what is no web address', { body: cardRange({ threeDSMethodURL: 'javascript:alert(1)' }) }, { kind: 'no-answer' }],
  ['nothing', { hangUp: true }, { kind: 'no-answer' }],
  ['a status 500', { status: 500, body: cardRange({}) }, { kind: 'no-answer' }],
])('findMethod reads %s', async (_what, given, expected) => {
  respond = given;
  expect(await provider.findMethod(request)).toMatchObject(expected);
});
