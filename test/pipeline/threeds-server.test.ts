/** Payments authenticated by a 3D Secure server on the EMV 3DS wire, from the request to the processor's books. */
import { cardEnding } from '../../scripts/sandbox/threeds-server/cases.js';
import type { ThreeDsServer } from '../../scripts/sandbox/threeds-server/start-threeds-server.js';
import { type Choice, formOf, submit, visit } from '../support/forms.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { completeChallenge, toReachableUrl } from '../support/payer.js';
import {
  browser,
  browserPayment,
  serverMetadata,
  serverSettings,
  startTestServer,
  switchOnServer,
} from '../support/threeds-server.js';

let server: ThreeDsServer;
let gateway: TestGateway;

beforeAll(async () => {
  server = await startTestServer();
  gateway = await startGateway({
    name: 'threeds_server',
    settings: { ...serverSettings(server.url), TIME_SCALE: '100' },
  });
  await switchOnServer(gateway);
});
afterAll(async () => {
  await gateway?.close();
  await server?.close();
});

const pay = (lastFour: string, more: Record<string, unknown> = {}, card: Record<string, unknown> = {}) =>
  gateway.call('POST', '/v1/payments', browserPayment(cardEnding(lastFour), more, card));
const read = async (id: string) => (await gateway.call('GET', `/v1/payments/${id}`)).body;
const ledgerOf = async (key: string) => (await gateway.ledger()).filter((entry) => entry.key === key);
/** Returns the AReq of the newest authentication. */
const areq = () => server.received.findLast(({ path }) => path === '/auth')?.body ?? {};

test('the provider is in the catalogue', async () => {
  const { body } = await gateway.call('GET', '/v1/threeds/providers/EMV3DS');
  expect(body).toMatchObject({ code: 'emv3ds', requiredFields: expect.arrayContaining(['acquirerBin']) });
});

test.each([
  ['2103', '2.2.0'],
  ['1103', '2.1.0'],
  ['0103', '2.2.0'],
])(
  'a frictionless card ending in %s is authenticated by %s, and the proof reaches the processor',
  async (card, version) => {
    const { status, body } = await pay(card);
    expect([status, body.status]).toEqual([200, 'approved']);
    expect(body.threeDS).toMatchObject({
      provider: 'emv3ds',
      status: 'frictionless',
      version,
      transStatus: 'Y',
      eci: '05',
      liabilityShift: true,
    });
    expect(await ledgerOf(body.transactions[0].id)).toMatchObject([{ result: 'approved', eci: '05' }]);
    expect(body.browserDetails).toEqual(browser);
    expect(areq()).toMatchObject({ messageVersion: version, threeDSCompInd: 'U', browserIP: browser.ipAddress });
    expect('browserJavascriptEnabled' in areq()).toBe(version === '2.2.0');
  },
);

test('an attempt counts as a proof; failures, rejections and errors do not', async () => {
  expect((await pay('2123')).body).toMatchObject({ status: 'approved', threeDS: { transStatus: 'A', eci: '06' } });
  for (const [card, transStatus, status] of [
    ['2113', 'N', 'failed'],
    ['2133', 'R', 'failed'],
    ['2153', undefined, 'error'],
    ['2143', undefined, 'error'],
    ['2186', undefined, 'error'],
  ] as const) {
    const refused = await pay(card);
    expect([refused.status, refused.body.code]).toEqual([422, 'authentication-failed']);
    const denied = await read(refused.body.params.paymentId[0]);
    expect(denied).toMatchObject({ status: 'denied', transactions: [], threeDS: { status } });
    expect(denied.threeDS.transStatus).toBe(transStatus);
  }
});

test.each<[Choice, string, string]>([
  ['approve', 'approved', 'authenticated'],
  ['fail', 'denied', 'failed'],
  ['cancel', 'denied', 'cancelled'],
  ['abandon', 'denied', 'failed'],
])('a challenge that the payer ends with %s: %s', async (choice, status, ended) => {
  const { body } = await pay('2172');
  expect(body).toMatchObject({ status: 'pending', threeDS: { status: 'step-up-required', version: '2.2.0' } });
  const end = await completeChallenge(gateway, body.actions[0].href, choice);
  expect(end.searchParams.get('status')).toBe(status);
  expect((await read(body.id)).threeDS.status).toBe(ended);
  expect(await ledgerOf(body.transactions[0].id)).toHaveLength(choice === 'approve' ? 1 : 0);
});

