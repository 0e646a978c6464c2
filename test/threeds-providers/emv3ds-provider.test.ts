/** The adapter to a 3D Secure server: what it sends in each version, and how it reads the answers. */
import fc from 'fast-check';
import { iso31661 } from 'iso-3166/1.js';
import { areqFaults } from '../../scripts/sandbox/threeds-server/areq-rules.js';
import { cardEnding } from '../../scripts/sandbox/threeds-server/cases.js';
import { startThreeDsServer, type ThreeDsServer } from '../../scripts/sandbox/threeds-server/start-threeds-server.js';
import { buildAReq, obstacleOf } from '../../shared/threeds-providers/emv3ds/build-areq.js';
import { chooseVersion, methodUrlOf } from '../../shared/threeds-providers/emv3ds/choose-version.js';
import { createEmv3dsProvider } from '../../shared/threeds-providers/emv3ds/create-emv3ds-provider.js';
import { toRange } from '../../shared/threeds-providers/emv3ds/read-answers.js';
import type { AuthenticationRequest, ThreeDsProvider } from '../../shared/threeds-providers/provider.js';
import { startTamperingPeer } from '../conformance/http-peers.js';
import { makeCertificate } from '../support/make-certificate.js';

const apiKey = 'key-of-the-test';
const requestor = { url: 'https://gateway.example', id: 'requestor-1', name: 'Requestor' };
const reference = '8c6a1f0e-3b5d-4e7f-9a1c-2d4e6f8a0b1c';
const PURCHASED_AT = new Date('2026-11-20T12:13:14Z');

let server: ThreeDsServer;
let provider: ThreeDsProvider;
const connect = (url: string, more: object = {}) =>
  createEmv3dsProvider({ url, apiKey, apiKeyHeader: 'APIKey', requestor, ...more });

beforeAll(async () => {
  server = await startThreeDsServer({ port: 0, apiKey });
  provider = connect(server.url);
});
afterAll(async () => {
  await provider?.close();
  await server?.close();
});

const request: AuthenticationRequest = {
  sessionId: 'ours',
  amountMinor: 12_205,
  currency: 'USD',
  traceId: 'trace-1',
  card: { number: cardEnding('2103'), expMonth: 3, expYear: 2034, holderName: 'José  Núñez' },
  merchantId: 1001,
  merchantName: 'Librería Ñandú',
  metadata: {
    acquirerBin: '400000',
    acquirerMerchantId: '00002000000',
    merchantCategoryCode: '5411',
    merchantCountryCode: 'UY',
  },
  browser: {
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
    acceptHeader: 'text/html',
    language: 'es-UY',
    javascriptEnabled: true,
    javaEnabled: false,
    colorDepth: 24,
    screenHeight: 1080,
    screenWidth: 1920,
    timeZoneOffset: 180,
  },
  payer: {},
  purchasedAt: PURCHASED_AT,
  methodCompletion: 'U',
  returnUrl: 'https://gateway.example/threeds/return/ours',
};
const areqOf = (more: Partial<AuthenticationRequest> = {}, version: '2.1.0' | '2.2.0' = '2.2.0') =>
  buildAReq({ ...request, ...more }, requestor, { reference, version, completion: 'N' });

