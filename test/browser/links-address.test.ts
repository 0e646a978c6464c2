/** Links at their own address, in a real Chromium: the payer goes on to the public address, to which the issuer leads back. */
import type { Browser } from 'playwright-core';
import { freePort } from '../../scripts/setup/ports.mjs';
import { describeInBrowser, launchBrowser, openPage, type Watched } from '../support/browser.js';
import { cards } from '../support/forms.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { switchOnThreeDs } from '../support/payer.js';

describeInBrowser('links at an address of their own', () => {
  let gateway: TestGateway;
  let browser: Browser;
  let watched: Watched;

  beforeAll(async () => {
    const port = await freePort();
    gateway = await startGateway({
      name: 'linksaddress',
      port,
      settings: { PUBLIC_BASE_URL: `http://127.0.0.1:${port}`, LINKS_URL: `http://localhost:${port}/links` },
    });
    await switchOnThreeDs(gateway);
    browser = await launchBrowser();
  });
  afterEach(async () => {
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  async function makeLink(more: object = {}) {
    const { status, body } = await gateway.call('POST', '/v1/payment-links', {
      merchantId: 1001,
      type: 'regular',
      amount: { total: 122, currency: 'USD' },
      settings: { amountMode: 'fixed' },
      ...more,
    });
    expect(status).toBe(201);
    return body as { id: string; shareUrl: string };
  }

  test('a payer goes from the link through the issuer to the receipt', async () => {
    const { id, shareUrl } = await makeLink();
    watched = await openPage(browser);
    const { page } = watched;
    await page.goto(shareUrl);
    expect(new URL(page.url()).hostname).toBe('localhost');
    await page.click('#go');
    await page.waitForSelector('#number');
    expect(page.url()).toMatch(new RegExp(`^${gateway.config.publicBaseUrl}/checkout/ses_\\w+$`));
    await page.fill('#number', cards.methodThenChallenge);
    await page.fill('#exp', '12 / 34');
    await page.fill('#cvc', '123');
    await page.fill('#name', 'Ana Pérez');
    await page.click('#go');
    await page.waitForSelector('button[value="approve"]');
    expect(await page.locator('#look').innerText()).toMatch(/method, Y/);
    await page.click('button[value="approve"]');
    await page.waitForSelector('.seal.ok');
    const { data } = (await gateway.call('GET', `/v1/payment-links/${id}/payments`)).body;
    expect(data).toMatchObject([{ status: 'approved', threeDS: { status: 'authenticated' } }]);
  });

  test('the language that a payer chose is kept on the whole way', async () => {
    const { shareUrl } = await makeLink();
    // Without scripts the pages between shop and issuer wait for the payer.
    watched = await openPage(browser, { javaScriptEnabled: false });
    const { page } = watched;
    await page.goto(shareUrl);
    await page.click('text=Español');
    await page.click('#go');
    await page.fill('#number', cards.challenge);
    await page.fill('#exp', '12 / 34');
    await page.fill('#cvc', '123');
    await page.fill('#name', 'Ana Pérez');
    await page.click('#go');
    expect(await page.innerText('h1')).toBe('Redirigiendo a su banco');
    await page.click('#send button');
    await page.click('button[value="fail"]');
    await page.click('#back button');
    expect(await page.innerText('#errors')).toContain('Su banco no confirmó el pago.');
  });

  test('a quick-pay link leads the payer straight to the checkout', async () => {
    await makeLink({ type: 'quick-pay' });
    await gateway.call('PUT', '/v1/payment-links/settings', { merchantId: 1001, businessUrlName: 'books' });
    watched = await openPage(browser);
    const { page } = watched;
    const led: string[] = [];
    page.on('response', (answer) => void led.push(answer.headers()['location'] ?? ''));
    await page.goto(`${gateway.config.linksUrl}/m/books`);
    await page.waitForSelector('#number');
    expect(new URL(page.url()).origin).toBe(gateway.config.publicBaseUrl);
    expect(led[0]).toMatch(new RegExp(`^${gateway.config.linksUrl}/[0-9a-f]{32}$`));
  });
});
