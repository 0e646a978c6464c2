/** Several payers at one payment link, and a link that ends while one of them pays: each reads what is true for this payer. */
import type { Page } from 'playwright-core';
import { freePort } from '../../scripts/setup/ports.mjs';
import { describeInBrowser, openPage } from '../support/browser.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { heading, payerBrowser } from '../support/payer-browser.js';

let gateway: TestGateway;

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
  /** On the checkout, in a browser of its own. */
  const enter = async (link: Link, options = {}): Promise<Page> => {
    const page = await payer.open(urlOf(link), options);
    await page.click('#go');
    await page.waitForSelector('#number');
    return page;
  };

  beforeAll(async () => {
    // The issuer sends the browser back to the public address, so the gateway has to know its port beforehand.
    const port = await freePort();
    gateway = await startGateway({
      name: 'linkraces',
      port,
      // A challenge lasts 10 s; the processor that answers after 20 s does so at once.
      settings: { PUBLIC_BASE_URL: `http://127.0.0.1:${port}`, TIME_SCALE: '60', RESPONSE_WAIT_MS: '1000' },
    });
  });
  afterAll(async () => {
    await gateway?.close();
  });

  const slow = (ms: number) => fetch(`${gateway.simulatorUrl}/slow`, { method: 'POST', body: JSON.stringify({ ms }) });

  test('closed while its payment is under way: who opens it again is led there, and reads then that it is paid', async () => {
    const link = await make();
    const page = await enter(link);
    await slow(4_000);
    await pay(page);
    await page.waitForSelector('.wait');
    await slow(0);
    expect((await gateway.call('DELETE', `/v1/payment-links/${link.id}`)).status).toBe(200);
    const other = await openPage(payer.browser);
    await other.page.goto(urlOf(link));
    expect(await heading(other.page)).toBe('This link can no longer be used');
    const { pathname } = new URL(page.url());
    await page.goto(urlOf(link));
    expect([new URL(page.url()).pathname, await heading(page)]).toEqual([pathname, 'Contacting your bank']);
    await page.waitForSelector('.seal.ok');
    for (const one of [page, other.page]) {
      await one.goto(urlOf(link));
      expect(await heading(one)).toBe('Already paid');
      expect(await one.locator('.sheet').innerText()).not.toContain('Nothing was charged');
    }
    await other.context.close();
  });

  test('an amount that cannot be divided any more is not the payer’s to correct in the checkout', async () => {
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
