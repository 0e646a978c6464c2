/** The API reference in a real Chromium: it loads only files of this server, and its "Execute" makes a payment. */
import type { Browser } from 'playwright-core';
import { describeInBrowser, launchBrowser, openPage } from '../support/browser.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let browser: Browser;

describeInBrowser('the API reference', () => {
  beforeAll(async () => {
    gateway = await startGateway({ name: 'reference' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  test.each(['v1', 'v2'])('%s: Execute makes a payment', async (version) => {
    const { page, context, complaints } = await openPage(browser, { viewport: { width: 1280, height: 900 } }, [
      gateway.baseUrl,
    ]);
    await page.goto(`${gateway.baseUrl}/reference/${version}`);
    await page.click('button.authorize');
    const { clientId, apiKey } = gateway.sandbox;
    await page.fill('#auth-basic-username, input[name="username"]', clientId);
    await page.fill('#auth-basic-password, input[name="password"]', apiKey);
    await page.locator('form:has(input[name="username"]) button[type="submit"]').click();
    await page.click('button.btn-done');
    await page.click('#operations-Payments-createPayment button.opblock-summary-control');
    const operation = page.locator('#operations-Payments-createPayment');
    const body = paymentBody();
    await operation.locator('textarea.body-param__text').fill(JSON.stringify(body));
    await operation.locator('button.execute').click();
    const status = operation.locator('.live-responses-table td.response-col_status:not(.col_header)');
    expect(await status.innerText()).toMatch(/^200/);
    const found = await gateway.call('GET', `/v1/payments/query?referenceId=${body.referenceId}`);
    expect(found.body.data).toMatchObject([{ status: 'approved' }]);
    expect(await page.evaluate('document.documentElement.className')).toBe('');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForSelector('html.dark-mode');
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.click('.reference-bar .brand');
    expect(new URL(page.url()).pathname).toBe('/');
    expect(complaints).toEqual([]);
    await context.close();
  });
});
