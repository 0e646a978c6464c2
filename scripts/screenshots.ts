/**
 * `npm run screenshots`: pictures of every page for payers, narrow and wide, light and dark, of the sandbox that `npm start`
 * runs. They are written to `.local/screenshots`, to be looked at, and stay out of the repository.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';

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
const folder = join('.local', 'screenshots');
mkdirSync(folder, { recursive: true });

let counter = 0;

async function post(path: string, body: object) {
  const answer = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`,
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { id: string; actions: { rel: string; href: string }[] };
}

const hrefOf = (session: { actions: { rel: string; href: string }[] }, rel: string): string =>
  session.actions.find((action) => action.rel === rel)?.href ?? '';

const redirects = { defaultUrl: `${baseUrl}/`, cancelUrl: `${baseUrl}/` };

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

const flexible = {
  checkout: {
    amountMode: 'flexible',
    flexibleAmount: { allowedCurrencies: ['USD', 'UYU'], minAmount: 5, maxAmount: 100 },
  },
};

async function withCards(): Promise<string> {
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
  return checkout({ customerId: customer.id });
}

/** Every page by name: leads the browser there. */
const pages: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  checkout: async (page) => page.goto(await checkout()),
  'checkout-saved-cards': async (page) => page.goto(await withCards()),
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
  'checkout-processing': async (page) => {
    await page.goto(await checkout());
    await page.fill('#number', '4000000000100042');
    await page.fill('#exp', '12 / 34');
    await page.fill('#cvc', '123');
    await page.fill('#name', 'Lucía Ferreira');
    await page.locator('#go').click({ noWaitAfter: true });
    await page.waitForSelector('.wait', { timeout: 30_000 });
  },
  'transfer-choice': async (page) => {
    await page.goto(await checkout());
    await page.locator('nav.tabs a').last().click();
  },
  transfer: async (page) => {
    await page.goto(await checkout({}, { paymentMethodTypes: ['bank-transfer'] }));
    await page.click('#go');
    await page.waitForSelector('img.qr');
    await page.click('summary');
  },
  paid: async (page) => {
    await page.goto(await checkout());
    await fill(page, '4242424242424242');
    await page.waitForSelector('.seal.ok');
  },
  cancelled: async (page) => {
    await page.goto(await checkout());
    await page.click('button[value="cancel"]');
  },
  tokenization: async (page) => page.goto(await tokenization('REDIRECT')),
  embedded: async (page) => page.goto(await tokenization('EMBEDDED')),
  'card-saved': async (page) => {
    await page.goto(await tokenization('REDIRECT'));
    await fill(page, '4242424242424242');
    await page.waitForSelector('.seal.ok');
  },
  'saved-cards': async (page) => {
    const customer = await post('/v1/customers', { firstName: 'Lucía' });
    for (const number of ['4242424242424242', '5555555555554444']) {
      await page.goto(await tokenization('REDIRECT', customer.id));
      await fill(page, number);
      await page.waitForSelector('.seal.ok');
    }
    await page.goto(await tokenization('REDIRECT', customer.id));
  },
  link: async (page) => page.goto(await link({ type: 'one-time', ...order })),
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
  'not-found': async (page) => page.goto(`${baseUrl}/checkout/ses_0`),
};

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  'narrow-light': { viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  'wide-dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  'narrow-dark': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  'wide-light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
};

const executablePath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
if (executablePath === undefined) {
  console.error('There is no Chromium: install one, or name it in CHROMIUM_PATH.');
  process.exit(1);
}
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const wanted = process.argv.slice(2);
for (const [name, lead] of Object.entries(pages)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const [look, options] of Object.entries(looks)) {
    const context = await browser.newContext({ locale: 'en-US', ...options });
    const page = await context.newPage();
    await lead(page);
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true });
    await context.close();
  }
  console.log(name);
}
await browser.close();