test('an AReq has all elements of a payment in a browser', () => {
  const payer = {
    email: 'ana@example.com',
    phone: '+598 99 123 456',
    address: { line1: 'Av. 18 de Julio 1000', city: 'Montevideo', state: 'UY-MO', postalCode: '11100', country: 'UY' },
  };
  expect(areqOf({ payer: { ...payer, shipping: { address: payer.address } } })).toEqual({
    messageType: 'AReq',
    messageVersion: '2.2.0',
    threeDSServerTransID: reference,
    deviceChannel: '02',
    messageCategory: '01',
    threeDSCompInd: 'N',
    threeDSRequestorAuthenticationInd: '01',
    threeDSRequestorDecReqInd: 'N',
    threeDSRequestorID: 'requestor-1',
    threeDSRequestorName: 'Requestor',
    threeDSRequestorURL: 'https://gateway.example',
    acctNumber: cardEnding('2103'),
    cardExpiryDate: '3403',
    cardholderName: 'Jose Nunez',
    email: 'ana@example.com',
    mobilePhone: { cc: '598', subscriber: '99123456' },
    billAddrCity: 'Montevideo',
    billAddrCountry: '858',
    billAddrLine1: 'Av. 18 de Julio 1000',
    billAddrPostCode: '11100',
    billAddrState: 'MO',
    shipAddrCity: 'Montevideo',
    shipAddrCountry: '858',
    shipAddrLine1: 'Av. 18 de Julio 1000',
    shipAddrPostCode: '11100',
    shipAddrState: 'MO',
    addrMatch: 'Y',
    purchaseAmount: '12205',
    purchaseCurrency: '840',
    purchaseExponent: '2',
    purchaseDate: '20261120121314',
    transType: '01',
    acquirerBIN: '400000',
    acquirerMerchantID: '00002000000',
    mcc: '5411',
    merchantCountryCode: '858',
    merchantName: 'Libreria Nandu',
    notificationURL: request.returnUrl,
    browserAcceptHeader: 'text/html',
    browserIP: '203.0.113.7',
    browserLanguage: 'es-UY',
    browserUserAgent: 'Mozilla/5.0',
    browserJavascriptEnabled: true,
    browserJavaEnabled: false,
    browserColorDepth: '24',
    browserScreenHeight: '1080',
    browserScreenWidth: '1920',
    browserTZ: '180',
  });
});

test.each(['Βιβλιοπωλείο Αθήνα', 'Книги 24', '東京書店', 'مكتبة'])(
  'a merchant with the name "%s" is named by its number',
  (merchantName) => {
    expect(areqOf({ merchantName }).merchantName).toBe('MERCHANT 1001');
    const metadata = { ...request.metadata, merchantName: 'Latin Name' };
    expect(areqOf({ merchantName, metadata }).merchantName).toBe('Latin Name');
  },
);

test('2.1.0 has no element for scripts or decoupled authentication', () => {
  const {
    messageVersion: _new,
    browserJavascriptEnabled: _script,
    threeDSRequestorDecReqInd: _dec,
    ...same
  } = areqOf();
  const { messageVersion, ...old } = areqOf({}, '2.1.0');
  expect([messageVersion, old]).toEqual(['2.1.0', same]);
});

test.each([
  [
    { installments: 12 },
    {
      threeDSRequestorAuthenticationInd: '03',
      purchaseInstalData: '12',
      recurringFrequency: '28',
      recurringExpiry: '20271127',
    },
  ],
  [
    { recurring: { type: 'initial', frequency: 'monthly' } },
    { threeDSRequestorAuthenticationInd: '02', recurringFrequency: '28', recurringExpiry: '99991231' },
  ],
  [
    { recurring: { type: 'initial', frequency: 'yearly', expiresAt: new Date('2030-01-02T00:00:00Z') } },
    { threeDSRequestorAuthenticationInd: '02', recurringFrequency: '365', recurringExpiry: '20300102' },
  ],
  [{ recurring: { type: 'initial' } }, { threeDSRequestorAuthenticationInd: '02', recurringFrequency: '1' }],
  [{ recurring: { type: 'initial', frequency: 'unscheduled' } }, { threeDSRequestorAuthenticationInd: '01' }],
] as const)('an agreement of %j has its elements and breaks no rule', (more, expected) => {
  expect(areqOf(more as never)).toMatchObject(expected);
  expect(areqFaults(areqOf(more as never) as never)).toEqual({ missing: [], wrong: [] });
});

test.each([
  ['3RI', { recurring: { type: 'subsequent' } }, '3RI'],
  ['a browser that is not known', { browser: { ipAddress: '203.0.113.7' } }, 'userAgent'],
  ['scripts without their fields', { browser: { ...request.browser, colorDepth: undefined } }, 'colorDepth'],
  ['settings without an acquirer', { metadata: {} }, 'acquirerBin'],
  ['another channel', { metadata: { ...request.metadata, deviceChannel: '01' } }, 'deviceChannel'],
  ['decoupled authentication', { metadata: { ...request.metadata, threeDSRequestorDecReqInd: 'Y' } }, 'DecReqInd'],
])('%s cannot be authenticated, and the reason is given', async (_what, more, why) => {
  const asked = { ...request, ...more } as AuthenticationRequest;
  expect(obstacleOf(asked)).toContain(why);
  expect(await provider.authenticate(asked)).toMatchObject({ kind: 'impossible' });
});

