/** Several payers at one payment link, and a link that ends while one of them pays: each reads what is true for this payer. */
import type { Page } from 'playwright-core';
import { freePort } from '../../scripts/setup/ports.mjs';
import { describeInBrowser, openPage } from '../support/browser.js';
import { cards } from '../support/forms.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { switchOnThreeDs } from '../support/payer.js';
import { heading, payerBrowser } from '../support/payer-browser.js';
import { type RecordingProcessor, startRecordingProcessor } from '../support/recording-processor.js';

let gateway: TestGateway;
let processor: RecordingProcessor;

interface Link {
  readonly id: string;
  readonly externalId: string;
}

async function make(more: Record<string, unknown> = {}): Promise<Link> {
  const { status, body: link } = await gateway.call('POST', '/v1/payment-links', {
    merchantId: 1001,
    type: 'one-time',
    amount: { total: 122, currency: 'USD' },
    settings: { amountMode: 'fixed' },
    displayName: 'Order 731',
    ...more,
  });
  expect([status, link.params]).toEqual([201, undefined]);
  return link;
}
const paymentsOf = async ({ id }: Link) =>
  (await gateway.call('GET', `/v1/payment-links/${id}/payments`)).body.data as { id: string; status: string }[];
const urlOf = ({ externalId }: Link) => `${gateway.baseUrl}/links/${externalId}`;

async function pay(page: Page, number = '5555555555554444'): Promise<void> {
  await page.fill('#number', number);
  await page.fill('#exp', '12 / 34');
  await page.fill('#cvc', '123');
  await page.click('#go');
}

