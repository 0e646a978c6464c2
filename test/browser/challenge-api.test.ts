/**
 * 3D Secure of a payment over the API, in a real Chromium: the merchant sends the payer to the `approval_url`, the issuer challenges
 * the payer, and the payer returns to the merchant, or closes the window and never returns. Also a window closed in the checkout.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../../scripts/setup/ports.mjs';
import { describeInBrowser, launchBrowser, openPage, type Watched } from '../support/browser.js';
import { cards } from '../support/forms.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { authenticatedBody, switchOnThreeDs } from '../support/payer.js';

let gateway: TestGateway;
let browser: Browser;
let shop: Server;
let shopUrl: string;
let watched: Watched;
let page: Page;

/** A shop that greets the returning payer. */
async function openShop(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Shop</title><link rel="icon" href="data:,"><h1>Back at the shop</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function challenged() {
  const body = authenticatedBody(cards.challenge, { redirectUrl: `${shopUrl}/return?cart=7` });
  const made = await gateway.call('POST', '/v1/payments', body);
  expect(made.body).toMatchObject({ status: 'pending', actions: [{ rel: 'approval_url', method: 'REDIRECT' }] });
  const { id, referenceId, transactions, actions } = made.body;
  return { id: id as string, referenceId, tx: transactions[0].id as string, href: actions[0].href as string };
}
const read = async (id: string) => (await gateway.call('GET', `/v1/payments/${id}`)).body;
const ledgerOf = async (key: string) => (await gateway.ledger()).filter((entry) => entry.key === key);

async function toIssuer(href: string): Promise<void> {
  await page.goto(href);
  await page.waitForSelector('button[value="approve"]');
}

describeInBrowser('a challenge of a payment over the API', () => {
  beforeAll(async () => {
    // The issuer sends the browser back to the public address, so the gateway has to know its port beforehand.
    const port = await freePort();
    // At this scale 10 minutes take 12 seconds.
    const settings = { PUBLIC_BASE_URL: `http://127.0.0.1:${port}`, TIME_SCALE: '50' };
    gateway = await startGateway({ name: 'challenge_api', port, settings });
    await switchOnThreeDs(gateway);
    shop = await openShop();
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });
  beforeEach(async () => {
    watched = await openPage(browser);
    page = watched.page;
  });
  afterEach(async () => {
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => shop?.close(resolve));
    await gateway?.close();
  });

  test.each([
    ['approve', 'approved', 'authenticated'],
    ['fail', 'denied', 'failed'],
    ['cancel', 'denied', 'cancelled'],
    ['abandon', 'denied', 'failed'],
  ])('a payer who chooses %s returns to the shop, and the payment is %s', async (choice, status, threeDs) => {
    const { id, referenceId, tx, href } = await challenged();
    await toIssuer(href);
    await page.click(`button[value="${choice}"]`);
    await page.waitForURL(`${shopUrl}/return**`);
    expect(await page.locator('h1').innerText()).toBe('Back at the shop');
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({ cart: '7', paymentId: id, referenceId, status });
    expect(await read(id)).toMatchObject({ status, actions: [], threeDS: { status: threeDs } });
    expect(await ledgerOf(tx)).toHaveLength(status === 'approved' ? 1 : 0);
    // The link is opened once more: it leads to the shop, and nothing happens twice.
    await page.goto(href);
    expect(new URL(page.url()).searchParams.get('status')).toBe(status);
    expect(await ledgerOf(tx)).toHaveLength(status === 'approved' ? 1 : 0);
  });

  test('a payment whose challenge window is closed fails when the time is up, and its link leads to the shop', async () => {
    const { id, tx, href } = await challenged();
    await toIssuer(href);
    await page.close();
    const ended = await gateway.until(id, 'failed');
    expect(ended).toMatchObject({ transactions: [], actions: [], threeDS: { status: 'expired' } });
    expect(await ledgerOf(tx)).toEqual([]);
    const again = await watched.context.newPage();
    await again.goto(href);
    expect(new URL(again.url()).searchParams.get('status')).toBe('failed');
  });

  test('a checkout whose challenge window is closed takes another card when the time is up', async () => {
    const referenceId = `order-${randomUUID()}`;
    const { body } = await gateway.call('POST', '/v1/sessions', {
      merchantId: 1001,
      referenceId: `session-${referenceId}`,
      type: 'checkout',
      paymentRequest: { referenceId, invoiceNumber: 'A-1', amount: { total: 10, currency: 'USD' } },
    });
    const { href } = body.actions[0];
    await page.goto(href);
    for (const [field, value] of Object.entries({ number: cards.challenge, exp: '12 / 34', cvc: '123', name: 'Ana P' }))
      await page.fill(`#${field}`, value);
    await page.click('#go');
    await page.waitForSelector('button[value="approve"]');
    await page.close();
    const query = await gateway.call('GET', `/v1/payments/query?referenceId=${referenceId}`);
    const ended = await gateway.until(query.body.data[0].id, 'failed');
    expect(ended).toMatchObject({ transactions: [], threeDS: { status: 'expired' } });
    const again = await watched.context.newPage();
    await again.goto(href);
    expect(await again.locator('#number').count()).toBe(1);
  });
});
