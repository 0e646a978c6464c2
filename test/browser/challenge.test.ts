/** 3D Secure in the hosted checkout, in a real Chromium: to the issuer's mock page and back to the checkout. */
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../../scripts/setup/ports.mjs';
import { describeInBrowser, launchBrowser, narrowProblems, openPage, type Watched } from '../support/browser.js';
import { cards } from '../support/forms.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { switchOnThreeDs } from '../support/payer.js';

let gateway: TestGateway;
let browser: Browser;

/** 3DS method: texts by which the mock issuer shows whether it has checked the browser. */
const LOOKED = /method, Y/;
const NOT_IN_TIME = /method, N/;

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
  /** A page whose issuer checks the browser and never ends. */
  let endless: Watched;

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
    // The time limit of this page runs during the other tests.
    endless = await openPage(browser);
    await endless.page.goto((await session()).url);
    await submitCard(cards.methodSilent, endless.page);
    await endless.page.waitForSelector('[role="status"]');
    const frame = endless.page.locator('iframe');
    expect({ frames: await frame.count(), shown: await frame.isVisible() }).toEqual({ frames: 1, shown: false });
  });
  beforeEach(async () => {
    const opened = await session();
    reference = opened.reference;
    watched = await openPage(browser);
    page = watched.page;
    await page.goto(opened.url);
  });
  afterEach(async () => {
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const submitCard = async (number: string, on = page) => {
    await on.fill('#number', number);
    await on.fill('#exp', '12 / 34');
    await on.fill('#cvc', '123');
    await on.fill('#name', 'Ana Pérez');
    await on.click('#go');
  };
  const payWith = async (number: string) => {
    await submitCard(number);
    await page.waitForSelector('button[value="approve"]');
  };

  test('a payer who approves returns to the checkout, and has paid', async () => {
    await payWith(cards.challenge);
    const facts = await page.locator('dl').innerText();
    expect(facts).toMatch(/Merchant\s+Sandbox Books\s+Amount\s+USD 10\.00\s+Card\s+Visa ending 3155/);
    expect(await narrowProblems(page)).toEqual([]);
    await page.click('button[value="approve"]');
    await page.waitForSelector('.seal.ok');
    expect(new URL(page.url()).origin).toBe(gateway.baseUrl);
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved', threeDS: { status: 'authenticated' } }]);
  });

  test.each(['fail', 'cancel', 'abandon'])(
    'a challenge that ends with %s charges nothing, and another card may pay',
    async (choice) => {
      await payWith(cards.challenge);
      await page.click(`button[value="${choice}"]`);
      await page.waitForSelector('#errors');
      expect(await page.locator('#errors').innerText()).toMatch(
        /did not confirm the payment\. Nothing was charged[\s\S]*4 attempts/,
      );
      expect(await paymentsOf(reference)).toMatchObject([{ status: 'denied' }]);
      expect(await page.locator('#number').count()).toBe(1);
    },
  );

  test('a payer who returns before the result is fetched waits for it on the checkout', async () => {
    await payWith(cards.challenge);
    const { collection } = gateway.payments;
    const under = { referenceId: reference };
    const asked = await collection.findOne(under);
    if (!asked?.work) throw new Error('there is no challenge');
    // As if the provider did not answer: the payer has returned, and the next inquiry comes later than any page waits.
    const later = { ...asked.work, kind: 'conclude' as const, dueAt: new Date(Date.now() + 3_600_000) };
    await collection.updateOne(under, { $set: { work: later }, $inc: { version: 1 } });
    const checkout = `${gateway.baseUrl}/checkout/${asked.sessionId}`;
    await page.goto(checkout);
    expect(page.url()).toBe(checkout);
    expect(await page.innerText('h1')).toBe('Contacting your bank');
    // The challenge is open again: the page leads to the issuer by itself.
    await collection.updateOne(under, { $set: { work: asked.work }, $inc: { version: 1 } });
    await page.click('button[value="approve"]');
    await page.waitForSelector('.seal.ok');
  });

  test("a payer who returns in another browser, as from a bank's app, is not asked to start again", async () => {
    await payWith(cards.challenge);
    const back = page.waitForRequest('**/threeds/return/**');
    await page.route('**/threeds/return/**', (route) => route.abort());
    await page.click('button[value="approve"]');
    const returned = await back;
    const other = await openPage(browser);
    const fields = [...new URLSearchParams(returned.postData() ?? '')];
    const inputs = fields.map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
    await other.page.setContent(`<form method="post" action="${returned.url()}">${inputs.join('')}<button>Go</button>`);
    await other.page.click('button');
    await other.page.waitForSelector('h1:text-is("Go back to where you began to pay")');
    expect(await other.page.locator('.sheet').innerText()).toContain('look there how it ended before you pay again');
    await other.context.close();
    watched.complaints.splice(0);
    const [payment] = await paymentsOf(reference);
    expect(payment).toMatchObject({ status: 'approved' });
    await page.goto(
      `${gateway.baseUrl}/checkout/${(await gateway.payments.collection.findOne({ referenceId: reference }))?.sessionId}`,
    );
    await page.waitForSelector('.seal.ok');
  });

  test('the issuer checks the browser in a hidden frame, then challenges the payer', async () => {
    await submitCard(cards.methodThenChallenge);
    await page.waitForSelector('button[value="approve"]');
    expect(await page.locator('#look').innerText()).toMatch(LOOKED);
    await page.click('button[value="approve"]');
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved', threeDS: { status: 'authenticated' } }]);
  });

  test('an issuer whose pages are at another host than it named is reached too', async () => {
    const elsewhere = gateway.simulatorUrl.replace('127.0.0.1', 'localhost');
    const led: string[] = [];
    await page.route(`${gateway.simulatorUrl}/threeds/**`, (route, request) => {
      const { pathname } = new URL(request.url());
      led.push(pathname);
      return route.fulfill({ status: 307, headers: { location: `${elsewhere}${pathname}` } });
    });
    await submitCard(cards.methodThenChallenge);
    await page.waitForSelector('button[value="approve"]');
    expect(new URL(page.url()).origin).toBe(elsewhere);
    expect(await page.locator('#look').innerText()).toMatch(LOOKED);
    expect(led).toEqual(['/threeds/method', '/threeds/challenge']);
    await page.click('button[value="approve"]');
    await page.waitForSelector('.seal.ok');
  });

  test('a payment is made without a challenge if the check of the browser is enough for the issuer', async () => {
    await submitCard(cards.frictionless);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved', threeDS: { status: 'frictionless' } }]);
  });

  test('a check that never ends is waited for only as long as agreed, with a text on the page', async () => {
    await endless.page.waitForSelector('button[value="approve"]');
    expect(await endless.page.locator('#look').innerText()).toMatch(NOT_IN_TIME);
    expect(endless.complaints).toEqual([]);
    await endless.context.close();
  });

  test('the challenge works without scripts too, but without a 3DS method', async () => {
    const { url } = await session();
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(url);
    await plain.fill('#number', cards.methodSilent);
    await plain.fill('#exp', '12 / 34');
    await plain.fill('#cvc', '123');
    await plain.fill('#name', 'Ana Pérez');
    await plain.click('#go');
    // The checkout reloads by itself and then leads to the issuer, with a button, because no script presses it.
    await plain.waitForSelector('#send');
    expect(await plain.locator('.stub').innerText()).toMatch(/Sandbox Books[\s\S]*USD\s10\.00/);
    await plain.click('#send button');
    await plain.waitForSelector('button[value="approve"]');
    expect(await plain.locator('#look').innerText()).toMatch(NOT_IN_TIME);
    await context.close();
  });
});