test('the message keeps the rules of EMV 3DS, whatever is known of the payer', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 80 });
  const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
  const address = fc.record({
    line1: text,
    line2: maybe(text),
    city: maybe(text),
    state: maybe(fc.oneof(text, fc.constantFrom('UY-MO', 'CO', 'B'))),
    postalCode: maybe(text),
    country: maybe(fc.oneof(text, fc.constantFrom(...iso31661.map(({ alpha2 }) => alpha2)))),
  });
  const payer = fc.record({
    email: maybe(fc.oneof(text, fc.emailAddress())),
    phone: maybe(
      fc.oneof(
        text,
        fc.bigInt({ min: 0n, max: 10n ** 17n }).map((digits) => `+${digits}`),
      ),
    ),
    address: maybe(address),
    shipping: maybe(fc.record({ address: maybe(address) })),
  });
  fc.assert(
    fc.property(
      payer,
      text,
      text,
      fc.constantFrom('2.1.0' as const, '2.2.0' as const),
      fc.integer({ min: 1, max: 99 }),
      (known, holderName, userAgent, version, installments) => {
        const browser = { ...request.browser, userAgent: userAgent.trim() === '' ? 'x' : `x${userAgent}` };
        const areq = areqOf(
          { payer: known as never, card: { ...request.card, holderName }, browser, installments },
          version,
        );
        expect(areqFaults(areq as never)).toEqual({ missing: [], wrong: [] });
      },
    ),
    { numRuns: 1_000 },
  );
});

const range = (ds: string, acs: string, more: object = {}) => {
  const [dsStartProtocolVersion = '', dsEndProtocolVersion = ''] = ds.split('-');
  const [acsStartProtocolVersion = '', acsEndProtocolVersion = ''] = acs.split('-');
  const versions = { dsStartProtocolVersion, dsEndProtocolVersion, acsStartProtocolVersion, acsEndProtocolVersion };
  return { messageType: 'CRD' as const, threeDSServerTransID: reference, ...versions, ...more };
};

test.each([
  ['2.1.0-2.2.0', '2.1.0-2.2.0', '2.2.0'],
  ['2.1.0-2.3.1', '2.1.0-2.3.1', '2.2.0'],
  ['2.1.0-2.2.0', '2.1.0-2.1.0', '2.1.0'],
  ['2.1.0-2.1.0', '2.2.0-2.2.0', undefined],
  ['2.3.0-2.3.1', '2.1.0-2.3.1', undefined],
])('directory %s and issuer %s give the version %s', (ds, acs, version) => {
  expect(chooseVersion(range(ds, acs))).toBe(version);
});

test('the lists of a range take precedence over its ends, and the method is that of the version', () => {
  const old = { version: '2.1.0', threeDSMethodURL: 'https://acs.example/old' };
  const listed = range('2.1.0-2.2.0', '2.1.0-2.2.0', {
    acsProtocolVersions: [old],
    threeDSMethodURL: 'https://acs.example/',
  });
  expect(chooseVersion(listed)).toBe('2.1.0');
  expect(methodUrlOf(listed, '2.1.0')).toBe(old.threeDSMethodURL);
  expect(methodUrlOf(range('2.1.0-2.2.0', '2.1.0-2.2.0', { threeDSMethodURL: 'https://acs.example/' }), '2.2.0')).toBe(
    'https://acs.example/',
  );
});

const authenticate = (lastFour: string, more: Partial<AuthenticationRequest> = {}) =>
  provider.authenticate({ ...request, ...more, card: { ...request.card, number: cardEnding(lastFour) } });

