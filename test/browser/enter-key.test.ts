/** The key that sends a form (Enter, or "Go" on a telephone) pays or saves, in every field, and never removes a card or cancels. */
import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityProblems, describeInBrowser, launchBrowser, openPage, type Watched } from '../support/browser.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

const NUMBERS = ['4242424242424242', '5555555555554444'];

let gateway: TestGateway;
let browser: Browser;
let customer: string;

async function address(rel: string, more: Record<string, unknown>): Promise<string> {
  const { status, body } = await gateway.call('POST', '/v1/sessions', {
    merchantId: 1001,
    referenceId: `session-${randomUUID()}`,
    customerId: customer,
    ...more,
  });
  expect([status, body.params]).toEqual([200, undefined]);
  const { pathname, search } = new URL(body.actions.find((action: { rel: string }) => action.rel === rel).href);
  return `${gateway.baseUrl}${pathname}${search}`;
}

const flexibleAmount = { allowedCurrencies: ['USD', 'UYU'], minAmount: 5, maxAmount: 100 };
const request = (amount: object) => ({ referenceId: randomUUID(), invoiceNumber: 'A-1', amount });
const settings = { redirects: { defaultUrl: 'http://127.0.0.1:1/thanks' } };
const flexible = { checkout: { amountMode: 'flexible', flexibleAmount } };

/** Every form with card fields. */
const forms = {
  checkout: () => address('self', { type: 'checkout', paymentRequest: request({ total: 122, currency: 'USD' }) }),
  'checkout with an amount': () =>
    address('self', { type: 'checkout', paymentRequest: request({}), settings: flexible }),
  tokenization: () => address('REDIRECT', { type: 'tokenization' }),
  'tokenization in a frame': () => address('EMBEDDED', { type: 'tokenization', settings }),
} as const;

const browsers: Readonly<Record<string, BrowserContextOptions>> = {
  'with script': {},
  'without script': { javaScriptEnabled: false },
  'on a telephone': { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true },
};

/** The forms without card fields, and those of links: the fields that each has to send. */
const plainForms = {
  'choice of a bank transfer with an amount': {
    address: () => transferAddress({}, flexible),
    sends: ['attempt', 'currency', 'form', 'method', 'total'],
  },
  'choice of a bank transfer': {
    address: () => transferAddress({ total: 122, currency: 'USD' }),
    sends: ['attempt', 'form', 'method'],
  },
  'link with an amount': { address: () => linkAddress(flexibleLink), sends: ['currency', 'total'] },
  'link with a fixed amount': { address: () => linkAddress(fixedLink), sends: [] },
} as const;

const transferAddress = (amount: object, more: object = {}) =>
  address('self', {
    type: 'checkout',
    paymentRequest: request(amount),
    settings: { ...more, paymentMethodTypes: ['bank-transfer'] },
  });

const fixedLink = { amount: { total: 122, currency: 'USD' }, settings: { amountMode: 'fixed' } };
const flexibleLink = { settings: { amountMode: 'flexible', flexibleAmount } };

async function linkAddress(more: object): Promise<string> {
  const request = { merchantId: 1001, type: 'regular', displayName: 'Order 731', ...more };
  const { status, body } = await gateway.call('POST', '/v1/payment-links', request);
  expect([status, body.params]).toEqual([201, undefined]);
  return `${gateway.baseUrl}/links/${body.externalId}`;
}

const cards = async () =>
  (await gateway.call('GET', `/v1/customers/${customer}/payment-instruments`)).body as { token: string }[];

/** Acts on the page, and returns the form that the page then sends. */
async function sentBy(page: Page, act: () => Promise<void>): Promise<URLSearchParams> {
  const post = page.waitForRequest((asked) => asked.method() === 'POST');
  await act();
  return new URLSearchParams((await post).postData() ?? '');
}

