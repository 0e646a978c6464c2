/** The start page of a sandbox for a new user: every button, the inbox, and no credentials for strangers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { testCards } from '../../api/testing/test-cards.js';
import { freePort } from '../../scripts/setup/ports.mjs';
import { describeInBrowser, launchBrowser, narrowProblems, openPage, type Watched } from '../support/browser.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let browser: Browser;
let folder: string;

/** Requests the start page under another host name, as a page elsewhere can make a browser do. */
const askAs = (host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(gateway.baseUrl, { headers: { host } }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    request.on('error', reject).end();
  });

describeInBrowser('the start page of the sandbox', () => {
  let watched: Watched | undefined;
  const open = async (options = {}): Promise<Page> => {
    watched = await openPage(browser, options, [gateway.baseUrl]);
    await watched.page.goto(gateway.baseUrl);
    return watched.page;
  };
  const payWith = async (page: Page, number: string) => {
    await page.fill('#number', number);
    await page.fill('#exp', '12 / 34');
    await page.fill('#cvc', '123');
    await page.fill('#name', 'Ana Pérez');
    await page.click('#go');
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-sandbox-'));
    const file = join(folder, 'sandbox.json');
    const port = await freePort();
    gateway = await startGateway({
      name: 'sandboxhome',
      port,
      settings: {
        PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
        SANDBOX_FILE: file,
        CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
      },
    });
    await writeFile(file, JSON.stringify({ ...gateway.sandbox, baseUrl: gateway.baseUrl }));
    browser = await launchBrowser();
  });
  afterEach(async () => {
    expect(watched?.complaints ?? []).toEqual([]);
    await watched?.context.close();
    watched = undefined;
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('a page that was opened in the background shows what arrived before it was visible', async () => {
    watched = await openPage(browser, {}, [gateway.baseUrl]);
    const { page } = watched;
    await page.addInitScript("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    await page.goto(gateway.baseUrl);
    const callback = { referenceId: 'arrived-meanwhile', status: 'approved' };
    await fetch(`${gateway.simulatorUrl}/inbox`, { method: 'POST', body: JSON.stringify(callback) });
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: false })");
    await page.waitForSelector('.inbox li:has-text("arrived-meanwhile")');
  });

  test('a demo checkout is paid, and its callback appears in the inbox by itself', async () => {
    const page = await open();
    await page.click('button[value="checkout"]');
    await payWith(page, '4000000000009995');
    await page.waitForSelector('#errors');
    await payWith(page, '4242424242424242');
    await page.waitForSelector('.seal.ok');
    await page.goto(gateway.baseUrl);
    await page.waitForSelector('.inbox li:has-text("approved")');
    expect(await page.locator('.inbox li').count()).toBeGreaterThanOrEqual(1);
  });

  test('in the 3D Secure demo the payer is sent to the issuer', async () => {
    const page = await open();
    await page.click('button[value="threeds"]');
    watched?.complaints.splice(0);
    await payWith(page, '4000002500003155');
    await page.waitForURL(/\/threeds\//);
    // The issuer has another origin, as in production.
    watched?.complaints.splice(0);
  });

  test('a card is saved in the frame of a shop, and the shop gets a message', async () => {
    const page = await open();
    await page.click('button[value="embedded"]');
    const frame = page.frameLocator('#card');
    await frame.locator('#number').fill('4242424242424242');
    await frame.locator('#exp').fill('12 / 34');
    await frame.locator('#cvc').fill('123');
    await frame.locator('#name').fill('Ana Pérez');
    await frame.locator('#go').click();
    await frame.locator('.seal.ok').waitFor();
    await page.waitForSelector('#received li:has-text("completed")');
  });

  test.each([
    ['flexible', '#total'],
    ['tokenization', '#number'],
    ['transfer', '#go'],
    ['link', '.lines'],
    ['quickPay', '#total'],
    ['wallet', 'button.wallet'],
    ['saved', '.choice >> nth=2'],
  ])('the demo %s opens its page', async (demo, selector) => {
    const page = await open();
    await page.click(`button[value="${demo}"]`);
    await page.waitForSelector(selector);
    if (demo !== 'saved') return;
    // Once more, after a payer removed a card: both cards are there again.
    await page.click('[aria-label^="Remove Visa"]');
    await page.click('.removal[open] button');
    await page.waitForSelector('.choice >> nth=2', { state: 'detached' });
    await page.goto(gateway.baseUrl);
    await page.click('button[value="saved"]');
    await page.waitForSelector(selector);
    expect(await page.locator('.choice').count()).toBe(3);
  });

  test('the page is accessible in light, dark and forced colours, and not too long on a narrow screen', async () => {
    const page = await open({ viewport: { width: 320, height: 640 } });
    expect(await narrowProblems(page)).toEqual([]);
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await narrowProblems(page)).toEqual([]);
    await page.reload();
    // On a phone the closed parts still have to be scrolled past. How much has arrived in the inbox by now is a matter of time.
    const height = "document.documentElement.scrollHeight - document.querySelector('#inbox').offsetHeight";
    expect(await page.evaluate(height)).toBeLessThan(3_400);
    const cards = (await page.locator('table').allTextContents()).join().replace(/ /g, '');
    for (const { number } of testCards) expect(cards.split(number)).toHaveLength(2);
    expect(cards).not.toContain('`');
    expect(await page.locator('td code').allTextContents()).toContain('422 acquirer-offline');
  });

  test('the cards that time out are one click away, and are copied without spaces', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const late = page.locator('tr:has-text("4000 0000 0010 0042")');
    expect(await late.isVisible()).toBe(false);
    await page.click('summary:has-text("Time-outs and faults")');
    expect(await late.isVisible()).toBe(true);
    await late.locator('button').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('4000000000100042');
    expect(await page.locator('[data-copied]').innerText()).toBe('Copied');
    await page.click('[aria-label="Copy the API key"]');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(gateway.sandbox.apiKey);
  });

  test.each([true, false])('one call at a time is shown and can be copied (script: %s)', async (javaScriptEnabled) => {
    const page = await open({ javaScriptEnabled, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.click('summary:text-is("As a call")');
    const shown = async () => {
      const visible = [];
      for (const call of await page.locator('.call').all()) if (await call.isVisible()) visible.push(call);
      return visible;
    };
    for (const [choice, words] of [
      ['checkout', '"type": "checkout"'],
      ['quickPay', '"type": "quick-pay"'],
      ['embedded', '"type": "tokenization"'],
    ] as const) {
      await page.selectOption('#which', choice);
      const visible = await shown();
      expect(visible).toHaveLength(1);
      expect(await visible[0]?.innerText()).toContain(words);
    }
    const button = page.locator('[aria-label="Copy the call: Save a card, embedded"]');
    expect(await button.isVisible()).toBe(javaScriptEnabled);
    if (!javaScriptEnabled) return;
    await button.click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -u [\s\S]*\/v1\/sessions$/);
  });

  test('the listed guides can be read, and no other file of the folder', async () => {
    const page = await open();
    const links = await page.locator('a[href^="/sandbox/guides/"]').evaluateAll((all) => all.map(String));
    expect(links.length).toBeGreaterThan(6);
    for (const address of links) {
      const answer = await fetch(address);
      expect([address, answer.status, answer.headers.get('content-type')]).toEqual([
        address,
        200,
        'text/plain; charset=utf-8',
      ]);
      expect(await answer.text()).toMatch(/^# /);
    }
    for (const name of ['security', '..%2fREADME', 'constructor']) {
      expect((await fetch(`${gateway.baseUrl}/sandbox/guides/${name}`)).status).toBe(404);
    }
  });

  test('the reference has the credentials filled in: Execute pays at once', async () => {
    const page = await open();
    await page.goto(`${gateway.baseUrl}/reference/v2`);
    const operation = page.locator('#operations-Payments-createPayment');
    await page.click('#operations-Payments-createPayment button.opblock-summary-control');
    await operation.locator('textarea.body-param__text').fill(JSON.stringify(paymentBody()));
    await operation.locator('button.execute').click();
    const status = operation.locator('.live-responses-table td.response-col_status:not(.col_header)');
    expect(await status.innerText()).toMatch(/^200/);
  });

  test('credentials are not shown under another host name', async () => {
    const { apiKey } = gateway.sandbox;
    expect(await askAs(new URL(gateway.baseUrl).host)).toContain(apiKey);
    for (const host of ['rebound.example', 'localhost']) {
      const stranger = await askAs(host);
      expect(stranger).not.toContain(apiKey);
      expect(stranger).toContain('API reference');
    }
  });

  test('a form of another site starts no demo', async () => {
    const post = (site: string) =>
      fetch(`${gateway.baseUrl}/sandbox/demos`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'sec-fetch-site': site, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'demo=checkout',
      });
    expect((await post('cross-site')).status).toBe(404);
    expect((await post('same-origin')).status).toBe(303);
  });
});