describeInBrowser('payers who meet at a payment link', () => {
  const payer = payerBrowser(() => [gateway.baseUrl]);
  /** Goes to the checkout of the link, in a new browser context. */
  const enter = async (link: Link, options = {}): Promise<Page> => {
    const page = await payer.open(urlOf(link), options);
    await page.click('#go');
    await page.waitForSelector('#number');
    return page;
  };

  beforeAll(async () => {
    // The issuer sends the browser back to the public address, so the gateway has to know its port beforehand.
    const port = await freePort();
    processor = await startRecordingProcessor();
    gateway = await startGateway({
      name: 'linkraces',
      port,
      settings: {
        PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
        SANDBOX_PROCESSOR_URL: processor.url,
        // A challenge lasts 10 s.
        TIME_SCALE: '60',
        RESPONSE_WAIT_MS: '3000',
      },
    });
    processor.forwardTo(gateway.simulatorUrl);
  });
  afterEach(() => release());
  afterAll(async () => {
    await gateway?.close();
    await processor?.close();
  });

  /** Lets the processor answer what was held back. */
  let release = (): void => undefined;

  /** Pays, and returns while the payment waits for the bank, which it does until `release`. */
  const payAndWait = async (page: Page): Promise<void> => {
    release = processor.hold();
    await pay(page);
    await page.waitForSelector('.wait');
  };

  test('a link closed during its payment leads the payer back to it, and then says that it is paid', async () => {
    const link = await make();
    const page = await enter(link);
    await payAndWait(page);
    expect((await gateway.call('DELETE', `/v1/payment-links/${link.id}`)).status).toBe(200);
    const other = await openPage(payer.browser);
    await other.page.goto(urlOf(link));
    // This may be the same payer in another browser.
    expect(await heading(other.page)).toBe('Another payment is in progress');
    expect(await other.page.locator('.sheet').innerText()).toMatch(
      /can no longer be used, but a payment .+ Wait for its/,
    );
    // The page asks and stays as it is, so that its payer does not lose the focus.
    await other.page.focus('[data-again]');
    const asked = await other.page.waitForResponse((response) => response.url().startsWith(urlOf(link)));
    expect(await asked.json()).toEqual({ status: 'ending' });
    expect(await other.page.evaluate("document.activeElement.matches('[data-again]')")).toBe(true);
    const { pathname } = new URL(page.url());
    await page.goto(urlOf(link));
    expect([new URL(page.url()).pathname, await heading(page)]).toEqual([pathname, 'Contacting your bank']);
    expect(await page.evaluate(`fetch('/links/${link.externalId}/status').then((answer) => answer.json())`)).toEqual({
      status: 'own',
    });
    release();
    await page.waitForSelector('.seal.ok');
    // The waiting page finds out by itself.
    await other.page.waitForSelector('h1:text-is("Already paid")');
    for (const one of [page, other.page]) {
      await one.goto(urlOf(link));
      expect(await heading(one)).toBe('Already paid');
      expect(await one.locator('.sheet').innerText()).not.toContain('Nothing was charged');
    }
    await other.context.close();
  });

  test('the page of a closed link does not say to a payer who has paid that nothing was charged', async () => {
    const link = await make({ type: 'regular' });
    const page = await enter(link);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect((await gateway.call('DELETE', `/v1/payment-links/${link.id}`)).status).toBe(200);
    await page.goto(urlOf(link));
    expect(await heading(page)).toBe('This link can no longer be used');
    const text = await page.locator('.sheet').innerText();
    expect(text).toContain('Nothing is charged here any more.');
    expect(text).not.toContain('Nothing was charged');
  });

  test.each([
    ['regular', false],
    ['regular', true],
    ['quick-pay', false],
  ])(
    'a payer whose payment by a %s link is not finished (straight to the checkout: %s) reads it before paying again',
    async (type, skipPreCheckout) => {
      const link = await make({ type, settings: { amountMode: 'fixed', skipPreCheckout } });
      const page = await payer.open(urlOf(link));
      if (type === 'regular' && !skipPreCheckout) await page.click('#go');
      await page.waitForSelector('#number');
      const { pathname } = new URL(page.url());
      await payAndWait(page);
      await page.goto(urlOf(link));
      const notice = page.locator('.alert[role=status]');
      expect(await notice.innerText()).toContain('Wait for its result before you pay again.');
      expect(await page.locator('.sheet').innerText()).not.toContain('Nothing is charged yet');
      // Another payer, who may have the same link, reads nothing of it.
      const other = await openPage(payer.browser);
      await other.page.goto(urlOf(link));
      expect(await other.page.locator('.alert').count()).toBe(0);
      await other.context.close();
      await notice.locator('a').click();
      expect(new URL(page.url()).pathname).toBe(pathname);
      release();
      await page.waitForSelector('.seal.ok');
      // The payer may pay any number of times.
      await page.goto(urlOf(link));
      expect(await page.locator('.alert').count()).toBe(0);
      expect((await paymentsOf(link)).map(({ status }) => status)).toEqual(['approved']);
    },
  );

  test('a page that refuses an amount still says that the own payment is not finished', async () => {
    const settings = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD'], suggestedAmount: 20 } };
    const link = await make({ type: 'regular', amount: undefined, settings });
    const page = await enter(link);
    await payAndWait(page);
    await page.goto(urlOf(link));
    await page.fill('#total', 'much');
    await page.click('#go');
    await page.waitForSelector('#errors');
    expect(await page.locator('.alert[role=status]').innerText()).toContain('is not finished');
    expect(await page.locator('.sheet').innerText()).not.toContain('Nothing is charged yet');
  });

  test('a link that ends during a payment leads this payer back to it, also where any number may pay', async () => {
    const link = await make({ type: 'regular' });
    const page = await enter(link);
    await payAndWait(page);
    expect((await gateway.call('DELETE', `/v1/payment-links/${link.id}`)).status).toBe(200);
    const { pathname } = new URL(page.url());
    await page.goto(urlOf(link));
    expect(new URL(page.url()).pathname).toBe(pathname);
    release();
    await page.waitForSelector('.seal.ok');
  });

  test('of payers who pay at once one is charged, and the others read that nothing more is', async () => {
    const link = await make();
    const others = [await openPage(payer.browser), await openPage(payer.browser)];
    const pages = [...others.map(({ page }) => page), await enter(link)];
    for (const { page } of others) {
      await page.goto(urlOf(link));
      await page.click('#go');
      await page.waitForSelector('#number');
    }
    await Promise.all(pages.map((page) => pay(page)));
    // The page leads on a payer who waits for another payer's payment.
    await Promise.all(pages.map((page) => page.waitForSelector('.seal.ok')));
    expect((await Promise.all(pages.map(heading))).sort()).toEqual(['Already paid', 'Already paid', 'Paid']);
    expect((await paymentsOf(link)).map(({ status }) => status)).toEqual(['approved']);
    const texts = await Promise.all(pages.map((page) => page.locator('.sheet').innerText()));
    expect(texts.filter((text) => text.includes('Nothing more is charged.'))).toHaveLength(2);
    for (const { context } of others) await context.close();
  });

  test('a declined payer reads of the decline, and of the payment of another payer', async () => {
    const link = await make();
    const page = await enter(link);
    await pay(page, '4000000000000002');
    await page.waitForSelector('#errors');
    const other = await openPage(payer.browser);
    await other.page.goto(urlOf(link));
    await other.page.click('#go');
    await payAndWait(other.page);
    await pay(page);
    expect(await heading(page)).toBe('The payment did not go through');
    expect(await page.locator('.sheet').innerText()).toMatch(
      /declined Visa ending 0002\. Nothing was charged\.\s+Another payment is in progress\.\s+This link is for one payment/,
    );
    release();
    await other.page.waitForSelector('.seal.ok');
    expect((await paymentsOf(link)).map(({ status }) => status)).toEqual(['approved', 'denied']);
    await other.context.close();
  });

  test("a payer who returns from a challenge does not take another payer's payment for their own", async () => {
    await switchOnThreeDs(gateway);
    const link = await make();
    const own = await openPage(payer.browser);
    await own.page.goto(urlOf(link));
    await own.page.click('#go');
    await pay(own.page, cards.challenge);
    await own.page.waitForSelector('button[value="approve"]');
    // The time of the challenge runs out.
    const [{ id = '' } = {}] = await paymentsOf(link);
    await gateway.until(id, 'failed');
    const page = await enter(link);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    await own.page.click('button[value="approve"]');
    await own.page.waitForSelector('h1:text-is("The payment did not go through")');
    expect(await own.page.locator('.sheet').innerText()).toMatch(
      /did not confirm the payment\. Nothing was charged\.\s+Already paid\.\s+This link was for one payment/,
    );
    await own.page.click('text=Return to Sandbox Books');
    expect(await heading(own.page)).toBe('Already paid');
    await own.context.close();
  });

  test('an amount that can no longer be split is not shown as a mistake of the payer', async () => {
    const flexibleAmount = { minAmount: 5, maxAmount: 500, suggestedAmount: 20, allowedCurrencies: ['USD'] };
    const link = await make({ amount: undefined, settings: { amountMode: 'flexible', flexibleAmount } });
    const page = await enter(link);
    const parts = [{ destinationMerchantId: 1002, amountRule: { type: 'fixed', value: '50' } }];
    expect((await gateway.call('PUT', `/v1/payment-links/${link.id}/split-destinations`, parts)).status).toBe(200);
    await pay(page);
    await page.waitForSelector('#errors');
    const said = (await page.innerText('#errors')).split(/\n+/);
    expect(said).toEqual(['There is a problem', 'This page cannot continue. Start again at the shop, or ask there.']);
    expect(await paymentsOf(link)).toEqual([]);
  });
});