describeInBrowser('the key that sends a form', () => {
  let watched: Watched | undefined;
  const open = async (url: string, options: BrowserContextOptions = {}) => {
    watched = await openPage(browser, options);
    await watched.page.goto(url);
    return watched.page;
  };

  beforeAll(async () => {
    gateway = await startGateway({ name: 'enter' });
    browser = await launchBrowser();
    customer = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
    for (const number of NUMBERS) {
      const card = { number, expMonth: 12, expYear: 2034, cvc: '123', tokenizationSettings: { type: 'store' } };
      const body = { ...paymentBody(), customerId: customer, paymentMethod: { source: 'card', card } };
      expect((await gateway.call('POST', '/v1/payments', body)).status).toBe(200);
    }
  });
  afterEach(async () => {
    await watched?.context.close();
    watched = undefined;
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const cases = Object.keys(forms).flatMap((form) => Object.keys(browsers).map((kind) => [form, kind] as const));
  test.each(cases)('pays or saves in each field of the %s, %s', async (form, kind) => {
    const url = await forms[form as keyof typeof forms]();
    const page = await openHeld(url, kind);
    const choose = () => page.check('input.opens');
    await choose();
    const fields = page.locator('form input:visible:not([type=checkbox])');
    const count = await fields.count();
    expect(count).toBeGreaterThanOrEqual(7);
    for (let index = 0; index < count; index += 1) {
      await page.goto(url);
      await choose();
      const sent = await sentBy(page, () => fields.nth(index).press('Enter'));
      const name = await fields.nth(index).getAttribute('name');
      expect([name, sent.get('remove'), sent.get('action'), sent.get('source')]).toEqual([name, null, null, 'new']);
    }
  });

  /** Opens the page, and answers what it sends without passing it on: one page serves for one try, and the cards stay unchanged. */
  const openHeld = async (url: string, kind: string) => {
    const page = await open(url, browsers[kind]);
    await page.route('**/*', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 204 }) : route.continue(),
    );
    return page;
  };
  const plainCases = Object.keys(plainForms).flatMap((form) =>
    Object.keys(browsers).map((kind) => [form as keyof typeof plainForms, kind] as const),
  );
  test.each(plainCases)('sends just what the %s has, %s', async (form, kind) => {
    const { address, sends } = plainForms[form];
    const url = await address();
    const page = await openHeld(url, kind);
    const fields = page.locator('form input:visible, form #go');
    const count = await fields.count();
    expect(count).toBe((sends as readonly string[]).includes('total') ? 2 : 1);
    for (let index = 0; index < count; index += 1) {
      await page.goto(url);
      const sent = await sentBy(page, () => fields.nth(index).press('Enter'));
      expect([...sent.keys()].sort()).toEqual(sends);
      expect([null, 'transfer']).toContain(sent.get('method'));
    }
  });

  // On a tick box the Enter key sends the form, as in a field. On a list it opens the list, so nothing may be sent.
  test.each(Object.keys(browsers))('sends the form from a tick box, and not from a list, %s', async (kind) => {
    const url = await forms['checkout with an amount']();
    const page = await openHeld(url, kind);
    await page.check('input.opens');
    const ticked = await sentBy(page, () => page.locator('input[name=save]').press('Enter'));
    expect([ticked.get('remove'), ticked.get('action'), ticked.get('source')]).toEqual([null, null, 'new']);
    for (const address of [url, await linkAddress(flexibleLink)]) {
      await page.goto(address);
      const posts: string[] = [];
      page.on('request', (asked) => void (asked.method() === 'POST' && posts.push(asked.postData() ?? '')));
      await page.locator('select[name=currency]').press('Enter');
      await page.keyboard.press('Escape');
      // A form sent by the list would come before this one.
      const sent = await sentBy(page, () => page.locator('#total').press('Enter'));
      expect(posts.map((post) => new URLSearchParams(post).toString())).toEqual([sent.toString()]);
      expect([sent.get('remove'), sent.get('action')]).toEqual([null, null]);
      page.removeAllListeners('request');
    }
  });

  test('a card is removed after a question only, also without script, and no other card is', async () => {
    const before = await cards();
    const page = await open(await forms.checkout(), { javaScriptEnabled: false });
    const first = page.locator('.choice').first();
    expect(await page.locator('button[name=remove]:visible').count()).toBe(0);
    await first.locator('summary').click();
    expect(await first.innerText()).toMatch(/Remove .* ending \d{4}\?/);
    const removed = await first.locator('button[name=remove]').getAttribute('value');
    const sent = await sentBy(page, () => first.locator('button[name=remove]').click());
    expect([...sent.keys()].sort()).toEqual(['form', 'remove']);
    await page.waitForSelector('.choice');
    const after = (await cards()).map(({ token }) => token);
    expect(after).toEqual(before.map(({ token }) => token).filter((token) => token !== removed));
  });

  test('the question is opened and closed with the keyboard, and is accessible', async () => {
    const page = await open(await forms.tokenization());
    await page.locator('.removal summary').first().focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.removal[open] button').isVisible()).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    expect(await page.locator('.removal[open]').count()).toBe(0);
    expect(watched?.complaints).toEqual([]);
  });
});
