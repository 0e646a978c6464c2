/** Payments authenticated by a 3-D Secure server on the EMV 3DS wire, from the request to the processor's books. */
import { cardEnding } from '../../scripts/sandbox/threeds-server/cases.js';
import type { ThreeDsServer } from '../../scripts/sandbox/threeds-server/start-threeds-server.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { type Choice, completeChallenge } from '../support/payer.js';
import { browser, browserPayment, serverSettings, startTestServer, switchOnServer } from '../support/threeds-server.js';

let server: ThreeDsServer;
let gateway: TestGateway;

beforeAll(async () => {
  server = await startTestServer();
  // 2 seconds between tries become 20 milliseconds.
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
/** The AReq of the newest authentication. */
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

test('an attempt is a proof; the other ends are none', async () => {
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
