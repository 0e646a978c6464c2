/** A 3D Secure server on the EMV 3DS wire, with a payer in a real Chromium: what the issuer learns about the browser, and its pages. */
import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { cardEnding } from '../../scripts/sandbox/threeds-server/cases.js';
import type { ThreeDsServer } from '../../scripts/sandbox/threeds-server/start-threeds-server.js';
import { freePort } from '../../scripts/setup/ports.mjs';
import { describeInBrowser, launchBrowser, openPage, type Watched } from '../support/browser.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { serverSettings, startTestServer, switchOnServer } from '../support/threeds-server.js';

describeInBrowser('a payer at the hosted checkout', () => {
  let server: ThreeDsServer;
  let gateway: TestGateway;
  let browser: Browser;
  let watched: Watched;
  let reference: string;

  beforeAll(async () => {
    const port = await freePort();
    server = await startTestServer();
    gateway = await startGateway({
      name: 'threeds_server_pages',
      port,
      settings: { ...serverSettings(server.url), PUBLIC_BASE_URL: `http://127.0.0.1:${port}` },
    });
    await switchOnServer(gateway);
    browser = await launchBrowser();
  });
  afterEach(async () => {
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    await server?.close();
  });

  async function submitCard(lastFour: string, options: BrowserContextOptions = {}) {
    reference = `order-${randomUUID()}`;
    const { body } = await gateway.call('POST', '/v1/sessions', {
      merchantId: 1001,
      referenceId: `session-${reference}`,
      type: 'checkout',
      paymentRequest: { referenceId: reference, invoiceNumber: 'A-1', amount: { total: 10, currency: 'USD' } },
    });
    watched = await openPage(browser, options);
    const { page } = watched;
    await page.goto(body.actions[0].href);
    await page.fill('#number', cardEnding(lastFour));
    await page.fill('#exp', '12 / 34');
    await page.fill('#cvc', '123');
    await page.fill('#name', 'Ana Pérez');
    await page.click('#go');
    return page;
  }
  const paid = async () => (await gateway.call('GET', `/v1/payments/query?referenceId=${reference}`)).body.data[0];
  const areq = () => server.received.findLast(({ path }) => path === '/auth')?.body ?? {};

  test.each([
    ['2003', '2.2.0'],
    ['1003', '2.1.0'],
  ])('%s: the issuer checks the browser, and gets all of its fields (%s)', async (card, version) => {
    const page = await submitCard(card, {
      locale: 'es-UY',
      timezoneId: 'America/Montevideo',
      screen: { width: 1366, height: 768 },
      viewport: { width: 1366, height: 700 },
    });
    await page.waitForSelector('.seal.ok');
    expect(await paid()).toMatchObject({ status: 'approved', threeDS: { status: 'frictionless', version } });
    const real = await page.evaluate(`({
      browserUserAgent: navigator.userAgent,
      browserLanguage: navigator.language,
      browserJavaEnabled: navigator.javaEnabled(),
      browserColorDepth: String(screen.colorDepth),
      browserScreenHeight: String(screen.height),
      browserScreenWidth: String(screen.width),
      browserTZ: String(new Date().getTimezoneOffset()),
    })`);
    expect(real).toMatchObject({ browserTZ: '180', browserLanguage: 'es-UY', browserScreenWidth: '1366' });
    expect(areq()).toMatchObject({
      ...(real as object),
      threeDSCompInd: 'Y',
      messageVersion: version,
      browserIP: '127.0.0.1',
      browserAcceptHeader: expect.stringContaining('text/html'),
      cardholderName: 'Ana Perez',
    });
    expect(areq()['browserJavascriptEnabled']).toBe(version === '2.1.0' ? undefined : true);
  });

  test('a payer approves the challenge of the issuer', async () => {
    const page = await submitCard('2072');
    await page.waitForSelector('button[value="approve"]');
    expect(await page.locator('#look').innerText()).toContain('method, Y');
    await page.click('button[value="approve"]');
    await page.waitForSelector('.seal.ok');
    expect(await paid()).toMatchObject({ status: 'approved', threeDS: { status: 'authenticated', eci: '05' } });
  });

  test.each([
    ['2170', '.seal.ok', 'approved'],
    ['2171', '#errors', 'denied'],
  ])('%s: a challenge ends by itself', async (card, shown, status) => {
    const page = await submitCard(card);
    await page.waitForSelector(shown);
    expect(await paid()).toMatchObject({ status });
  });

  test('without scripts 2.2.0 reports that there are none, and the payer is authenticated', async () => {
    const page = await submitCard('2103', { javaScriptEnabled: false });
    await page.waitForSelector('.seal.ok');
    const { browserJavascriptEnabled, browserLanguage, threeDSCompInd } = areq();
    expect([browserJavascriptEnabled, browserLanguage, threeDSCompInd]).toEqual([false, 'en-US', 'U']);
    expect(Object.keys(areq()).filter((name) => /browser(Java|Color|Screen|TZ)/.test(name))).toEqual([
      'browserJavascriptEnabled',
    ]);
  });

  test('without scripts a card of 2.1.0 sends no made-up fields, and the payer may use another card', async () => {
    const before = areq();
    const page = await submitCard('1103', { javaScriptEnabled: false });
    await page.waitForSelector('#errors');
    expect(await paid()).toMatchObject({
      status: 'denied',
      threeDS: { status: 'error', error: 'authentication-failed' },
    });
    expect(areq()).toBe(before);
  });
});
