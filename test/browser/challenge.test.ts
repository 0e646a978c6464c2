/** 3-D Secure in the hosted checkout, in a real Chromium: to the issuer, its pretend page, and back to the checkout. */
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../../scripts/setup/ports.mjs';
import { describeInBrowser, launchBrowser, openPage, type Watched } from '../support/browser.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { cards, switchOnThreeDs } from '../support/payer.js';

let gateway: TestGateway;
let browser: Browser;

async function session() {
  const reference = `order-${randomUUID()}`;
  const { body } = await gateway.call('POST', '/v1/sessions', {
    merchantId: 1001,
    referenceId: `session-${reference}`,
    type: 'checkout',
    paymentRequest: { referenceId: reference, invoiceNumber: 'A-1', amount: { total: 10, currency: 'USD' } },
  });
  return { reference, url: body.actions[0].href as string };
}

const paymentsOf = async (reference: string) =>
  (await gateway.call('GET', `/v1/payments/query?referenceId=${reference}`)).body.data as { status: string }[];

describeInBrowser('a challenge in the hosted checkout', () => {
  let watched: Watched;
  let reference: string;
  let page: Page;

  beforeAll(async () => {
    // The issuer sends the browser back to the public address, so the gateway has to know its port beforehand.
    const port = await freePort();
    gateway = await startGateway({
      name: 'challenge',
      port,
      settings: { PUBLIC_BASE_URL: `http://127.0.0.1:${port}` },
    });
    await switchOnThreeDs(gateway);
    browser = await launchBrowser();
  }, 60_000);
  beforeEach(async () => {
    const opened = await session();
    reference = opened.reference;
    watched = await openPage(browser);
    page = watched.page;
    await page.goto(opened.url);
    await page.fill('#number', cards.challenge);
    await page.fill('#exp', '12 / 34');
    await page.fill('#cvc', '123');
    await page.fill('#name', 'Ana Pérez');
    await page.click('#go');
    await page.waitForSelector('button[value="approve"]');
  });
  afterEach(async () => {
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  test('approved: the payer ends on the checkout, paid', async () => {
    await page.click('button[value="approve"]');
    await page.waitForSelector('.seal.ok');
    expect(new URL(page.url()).origin).toBe(gateway.baseUrl);
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved', threeDS: { status: 'authenticated' } }]);
  });

  test.each(['fail', 'cancel', 'abandon'])('%s: nothing is charged and another card may pay', async (choice) => {
    await page.click(`button[value="${choice}"]`);
    await page.waitForSelector('#errors');
    expect(await page.locator('#errors').innerText()).toMatch(/Nothing was charged[\s\S]*4 tries/);
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'denied' }]);
    expect(await page.locator('#number').count()).toBe(1);
  });
});
