/** The pages of payment links, in a real Chromium against a whole gateway: every state of a link, and the way to the receipt. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import {
  accessibilityProblems,
  describeInBrowser,
  narrowProblems,
  openPage,
  skipToContent,
} from '../support/browser.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { heading, payerBrowser } from '../support/payer-browser.js';
import { hostileTexts } from './hostile-texts.js';

let gateway: TestGateway;

const fixed = (more: Record<string, unknown> = {}) => ({
  merchantId: 1001,
  type: 'regular',
  amount: { total: 122, currency: 'USD' },
  settings: { amountMode: 'fixed' },
  displayName: 'Order 731',
  description: 'Two books, delivered in Montevideo.',
  items: [
    { name: 'Book', description: 'Hard cover', quantity: 2, price: 40 },
    { name: 'Map', quantity: 1, price: 25, discount: 5, tax: { amount: 22, currency: 'USD' } },
  ],
  ...more,
});
const flexible = (more: Record<string, unknown> = {}) => ({
  merchantId: 1001,
  type: 'regular',
  settings: {
    amountMode: 'flexible',
    flexibleAmount: { minAmount: 5, maxAmount: 500, suggestedAmount: 20, allowedCurrencies: ['USD', 'UYU'] },
  },
  ...more,
});

interface Link {
  readonly id: string;
  readonly externalId: string;
}

async function make(body: object): Promise<Link> {
  const { status, body: link } = await gateway.call('POST', '/v1/payment-links', body);
  expect([status, link.params]).toEqual([201, undefined]);
  return link;
}
const statusOf = async ({ id }: Link) => (await gateway.call('GET', `/v1/payment-links/${id}`)).body.status;

async function pay(page: Page, number = '4242424242424242'): Promise<void> {
  await page.fill('#number', number);
  await page.fill('#exp', '12 / 34');
  await page.fill('#cvc', '123');
  await page.fill('#name', 'Ana Pérez');
  await page.click('#go');
}

describeInBrowser('the pages of payment links', () => {
  const payer = payerBrowser(() => [gateway.baseUrl]);
  const open = ({ externalId }: Link, options = {}) => payer.open(`${gateway.baseUrl}/links/${externalId}`, options);

  beforeAll(async () => {
    gateway = await startGateway({
      name: 'linkpages',
      // The processor that answers after 20 s does so after 10 s: long after the page has shown that it waits.
      settings: { PAGES_SUPPORT_URL: 'https://help.example.com/', TIME_SCALE: '2', RESPONSE_WAIT_MS: '4000' },
    });
  });
  afterAll(async () => {
    await gateway?.close();
  });

  test('a payer sees the items and pays, and the next payer of a one-time link reads that it is paid', async () => {
    const link = await make(fixed({ type: 'one-time' }));
    const page = await open(link);
    expect(await heading(page)).toBe('Order 731');
    const items = await page.locator('ul.lines').innerText();
    expect(items).toMatch(/Book\s+80\.00\s+Hard cover\s+2 × 40\.00/);
    expect(items).toMatch(/Map\s+25\.00\s+1 × 25\.00, less a discount of 5\.00$/);
    const sums = (await page.locator('dl.lines').innerText()).split(/\s*\n\s*/);
    expect(sums).toEqual(['Items', '105.00', 'Discount', '−5.00', 'Tax', '22.00', 'Total', 'USD 122.00']);
    expect((await page.locator('main').innerText()).match(/Order 731/g)).toHaveLength(1);
    expect(await page.locator('.sheet').innerText()).toContain('This link can be used once.');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.click('#go');
    expect(await page.locator('.bought').innerText()).toMatch(/2 × Book\s+80\.00\s+Map\s+25\.00\s+Items\s+105\.00/);
    expect(await narrowProblems(page)).toEqual([]);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await heading(page)).toBe('Paid');
    expect(await narrowProblems(page)).toEqual([]);
    expect(await statusOf(link)).toBe('completed');
    await page.click('text=Receipt to print');
    expect(await heading(page)).toBe('Receipt');
    expect(await page.locator('dl.lines').innerText()).toMatch(/Tax\s+22\.00\s+Total\s+USD 122\.00/);
    const facts = await page.locator('dl.ruled').innerText();
    expect(facts).toMatch(/Seller\s+Sandbox Books S\.A\./);
    expect(facts).toMatch(/Tax id\s+\d{6,}/);
    expect(facts).toMatch(/Address\s+Sarandí 690, Montevideo\s+Contact\s+help@books\.example/);
    expect(facts).not.toMatch(/Reference|Invoice/);
    expect(await page.locator('main').innerText()).not.toContain(link.externalId);
    expect(await narrowProblems(page)).toEqual([]);
    await page.evaluate('window.print = () => { window.printed = true; }');
    await page.click('#print');
    expect(await page.evaluate('window.printed')).toBe(true);
    await page.emulateMedia({ media: 'print' });
    expect([await page.isVisible('#print'), await page.isVisible('.foot'), await page.isVisible('.strip')]).toEqual([
      false,
      false,
      true,
    ]);
    await payer.leave();
    expect(await heading(await open(link))).toBe('Already paid');
  });

  test('an amount chosen by the payer is prefilled, checked, and paid in one of the currencies', async () => {
    const link = await make(flexible());
    const page = await open(link);
    expect(await page.inputValue('#total')).toBe('20.00');
    expect(await page.locator('#total-hint').innerText()).toBe('From 5.00 to 500.00');
    await page.fill('#total', '4');
    await page.click('#go');
    await page.waitForSelector('#total-error');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.innerText('#total-error')).toBe('Enter an amount within the limits.');
    expect(await page.innerText('#total-hint')).toBe('From USD 5.00 to USD 500.00');
    await page.fill('#total', '');
    await page.click('#go');
    await page.waitForSelector('#total-error:text-is("Enter the amount.")');
    await page.fill('#total', '42.50');
    await page.selectOption('#currency', 'UYU');
    await page.click('#go');
    expect(await page.locator('#go').innerText()).toBe('Pay UYU 42.50');
    await pay(page);
    await page.waitForSelector('.seal.ok');
  });

  test('a keyboard user who skipped to the content gets the focus on the errors', async () => {
    const page = await open(await make(flexible()));
    await skipToContent(page);
    await page.fill('#total', '4');
    await page.click('#go');
    await page.waitForSelector('#total-error');
    await page.locator('#errors:focus').waitFor();
  });

  test('a prefilled amount has its own currency, wherever that is among the allowed ones', async () => {
    const flexibleAmount = { allowedCurrencies: ['USD', 'UYU'] };
    for (const skipPreCheckout of [false, true]) {
      const settings = { amountMode: 'flexible', flexibleAmount, skipPreCheckout };
      const page = await open(await make(flexible({ amount: { total: 4000, currency: 'UYU' }, settings })));
      expect([await page.inputValue('#total'), await page.inputValue('#currency')]).toEqual(['4000.00', 'UYU']);
    }
  });

  test('if the payer chooses the amount, no line is added to make the items match it', async () => {
    const page = await open(await make(flexible({ items: fixed().items })));
    await page.click('#go');
    expect(await page.locator('.bought').innerText()).not.toContain('Other');
    await pay(page);
    await page.click('text=Receipt to print');
    expect(await page.locator('.sheet').innerText()).toContain('Hard cover');
    expect(await page.locator('.sheet').innerText()).not.toContain('Other deductions');
  });

  test('items keep their currency on every page, whatever currency the payer chooses', async () => {
    const page = await open(await make(flexible({ items: fixed().items })));
    const book = /Book\s+USD 80\.00/;
    expect(await page.locator('ul.lines').innerText()).toMatch(book);
    await page.fill('#total', '400');
    await page.selectOption('#currency', 'UYU');
    await page.click('#go');
    expect(await page.locator('.bought').innerText()).toMatch(book);
    await pay(page);
    await page.click('text=Receipt to print');
    expect(await page.locator('.total').innerText()).toMatch(/UYU\s+400\.00/);
    expect(await page.locator('.sheet ul.lines').innerText()).toMatch(book);
  });

  test('a quick-pay link has amount and card on one page', async () => {
    const link = await make(flexible({ type: 'quick-pay', displayName: 'At the counter' }));
    await gateway.call('PUT', '/v1/payment-links/settings', { merchantId: 1001, businessUrlName: 'sandbox-books' });
    const page = await open({ ...link, externalId: 'm/sandbox-books' });
    expect(new URL(page.url()).pathname).toMatch(/^\/checkout\//);
    expect(await page.locator('.stub').innerText()).toContain('At the counter');
    expect(await page.locator('main').innerText()).not.toMatch(/[0-9a-f]{32}/);
    expect(await page.inputValue('#total')).toBe('20.00');
    await page.fill('#total', '12');
    await pay(page);
    await page.waitForSelector('.seal.ok');
    const { data } = (await gateway.call('GET', `/v1/payment-links/${link.id}/payments`)).body;
    expect(data).toMatchObject([{ status: 'approved', processingMethod: 'link', amount: { total: 12 } }]);
  });

  test('a link that skips its page leads to the checkout, with the installments that it offers', async () => {
    const settings = { amountMode: 'fixed', skipPreCheckout: true, installments: { visa: [1, 3], '*': [1] } };
    const link = await make(fixed({ settings }));
    const page = await open(link);
    await page.selectOption('#installments', '3');
    await pay(page, '5555555555554444');
    await page.waitForSelector('#errors');
    await page.selectOption('#installments', '3');
    await pay(page, '4000000000000002');
    await page.waitForSelector('#errors:has-text("4 attempts")');
    expect(await page.inputValue('#installments')).toBe('3');
    await pay(page);
    await page.waitForSelector('.seal.ok');
    const { data } = (await gateway.call('GET', `/v1/payment-links/${link.id}/payments`)).body;
    expect(data).toMatchObject([{ installments: 3 }, { installments: 3 }]);
  });

  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  test.each<[string, () => Promise<Link>, string]>([
    ['not yet open', () => make(fixed({ validFrom: at(3_600_000) })), 'You can’t pay with this link yet'],
    [
      'expired',
      async () => {
        const link = await make(fixed({ validUntil: at(1_000) }));
        const status = async () => (await gateway.call('GET', `/v1/payment-links/${link.id}`)).body.status;
        while ((await status()) !== 'expired') await pause(100);
        return link;
      },
      'This link can no longer be used',
    ],
    [
      'closed',
      async () => {
        const link = await make(fixed());
        await gateway.call('DELETE', `/v1/payment-links/${link.id}`);
        return link;
      },
      'This link can no longer be used',
    ],
  ])('the page of a link that is %s says so', async (_name, prepare, title) => {
    const page = await open(await prepare());
    expect(await heading(page)).toBe(title);
    expect(await page.locator('form').count()).toBe(0);
    expect(await page.locator('.sheet').innerText()).toMatch(
      /(Ask Sandbox Books|for a new link)\.\s+Sarandí 690, Montevideo\s+help@books\.example\s+Help with this page$/,
    );
    expect(await page.locator('.sheet a').first().getAttribute('href')).toBe('mailto:help@books.example');
    expect(await page.locator('.sheet a').last().getAttribute('href')).toBe('https://help.example.com/');
    expect(await narrowProblems(page)).toEqual([]);
  });

  test("times are in the payer's time zone; without script they are in UTC, marked as such", async () => {
    const link = await make(fixed({ validFrom: '2040-01-01T01:30:00Z' }));
    const there = { timezoneId: 'America/Montevideo', locale: 'es-UY' };
    const page = await open(link, there);
    await page.waitForSelector('time:text-is("31 dic 2039, 22:30")');
    expect(await page.getAttribute('time', 'datetime')).toBe('2040-01-01T01:30:00.000Z');
    await payer.leave();
    const plain = await open(link, { ...there, javaScriptEnabled: false });
    expect(await plain.innerText('time')).toBe('1 ene 2040, 1:30 UTC');
  });

  test('while one payer pays a one-time link, the others see that they have to wait', async () => {
    const link = await make(fixed({ type: 'one-time' }));
    const first = await open(link);
    await first.click('#go');
    await first.waitForSelector('#number');
    const other = await openPage(payer.browser, {}, [gateway.baseUrl]);
    await other.page.goto(`${gateway.baseUrl}/links/${link.externalId}`);
    await other.page.click('#go');
    await other.page.waitForSelector('#number');
    await pay(first, '4000000000100042');
    await first.waitForSelector('.wait');
    await skipToContent(other.page);
    await pay(other.page);
    expect(await heading(other.page)).toBe('Another payment is in progress');
    await first.waitForSelector('.seal.ok');
    // The session is paid. The sweep completes the link a moment later.
    while ((await statusOf(link)) !== 'completed') await first.waitForTimeout(100);
    expect(await statusOf(link)).toBe('completed');
    // The waiting page finds out by itself.
    await other.page.waitForSelector('h1:text-is("Already paid")');
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });

  test('a payer who opens the link again while paying is led back to that payment', async () => {
    const link = await make(fixed({ type: 'one-time' }));
    const page = await open(link);
    await page.click('#go');
    await pay(page, '4000000000100042');
    await page.waitForSelector('.wait');
    const { pathname } = new URL(page.url());
    await page.goto(`${gateway.baseUrl}/links/${link.externalId}`);
    expect([new URL(page.url()).pathname, await heading(page)]).toEqual([pathname, 'Contacting your bank']);
    await page.waitForSelector('.seal.ok');
  });

  test('a link closed between its page and the payment charges nothing', async () => {
    const link = await make(fixed());
    const page = await open(link);
    await page.click('#go');
    await page.waitForSelector('#number');
    await gateway.call('DELETE', `/v1/payment-links/${link.id}`);
    await pay(page);
    expect(await heading(page)).toBe('This link can no longer be used');
    const { data } = (await gateway.call('GET', `/v1/payment-links/${link.id}/payments`)).body;
    expect(data).toEqual([]);
  });

  test('a payer without script pays, in another language and on a narrow screen', async () => {
    const link = await make(flexible({ items: fixed().items }));
    const page = await open(link, { javaScriptEnabled: false, locale: 'es-UY', viewport: { width: 320, height: 640 } });
    expect(await page.locator('#go').innerText()).toBe('Continuar al pago');
    expect(await page.inputValue('#total')).toBe('20,00');
    await page.click('#go');
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.click('a[href*="/receipt"]');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  test('an unknown address is 404', async () => {
    for (const path of ['/links/0', '/links/m/nobody', `/links/${'0'.repeat(32)}`, '/links']) {
      const answer = await fetch(`${gateway.baseUrl}${path}`);
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });

  test('hostile texts in every field are shown as text', async () => {
    const elements = 'document.querySelectorAll("*").length';
    const bodyOf = (text: string) =>
      fixed({
        displayName: text,
        description: text,
        items: [{ name: text, description: text, referenceId: text, quantity: 1, price: 1 }],
      });
    const page = await open(await make(bodyOf('plain')));
    const plain = await page.evaluate(elements);
    for (const text of hostileTexts) {
      const { externalId } = await make(bodyOf(text));
      await page.goto(`${gateway.baseUrl}/links/${externalId}`);
      expect([text, await page.evaluate(elements)]).toEqual([text, plain]);
      expect((await heading(page)).trim()).toBe(text.trim());
    }
  });
});