test.each([
  ['3103', 'impossible', 'no version'],
  ['2199', 'impossible', 'error 305'],
  ['2183', 'impossible', 'error 203'],
  ['2163', 'no-answer', 'error 405'],
  ['2143', 'impossible', 'answers I'],
  ['2186', 'impossible', 'answers D'],
  ['2180', 'no-answer', 'no JSON'],
  ['2181', 'no-answer', 'another session'],
  ['2184', 'no-answer', 'TooLarge'],
  ['2185', 'no-answer', ''],
  ['2187', 'no-answer', 'status 500'],
  ['2188', 'no-answer', 'another shape'],
  ['2189', 'no-answer', 'another shape'],
])('a card ending in %s is %s (%s)', async (lastFour, kind, why) => {
  expect(await authenticate(lastFour)).toMatchObject({ kind, internal: expect.stringContaining(why) });
});

test('a server that is too slow is given up at our deadline', async () => {
  const hasty = connect(server.url, { timeoutMs: 150 });
  const number = cardEnding('2182');
  expect(await hasty.authenticate({ ...request, card: { ...request.card, number } })).toMatchObject({
    kind: 'no-answer',
  });
  await hasty.close();
});

test('a wrong key is no answer, and the reason does not contain it', async () => {
  const stranger = connect(server.url, { apiKey: 'wrong-key' });
  expect(await stranger.authenticate(request)).toEqual({
    kind: 'no-answer',
    internal: 'an answer that is no JSON, status 401',
  });
  await stranger.close();
});