test.each(['2170', '1170'])(
  'a challenge of %s that ends by itself authenticates a payment over the API',
  async (card) => {
    const { body } = await pay(card);
    const end = await openChallenge(body.actions[0].href);
    expect(end.searchParams.get('status')).toBe('approved');
    expect((await read(body.id)).threeDS).toMatchObject({ status: 'authenticated', eci: '05', liabilityShift: true });
  },
);

test('the CReq follows EMV with the requested window size, and a forged return changes nothing', async () => {
  const { body } = await pay('2172', { browserDetails: { ...browser, challengeWindowSize: '02' } });
  const href = toReachableUrl(gateway, body.actions[0].href);
  const { fields } = formOf(await (await visit(href)).text());
  expect(fields['creq']).toMatch(/^[\w-]+$/);
  expect(fields['threeDSSessionData']).toMatch(/^[\w-]+$/);
  const stored = await gateway.payments.findById(body.id);
  const { reference, sessionId = '' } = stored?.threeDs ?? {};
  expect(reference).not.toBe(sessionId);
  expect(JSON.parse(Buffer.from(fields['creq'] ?? '', 'base64url').toString())).toEqual({
    messageType: 'CReq',
    messageVersion: '2.2.0',
    threeDSServerTransID: reference,
    acsTransID: stored?.threeDs?.challenge?.acsTransactionId,
    challengeWindowSize: '02',
  });
  const back = href.replace('/challenge/', '/return/');
  const cres = (threeDSServerTransID: string | undefined) =>
    Buffer.from(JSON.stringify({ messageType: 'CRes', threeDSServerTransID, transStatus: 'Y' })).toString('base64url');
  // The gateway's id is in the address, and differs from the id in the messages.
  expect((await submit(back, { cres: cres(sessionId) })).status).toBe(404);
  // The right id makes the gateway inquire: the server has no result, so nothing is approved.
  expect((await submit(back, { cres: `${cres(reference)}==` })).status).toBe(303);
  expect(await read(body.id)).toMatchObject({ status: 'pending', threeDS: { status: 'step-up-required' } });
});

describe('an answer of the server that is an error or missing', () => {
  const refusals = new Map<string, ReturnType<typeof pay>>();
  const ends = ['2163', '2180', '2181', '2184', '2185', '2187', '2188', '2199', '3103', '2183'];
  // All payments start at once, because each request to the server is repeated twice, two seconds later.
  beforeAll(async () => {
    for (const card of ends) refusals.set(card, pay(card));
    await Promise.all(refusals.values());
  });

  test.each(ends)('%s: the payment fails with authentication-failed, and nothing is sent', async (card) => {
    const refused = await refusals.get(card);
    expect([refused?.status, refused?.body.code]).toEqual([422, 'authentication-failed']);
    const denied = await read(refused?.body.params.paymentId[0]);
    expect(denied).toMatchObject({
      status: 'denied',
      transactions: [],
      threeDS: { status: 'error', liabilityShift: false },
    });
    expect(JSON.stringify(denied)).not.toContain(cardEnding(card));
  });
});

test('missing browser details are refused, and named in the answer', async () => {
  const { ipAddress, userAgent } = browser;
  const short = await pay('2103', { browserDetails: { ipAddress, userAgent } });
  expect([short.status, short.body.code]).toEqual([400, 'invalid-browser-details']);
  expect(Object.keys(short.body.params).sort()).toEqual(
    ['acceptHeader', 'colorDepth', 'javaEnabled', 'language', 'screenHeight', 'screenWidth', 'timeZoneOffset'].map(
      (name) => `browserDetails.${name}`,
    ),
  );
  const { acceptHeader, language } = browser;
  const plain = { ipAddress, userAgent, acceptHeader, language, javascriptEnabled: false };
  expect((await pay('2103', { browserDetails: plain })).body).toMatchObject({ status: 'approved' });
  expect(areq()['browserJavascriptEnabled']).toBe(false);
  expect((await pay('1103', { browserDetails: plain })).body.code).toBe('authentication-failed');
});

