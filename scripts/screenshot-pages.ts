/** All states of all pages that are worth a picture, and how to reach each in the sandbox that `npm start` runs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

interface Sandbox {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly apiKey: string;
}

const file = join('.local', 'sandbox.json');
if (!existsSync(file)) {
  console.error('There is no sandbox: start one with `npm start`, then run this beside it.');
  process.exit(1);
}
const { baseUrl, clientId, apiKey } = JSON.parse(readFileSync(file, 'utf8')) as Sandbox;
if (!(await fetch(`${baseUrl}/healthz`).catch(() => undefined))?.ok) {
  console.error(`The sandbox does not answer at ${baseUrl}: start it with \`npm start\`, then run this beside it.`);
  process.exit(1);
}

let counter = 0;

/** @param there statuses that are no failure, because the object exists already */
async function post(path: string, body: object, there: readonly number[] = []) {
  const answer = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`,
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok && !there.includes(answer.status))
    throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { id: string; actions: { rel: string; href: string }[] };
}

const hrefOf = (session: { actions: { rel: string; href: string }[] }, rel: string): string =>
  session.actions.find((action) => action.rel === rel)?.href ?? '';

const SOON_MS = 1_000;
/** Shows the payer the result (`receipt`; no `cancelUrl`) instead of redirecting at once. */
const redirects = { defaultUrl: `${baseUrl}/`, receipt: true };

async function checkout(
  more: object = {},
  settings: object = {},
  amount: object = { total: 122, currency: 'USD' },
): Promise<string> {
  counter += 1;
  const reference = `shot-${Date.now()}-${counter}`;
  const session = await post('/v1/sessions', {
    merchantId: 1001,
    referenceId: `s-${reference}`,
    type: 'checkout',
    paymentRequest: { referenceId: reference, invoiceNumber: 'A-000731', amount },
    settings: { redirects, ...settings },
    ...more,
  });
  return hrefOf(session, 'self');
}

const order = {
  amount: { total: 122, currency: 'USD' },
  settings: { amountMode: 'fixed' },
  displayName: 'Order 10482',
  description: 'Dinner set and two serving bowls, delivered in Montevideo.',
  items: [
    { name: 'Dinner set, 12 pieces', quantity: 1, price: 80 },
    { name: 'Serving bowl, glazed', quantity: 2, price: 12.5, discount: 5, tax: { amount: 22, currency: 'USD' } },
  ],
};
const anyAmount = {
  amountMode: 'flexible',
  flexibleAmount: { minAmount: 5, maxAmount: 400, suggestedAmount: 50, allowedCurrencies: ['USD', 'UYU'] },
};

async function link(more: object): Promise<string> {
  const made = await post('/v1/payment-links', { merchantId: 1001, type: 'regular', displayName: 'Workshop', ...more });
  return (made as unknown as { shareUrl: string }).shareUrl;
}

async function tokenization(rel: 'REDIRECT' | 'EMBEDDED', customerId?: string): Promise<string> {
  counter += 1;
  const referenceId = `t-${Date.now()}-${counter}`;
  const verifyFunds = { amount: 1, currency: 'USD' };
  const settings = { redirects, tokenization: { type: 'store', verifyFunds } };
  const body = { merchantId: 1001, referenceId, type: 'tokenization', settings, ...(customerId && { customerId }) };
  return hrefOf(await post('/v1/sessions', body), rel);
}

async function fill(page: Page, number: string): Promise<void> {
  await page.fill('#number', number);
  await page.fill('#exp', '12 / 34');
  await page.fill('#cvc', '123');
  await page.fill('#name', 'Lucía Ferreira');
  await page.click('#go');
}

/** Leads the browser to the page on which the issuer challenges the payer. */
async function challenge(page: Page): Promise<void> {
  const metadata = { acquirerBin: '400000', acquirerMerchantId: '123456789' };
  const settings = { provider: 'sandbox', metadata, enabled: true };
  await post('/v1/merchants/1002/payment-methods/visa/threeds', settings, [409]);
  await page.goto(await checkout({ merchantId: 1002 }));
  await fill(page, '4000002500003155');
}

const flexible = {
  checkout: {
    amountMode: 'flexible',
    flexibleAmount: { allowedCurrencies: ['USD', 'UYU'], minAmount: 5, maxAmount: 100 },
  },
};

/** @returns the id of a payer who has two saved cards. */
async function payerWithCards(): Promise<string> {
  const customer = await post('/v1/customers', { firstName: 'Lucía' });
  for (const number of ['4242424242424242', '5555555555554444']) {
    counter += 1;
    await post('/v1/payments', {
      merchantId: 1001,
      referenceId: `c-${Date.now()}-${counter}`,
      invoiceNumber: 'A-1',
      customerId: customer.id,
      amount: { total: 1, currency: 'USD' },
      paymentMethod: {
        source: 'card',
        card: { number, expMonth: 12, expYear: 2034, cvc: '123', tokenizationSettings: { type: 'store' } },
      },
    });
  }
  return customer.id;
}

/** All pages by name. Each function leads the browser to its page. */
export const pages: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  checkout: async (page) => page.goto(await checkout()),
  'checkout-saved-cards': async (page) => page.goto(await checkout({ customerId: await payerWithCards() })),
  'checkout-flexible': async (page) => page.goto(await checkout({}, { redirects, ...flexible }, {})),
  'checkout-errors': async (page) => {
    await page.goto(await checkout());
    await fill(page, '4242424242424241');
    await page.waitForSelector('#errors');
  },
  'checkout-declined': async (page) => {
    await page.goto(await checkout());
    await fill(page, '4000000000009995');
    await page.waitForSelector('#errors');
  },
  'checkout-offline': async (page) => {
    await page.goto(await checkout());
    await page.context().setOffline(true);
    await fill(page, '4242424242424242');
    await page.locator('[data-offline]:not(:empty)').waitFor();
  },
  'checkout-processing': async (page) => {
    await page.goto(await checkout());
    await page.fill('#number', '4000000000100042');
    await page.fill('#exp', '12 / 34');
    await page.fill('#cvc', '123');
    await page.fill('#name', 'Lucía Ferreira');
    await page.locator('#go').click({ noWaitAfter: true });
    await page.waitForSelector('.wait');
  },
  'transfer-choice': async (page) => {
    await page.goto(await checkout());
    await page.locator('nav.tabs a').last().click();
  },
  transfer: async (page) => {
    await page.goto(await checkout({}, { paymentMethodTypes: ['bank-transfer'] }));
    await page.click('#go');
    await page.waitForSelector('img.qr');
  },
  'transfer-at-the-bank': async (page) => {
    await page.goto(await checkout({}, { paymentMethodTypes: ['bank-transfer'] }));
    await page.click('#go');
    await page.goto((await page.getAttribute('#bank', 'href')) ?? '');
  },
  'transfer-cancelled': async (page) => {
    await page.goto(await checkout({}, { paymentMethodTypes: ['bank-transfer'] }));
    await page.click('#go');
    await page.click('#cancel');
    await page.waitForSelector('#errors');
  },
  paid: async (page) => {
    await page.goto(await checkout());
    await fill(page, '4242424242424242');
    await page.waitForSelector('.seal.ok');
  },
  receipt: async (page) => {
    await page.goto(await link({ type: 'one-time', ...order }));
    await page.click('#go');
    await fill(page, '4242424242424242');
    await page.waitForSelector('.seal.ok');
    await page.click('a[href*="/receipt"]');
    await page.waitForSelector('dl.ruled');
  },
  'no-tries-left': async (page) => {
    await page.goto(await checkout());
    for (let tries = 0; tries < 5; tries += 1) {
      await page.waitForSelector('#number');
      await fill(page, '4000000000000002');
    }
    await page.waitForSelector('.seal');
  },
  bridge: async (page) => {
    await challenge(page);
    await page.waitForSelector('#send');
  },
  issuer: async (page) => {
    await challenge(page);
    await page.waitForSelector('button[value="approve"]');
  },
  cancelled: async (page) => {
    await page.goto(await checkout());
    await page.click('button[value="cancel"]');
    await page.waitForSelector('.seal');
  },
  tokenization: async (page) => page.goto(await tokenization('REDIRECT')),
  embedded: async (page) => page.goto(await tokenization('EMBEDDED')),
  'card-saved': async (page) => {
    await page.goto(await tokenization('REDIRECT'));
    await fill(page, '4242424242424242');
    await page.waitForSelector('.seal.ok');
  },
  'saved-cards': async (page) => page.goto(await tokenization('REDIRECT', await payerWithCards())),
  link: async (page) => page.goto(await link({ type: 'one-time', ...order })),
  'link-checkout': async (page) => {
    await page.goto(await link({ type: 'one-time', ...order }));
    await page.click('#go');
    await page.waitForSelector('#number');
  },
  'link-plain': async (page) => page.goto(await link({ ...order, items: undefined })),
  'link-other-charges': async (page) =>
    page.goto(await link({ ...order, items: [{ name: 'Dinner set', quantity: 1, price: 100 }] })),
  'link-expired': async (page) => {
    await page.goto(await link({ ...order, validUntil: new Date(Date.now() + SOON_MS).toISOString() }));
    await page.waitForTimeout(SOON_MS);
    await page.reload();
  },
  'link-own-unfinished': async (page) => {
    const address = await link({ ...order, settings: { amountMode: 'fixed', paymentMethodTypes: ['bank-transfer'] } });
    await page.goto(address);
    await page.click('#go');
    await page.waitForURL('**/checkout/**');
    await page.click('#go');
    await page.waitForSelector('img.qr');
    await page.goto(address);
  },
  'link-flexible': async (page) => page.goto(await link({ settings: anyAmount })),
  'link-counter': async (page) => page.goto(await link({ type: 'quick-pay', settings: anyAmount })),
  'link-early': async (page) => page.goto(await link({ ...order, validFrom: '2040-01-01' })),
  'link-paid': async (page) => {
    const address = await link({ type: 'one-time', ...order });
    await page.goto(address);
    await page.click('#go');
    await fill(page, '4242424242424242');
    await page.waitForSelector('.seal.ok');
    await page.goto(address);
  },
  home: async (page) => page.goto(baseUrl),
  'home-opened': async (page) => {
    await page.goto(baseUrl);
    for (const summary of await page.locator('summary').all()) await summary.click();
  },
  shop: async (page) => {
    await page.goto(baseUrl);
    await page.click('button[value="embedded"]');
    await page.frameLocator('#card').locator('#number').waitFor();
  },
  reference: async (page) => {
    await page.goto(`${baseUrl}/reference/v2`);
    await page.waitForSelector('.opblock');
  },
  'not-found': async (page) => page.goto(`${baseUrl}/checkout/ses_0`),
};