test('the key is sent in the header with the configured name', async () => {
  const named = await startThreeDsServer({ port: 0, apiKey, apiKeyHeader: 'X-Own-Key' });
  const own = connect(named.url, { apiKeyHeader: 'X-Own-Key' });
  expect(await own.authenticate(request)).toMatchObject({ kind: 'authenticated' });
  expect(named.received[0]?.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
  await own.close();
  await named.close();
});

test('without scripts 2.2.0 reports that there are none, and 2.1.0 cannot', async () => {
  const {
    colorDepth: _d,
    screenHeight: _h,
    screenWidth: _w,
    timeZoneOffset: _t,
    javaEnabled: _j,
    ...rest
  } = request.browser;
  const browser = { ...rest, javascriptEnabled: false };
  expect(await authenticate('2103', { browser })).toMatchObject({ kind: 'authenticated', version: '2.2.0' });
  expect(await authenticate('1103', { browser })).toMatchObject({ kind: 'impossible' });
});

test('a method that was not completed is reported to the issuer: N with a method URL, U without', async () => {
  const sent = () => server.received.findLast(({ path }) => path === '/auth')?.body['threeDSCompInd'];
  await authenticate('2003');
  expect(sent()).toBe('N');
  await authenticate('2103');
  expect(sent()).toBe('U');
});

test('a preparation that the server forgot is made again, and its method counts as not completed', async () => {
  const prepared = { reference, version: '2.2.0' };
  expect(await authenticate('2003', { prepared, methodCompletion: 'Y' })).toMatchObject({ kind: 'authenticated' });
  const [first, , second] = server.received.slice(-3);
  expect([first?.path, first?.body['threeDSServerTransID'], first?.body['threeDSCompInd']]).toEqual([
    '/auth',
    reference,
    'Y',
  ]);
  expect([second?.path, second?.body['threeDSCompInd']]).toEqual(['/auth', 'N']);
});

/** Returns a challenge that the payer has passed, for which the result can be requested. */
async function challenged() {
  const answer = await authenticate('2170');
  if (answer.kind !== 'challenge') throw new Error(answer.kind);
  const { acsUrl, kind: _kind, ...ids } = answer;
  const creq = {
    messageType: 'CReq',
    messageVersion: '2.2.0',
    threeDSServerTransID: answer.reference,
    acsTransID: answer.acsTransactionId,
    challengeWindowSize: '05',
  };
  const body = new URLSearchParams({ creq: Buffer.from(JSON.stringify(creq)).toString('base64url') });
  expect((await fetch(acsUrl, { method: 'POST', body })).status).toBe(200);
  return { ...request, ...ids };
}

test.each([
  ['threeDSServerTransID', reference],
  ['acsTransID', reference],
  ['dsTransID', reference],
  ['messageVersion', '2.1.0'],
  ['messageCategory', '02'],
  ['purchaseAmount', '1'],
  ['purchaseCurrency', '858'],
])('a result with another %s is no answer', async (name, value) => {
  const asked = await challenged();
  expect(await provider.result(asked)).toMatchObject({ kind: 'authenticated', transStatus: 'Y' });
  const proxy = await startTamperingPeer(server.url, (text) => JSON.stringify({ ...JSON.parse(text), [name]: value }));
  const through = connect(proxy.url);
  expect(await through.result(asked)).toMatchObject({ kind: 'no-answer' });
  await through.close();
  await proxy.close();
});

test.each(['threeDSServerTransID', 'acsTransID', 'dsTransID'])(
  'a result may have its %s in uppercase',
  async (name) => {
    const asked = await challenged();
    const proxy = await startTamperingPeer(server.url, (text) => {
      const answer = JSON.parse(text);
      return JSON.stringify({ ...answer, [name]: String(answer[name]).toUpperCase() });
    });
    const through = connect(proxy.url);
    expect(await through.result(asked)).toMatchObject({ kind: 'authenticated', transStatus: 'Y' });
    await through.close();
    await proxy.close();
  },
);

const ofBytes = (count: number) => Buffer.alloc(count, 0xa7).toString('base64');

test.each<[string, unknown, string]>([
  ['authenticationValue', ofBytes(20), 'authenticated'],
  ['authenticationValue', ofBytes(19), 'no-answer'],
  ['authenticationValue', ofBytes(21), 'no-answer'],
  ['authenticationValue', ofBytes(20).replaceAll('=', ''), 'no-answer'],
  ['authenticationValue', ofBytes(20).replaceAll('=', '-'), 'no-answer'],
  ['authenticationValue', '', 'no-answer'],
  ['authenticationValue', null, 'no-answer'],
  ['eci', undefined, 'authenticated'],
  ['eci', '', 'no-answer'],
  ['eci', '5', 'no-answer'],
  ['eci', 5, 'no-answer'],
  ['transStatus', 'y', 'no-answer'],
  ['transStatus', 'S', 'no-answer'],
  ['transStatus', 'N', 'not-authenticated'],
  ['transStatus', 'U', 'impossible'],
  ['dsTransID', undefined, 'no-answer'],
])('a proof whose %s is %j is read as %s', async (name, value, kind) => {
  const proxy = await startTamperingPeer(server.url, (text) => JSON.stringify({ ...JSON.parse(text), [name]: value }));
  const through = connect(proxy.url);
  const card = { ...request.card, number: cardEnding('2103') };
  expect(await through.authenticate({ ...request, card })).toMatchObject({ kind });
  await through.close();
  await proxy.close();
});

test('over TLS only a server with a trusted certificate is asked, and a method URL without TLS is no answer', async () => {
  const own = await makeCertificate('localhost');
  const secure = await startThreeDsServer({ port: 0, apiKey, tls: own });
  const url = secure.url.replace('127.0.0.1', 'localhost');
  const known = connect(url, { ca: own.cert });
  expect(await known.authenticate(request)).toMatchObject({ kind: 'authenticated' });
  const challenge = await known.authenticate({ ...request, card: { ...request.card, number: cardEnding('2172') } });
  expect(challenge).toMatchObject({ kind: 'challenge', acsUrl: expect.stringMatching(/^https:/) });
  const unknown = connect(url);
  expect(await unknown.authenticate(request)).toMatchObject({
    kind: 'no-answer',
    internal: expect.stringMatching(/CERT/),
  });
  const stranger = connect(url, { ca: (await makeCertificate('localhost')).cert });
  expect(await stranger.authenticate(request)).toMatchObject({ kind: 'no-answer' });
  await Promise.all([known, unknown, stranger].map((one) => one.close()));
  await secure.close();

  const range = {
    messageType: 'CRD',
    threeDSServerTransID: reference,
    dsStartProtocolVersion: '2.1.0',
    dsEndProtocolVersion: '2.2.0',
  };
  const whole = { ...range, acsStartProtocolVersion: '2.1.0', acsEndProtocolVersion: '2.2.0' };
  const plain = { ...whole, threeDSMethodURL: 'http://acs.example/method' };
  expect(toRange(plain, true)).toMatchObject({ kind: 'no-answer' });
  expect(toRange(plain, false)).toMatchObject({ methodUrl: plain.threeDSMethodURL });
});