test.each([
  ['acceptHeader', 'x\n'],
  ['acceptHeader', 'x'.repeat(2_049)],
  ['language', 'es_UY'],
  ['language', 'zh-Hant-TW'],
  ['javascriptEnabled', 'true'],
  ['javaEnabled', 1],
  ['colorDepth', 30],
  ['screenHeight', -1],
  ['screenWidth', 1_000_000],
  ['screenWidth', 1.5],
  ['timeZoneOffset', 841],
  ['challengeWindowSize', '06'],
  ['colourDepth', 24],
])('browserDetails.%s of %j is refused', async (name, value) => {
  const { status, body } = await pay('2103', { browserDetails: { ...browser, [name]: value } });
  expect([status, body.code]).toEqual([400, 'invalid-browser-details']);
  expect(Object.keys(body.params)).toEqual([`browserDetails.${name}`]);
});

test('data about the payer, the installments and the agreement reaches the issuer', async () => {
  const cardholder = {
    firstName: 'José',
    lastName: 'Núñez',
    email: 'jose@example.com',
    phoneNumber: '+59899123456',
    billingAddress: { line1: 'Av. Italia 1', city: 'Montevideo', state: 'MO', postalCode: '11600', country: 'UY' },
  };
  await pay('2103', { installments: 6 }, { cardholder });
  expect(areq()).toMatchObject({
    cardholderName: 'Jose Nunez',
    email: 'jose@example.com',
    mobilePhone: { cc: '598', subscriber: '99123456' },
    billAddrCountry: '858',
    billAddrState: 'MO',
    threeDSRequestorAuthenticationInd: '03',
    purchaseInstalData: '6',
    threeDSRequestorID: 'requestor-77',
  });
  await pay('2103', { recurring: { type: 'initial', frequency: 'weekly', expiresAt: '2030-01-02T00:00:00Z' } });
  expect(areq()).toMatchObject({
    threeDSRequestorAuthenticationInd: '02',
    recurringFrequency: '7',
    recurringExpiry: '20300102',
  });
});

test.each([
  ['acquirerBin', 'abc'],
  ['merchantCategoryCode', '54110'],
  ['merchantCountryCode', 'XX'],
  ['requestorUrl', 'http://shop.example'],
  ['challengeIndicator', '05'],
  ['deviceChannel', '03'],
  ['threeRIInd', '01'],
  ['threeDSRequestorDecReqInd', 'Y'],
  ['merchantCategoryCode', ''],
])('settings with a %s of "%s" are refused', async (name, value) => {
  const path = '/v1/merchants/1001/payment-methods/visa/threeds';
  const { status, body } = await gateway.call('PUT', path, {
    provider: 'emv3ds',
    metadata: { ...serverMetadata, [name]: value },
  });
  expect([status, body.code, Object.keys(body.params)]).toEqual([
    400,
    'request-validation-errors',
    [`metadata.${name}`],
  ]);
});

test('while the server is down no payment is sent unauthenticated; afterwards payments are approved', async () => {
  const { port } = new URL(server.url);
  await server.close();
  const refused = await pay('2103');
  expect([refused.status, refused.body.code]).toEqual([422, 'authentication-failed']);
  expect((await read(refused.body.params.paymentId[0])).threeDS.status).toBe('error');
  // The server is back: the next payment is authenticated.
  server = await startTestServer({ port: Number(port) });
  expect((await pay('2103')).body.status).toBe('approved');
});

/** Opens a challenge whose page sends its form back by itself. Returns the address to which the payer is sent. */
async function openChallenge(approvalUrl: string): Promise<URL> {
  const way = formOf(await (await visit(toReachableUrl(gateway, approvalUrl))).text());
  const back = formOf(await (await submit(way.action, way.fields)).text());
  const answer = await submit(toReachableUrl(gateway, back.action), back.fields);
  return new URL(answer.headers.get('location') ?? '');
}
