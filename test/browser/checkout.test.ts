/** The hosted checkout as payers use it, in a real Chromium against a whole gateway. */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { forgeWalletA } from '../../api/testing/forge/forge-wallet-a.js';
import { systemClock } from '../../shared/clock.js';
import { createMerchantRepository } from '../../shared/store/merchant.repository.js';
import { type Receiver, startReceiver } from '../outbound/receiver.js';
import { accessibilityProblems, describeInBrowser } from '../support/browser.js';
import { makeCheckout, paymentsUnder } from '../support/checkout-session.js';
import { enableWallets, walletOrder } from '../support/enable-wallets.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { heading, payerBrowser } from '../support/payer-browser.js';
import { hostileTexts } from './hostile-texts.js';

const WEIGHT_BYTES_MAX = 60_000;
const GOOD = '4242424242424242';
const DECLINED = '4000000000000002';

let gateway: TestGateway;
let shop: Receiver;

/** URLs to which payers return at the shop. */
const ways = () => ({
  defaultUrl: new URL('/thanks?order=7', shop.url).href,
  cancelUrl: new URL('/basket', shop.url).href,
});

const session = (more: Record<string, unknown> = {}, request: Record<string, unknown> = {}) =>
  makeCheckout(gateway, request, { settings: { redirects: { ...ways(), receipt: true } }, ...more });

const fill = async (page: Page, number: string, more: { exp?: string; cvc?: string; name?: string } = {}) => {
  const { exp = '1234', cvc = '123', name = 'Ana Pérez' } = more;
  await page.locator('#number').pressSequentially(number);
  await page.fill('#exp', '');
  await page.locator('#exp').pressSequentially(exp);
  await page.locator('#cvc').pressSequentially(cvc);
  await page.fill('#name', name);
};

/**
 * Finds the least legible of 216 colours, by the contrast of WCAG 2.2: the text of the button on the button, and the merchant's lines
 * and links on the sheet. Pixels are measured as the browser paints them, in whatever notation the sheet has its colours.
 */
const worstContrast = `(() => {
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const luminance = (color) => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => byte / 255).map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const steps = ['00', '33', '66', '99', 'cc', 'ff'];
  const button = document.getElementById('go');
  const link = Object.assign(document.createElement('a'), { href: '#', textContent: 'x' });
  document.querySelector('.sheet').append(link);
  let worst = { ratio: 99 };
  for (const r of steps) for (const g of steps) for (const b of steps) {
    const color = '#' + r + g + b;
    document.documentElement.style.setProperty('--accent', color);
    const style = getComputedStyle(button);
    const sheet = getComputedStyle(document.documentElement).getPropertyValue('--sheet').trim();
    const found = Math.min(ratio(style.color, style.backgroundColor), ratio(getComputedStyle(link).color, sheet));
    if (found < worst.ratio) worst = { ratio: found, color };
  }
  return worst;
})()`;

const pay = (page: Page) => page.click('#go');
const paymentsOf = (reference: string) => paymentsUnder(gateway, reference);

describeInBrowser('the hosted checkout', () => {
  const payer = payerBrowser(() => [gateway.baseUrl, new URL(shop.url).origin]);
  const open = (url: string, options = {}) => payer.open(url, options);

  beforeAll(async () => {
    shop = await startReceiver((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<title>Shop</title><p>The shop</p>');
    });
    gateway = await startGateway({ name: 'checkout' });
  });
  afterAll(async () => {
    await gateway?.close();
    await shop?.close();
  });

  test('a payer pays, sees a receipt and returns to the shop', async () => {
    const { url, id, reference } = await session();
    const page = await open(url);
    expect(page.url()).toBe(`${gateway.baseUrl}/checkout/${id}`);
    expect(await page.title()).toBe('Pay USD 122.00 to Sandbox Books');
    await fill(page, GOOD);
    expect(await page.inputValue('#number')).toBe('4242 4242 4242 4242');
    expect(await page.inputValue('#exp')).toBe('12 / 34');
    expect(await page.locator('#go').innerText()).toBe('Pay USD 122.00');
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await heading(page)).toBe('Paid');
    expect(await paymentsOf(reference)).toMatchObject([
      { status: 'approved', processingMethod: 'checkout', sessionId: id },
    ]);
    await page.click('text=Receipt to print');
    expect(await page.locator('dl').innerText()).toContain(reference);
    await page.goBack();
    await page.click('text=Return to Sandbox Books');
    const back = new URL(page.url());
    expect(back.pathname).toBe('/thanks');
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      sessionId: id,
      referenceId: reference,
      status: 'approved',
    });
  });

  test('a declined card is reported and another one pays; back and reload charge nothing', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await fill(page, DECLINED);
    await pay(page);
    await page.waitForSelector('#errors');
    expect(await page.locator('#errors').innerText()).toMatch(
      /did not go through[\s\S]*0002[\s\S]*Nothing was charged[\s\S]*4 attempts/,
    );
    expect(await page.evaluate('document.activeElement.id')).toBe('errors');
    const typed = () => Promise.all(['number', 'cvc', 'exp', 'name'].map((id) => page.inputValue(`#${id}`)));
    expect(await typed()).toEqual(['', '', '12 / 34', 'Ana Pérez']);
    await page.reload();
    expect(await typed()).toEqual(['', '', '12 / 34', 'Ana Pérez']);
    expect(await page.locator('#errors').innerText()).toMatch(/4 attempts/);
    await fill(page, GOOD);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    await page.reload();
    expect(await heading(page)).toBe('Paid');
    await page.goBack();
    expect((await paymentsOf(reference)).map(({ status }) => status).sort()).toEqual(['approved', 'denied']);
  });

  test('the back button after a payment shows its result, not a form with mistakes', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await fill(page, '4242424242424241');
    await pay(page);
    await page.waitForSelector('#errors');
    await fill(page, GOOD);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    await page.goBack();
    expect(await heading(page)).toBe('Paid');
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved' }]);
  });

  test('each mistake is named at its field and in the summary', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await fill(page, '4242424242424241', { exp: '1220', cvc: '1' });
    await pay(page);
    await page.waitForSelector('#errors');
    for (const field of ['number', 'exp', 'cvc']) {
      expect(await page.getAttribute(`#${field}`, 'aria-invalid')).toBe('true');
      expect(await page.locator(`#${field}-error`).innerText()).not.toBe('');
    }
    expect(await page.locator('#errors li').count()).toBe(3);
    await fill(page, GOOD, { exp: '1260' });
    await pay(page);
    await page.waitForSelector('#errors li:only-child');
    expect(await page.locator('#exp-error').innerText()).toContain('at most 20 years ahead');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await paymentsOf(reference)).toEqual([]);
  });

  test('a double click makes one payment', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await fill(page, GOOD);
    await page.dblclick('#go');
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toHaveLength(1);
  });

  test.each([true, false])('the payer returns to the shop at once, with script: %s', async (javaScriptEnabled) => {
    const { url, id, reference } = await session({ settings: { redirects: ways() } });
    const page = await open(url, { javaScriptEnabled });
    await fill(page, GOOD);
    await pay(page);
    await page.waitForURL('**/thanks**');
    const [payment] = await paymentsOf(reference);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      order: '7',
      sessionId: id,
      referenceId: reference,
      paymentId: (payment as unknown as { id: string }).id,
      status: 'approved',
    });
    await page.goto(url);
    expect(new URL(page.url()).pathname).toBe('/thanks');
    await page.goto(`${gateway.baseUrl}/checkout/${id}/receipt`);
    expect(await page.locator('main').innerText()).toContain(reference);
  });

  test('a shop that redirects its payers to another origin gets them too', async () => {
    const inner = await startReceiver();
    const outer = await startReceiver((_request, response) => {
      response.writeHead(302, { location: new URL('/inside', inner.url).href }).end();
    });
    const redirects = { defaultUrl: new URL('/thanks', outer.url).href };
    const page = await open((await session({ settings: { redirects } })).url);
    await fill(page, GOOD);
    await pay(page);
    await page.waitForURL('**/inside');
    // The payer was at both shops, in the intended order.
    const asked = [outer, inner].map(({ url }) => `asks ${new URL(url).origin}`);
    expect(payer.complaints.splice(0)).toEqual(asked);
    await Promise.all([inner.close(), outer.close()]);
  });

  test.each([true, false])(
    'cancelling leads back to the shop without a charge, with script: %s',
    async (javaScriptEnabled) => {
      const { url, id, reference } = await session();
      const page = await open(url, { javaScriptEnabled });
      await page.click('text=Cancel and return');
      await page.waitForURL('**/basket**');
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
        sessionId: id,
        referenceId: `session-${reference}`,
        status: 'cancelled',
      });
      expect(await paymentsOf(reference)).toEqual([]);
    },
  );

  test('without a return URL the page itself says how the session ended', async () => {
    const paid = await session({ settings: { redirects: { cancelUrl: ways().cancelUrl } } });
    let page = await open(paid.url);
    await fill(page, GOOD);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await page.locator('.sheet a.btn').count()).toBe(0);
    await payer.leave();
    const { defaultUrl } = ways();
    page = await open((await session({ settings: { redirects: { defaultUrl } } })).url);
    await page.click('text=Cancel and return');
    await page.waitForSelector('.seal');
    expect(await heading(page)).toBe('Cancelled');
    await page.click('text=Return to Sandbox Books');
    expect(new URL(page.url()).searchParams.get('status')).toBe('cancelled');
  });

  test('the receipt of an unpaid session leads to the checkout, which works', async () => {
    const { id, url } = await session();
    const page = await open(url);
    await page.goto(`${gateway.baseUrl}/checkout/${id}/receipt`);
    expect(new URL(page.url()).pathname).toBe(`/checkout/${id}`);
    await fill(page, GOOD);
    await pay(page);
    await page.waitForSelector('.seal.ok');
  });

  test('an amount outside the bounds is refused, and one within them is charged', async () => {
    const flexibleAmount = { allowedCurrencies: ['USD', 'UYU'], minAmount: 5, maxAmount: 100 };
    const settings = { checkout: { amountMode: 'flexible', flexibleAmount } };
    const { url, reference } = await session({ settings }, { amount: {} });
    const page = await open(url);
    await fill(page, GOOD);
    await page.fill('#total', '250');
    await pay(page);
    await page.waitForSelector('#total-error');
    await fill(page, GOOD);
    expect(await page.locator('#go').innerText()).toBe('Pay USD 250');
    await page.fill('#total', '1,000');
    await pay(page);
    await page.waitForSelector('#total-error:text("Enter an amount such as 100.00.")');
    await fill(page, GOOD);
    await page.fill('#total', '42.50');
    await page.selectOption('#currency', 'UYU');
    expect(await page.locator('#go').innerText()).toBe('Pay UYU 42.50');
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toMatchObject([{ amount: { total: 42.5, currency: 'UYU' } }]);
  });

  test('a card is saved, chosen the next time, and removed', async () => {
    const customer = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
    const first = await session({ customerId: customer });
    let page = await open(first.url);
    await fill(page, GOOD);
    expect(await page.locator('.tick').innerText()).toMatch(/^Save this card for .+ for one day$/);
    await page.check('[name="save"]');
    await pay(page);
    await page.waitForSelector('.seal.ok');
    const listed = await gateway.call('GET', `/v1/customers/${customer}/payment-instruments`);
    expect(listed.body).toMatchObject([{ tokenizationType: 'temporal' }]);
    await payer.leave();
    const kept = await session({ customerId: customer, settings: { tokenization: { type: 'store' } } });
    page = await open(kept.url);
    expect(await page.locator('.tick').innerText()).not.toMatch(/day/);
    await payer.leave();
    const second = await session({ customerId: customer });
    page = await open(second.url);
    expect(await page.locator('.choice').first().innerText()).toContain('Visa ending');
    expect(await accessibilityProblems(page)).toEqual([]);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(second.reference)).toMatchObject([{ paymentMethod: { source: 'token' } }]);
    await payer.leave();
    page = await open((await session({ customerId: customer })).url);
    await page.click('.removal summary');
    await page.click('button[name="remove"]');
    await page.waitForSelector('#number');
    expect(await page.locator('.choice').count()).toBe(0);
    expect((await gateway.call('GET', `/v1/customers/${customer}/payment-instruments`)).body).toEqual([]);
  });

  const savedCard = async (customerId?: string) => {
    const { status, body } = await gateway.call('POST', '/v1/payments', {
      ...paymentBody(),
      ...(customerId !== undefined && { customerId }),
      paymentMethod: {
        source: 'card',
        card: { number: GOOD, expMonth: 12, expYear: 2034, cvc: '123', tokenizationSettings: { type: 'store' } },
      },
    });
    expect(status).toBe(200);
    const saved = await gateway.database.connection.collection('payment_instruments').findOne({ paymentId: body.id });
    return String(saved?._id);
  };

  test('after a decline the form keeps the amount, the currency, the card and the tick of the payer', async () => {
    const customer = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
    const [older, newer] = [await savedCard(customer), await savedCard(customer)];
    const checkout = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD', 'UYU'] } };
    const amount = { total: 20, currency: 'USD' };
    const { url, reference } = await session({ customerId: customer, settings: { checkout } }, { amount });
    const page = await open(url);
    const chosen = async () => [
      await page.inputValue('#total'),
      await page.inputValue('#currency'),
      await page.inputValue('[name="source"]:checked'),
      await page.isChecked('[name="save"]'),
      await page.locator('#go').innerText(),
    ];
    expect(await chosen()).toEqual(['20.00', 'USD', newer, false, 'Pay USD 20.00']);
    await page.fill('#total', '250');
    await page.selectOption('#currency', 'UYU');
    await page.check('[name="source"][value="new"]');
    await fill(page, DECLINED);
    await page.check('[name="save"]');
    await pay(page);
    await page.waitForSelector('#errors:has-text("4 attempts")');
    expect(await chosen()).toEqual(['250.00', 'UYU', 'new', true, 'Pay UYU 250.00']);
    expect(await page.isVisible('#number')).toBe(true);
    await page.fill('#total', '9000.05');
    await page.check(`[name="source"][value="${older}"]`);
    await pay(page);
    await page.waitForSelector('#errors:has-text("3 attempts")');
    expect(await chosen()).toEqual(['9000.05', 'UYU', older, false, 'Pay UYU 9000.05']);
    expect((await paymentsOf(reference)).map(({ status }) => status)).toEqual(['denied', 'denied']);
  });

  test('a cvc that was typed for another card is not sent with a saved one', async () => {
    const customer = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
    const token = await savedCard(customer);
    const { url, reference } = await session({ customerId: customer });
    const page = await open(url);
    await page.check('[name="source"][value="new"]');
    // Four digits, as on an American Express: a saved Visa would be refused with them.
    await fill(page, '378282246310005', { cvc: '1234' });
    await page.check(`[name="source"][value="${token}"]`);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved', paymentMethod: { source: 'token' } }]);
  });

  test('a saved card of a wallet asks for its cvc if it needs one, and only when it is chosen', async () => {
    await enableWallets(gateway.call);
    const customer = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
    const save = async (number: string) => {
      const wallet = walletOrder({ card: number, auth: 'PAN_ONLY' });
      const walletAPayToken = { token: forgeWalletA(wallet, gateway.config.walletAGatewayName, new Date()) };
      const { status, body } = await gateway.call('POST', '/v1/tokenizations', {
        merchantId: 1001,
        customerId: customer,
        type: 'store',
        paymentMethod: { source: 'wallet-a-pay-token', walletAPayToken },
      });
      expect([status, body.params]).toEqual([200, undefined]);
      return body.token as string;
    };
    const [visa, amex] = [await save(GOOD), await save('378282246310005')];
    const plain = await savedCard(customer);
    const { url, reference } = await session({ customerId: customer });
    const page = await open(url);
    const mark = (token: string) => page.check(`[name="source"][value="${token}"]`);
    const code = (token: string) => page.locator(`[name="cvc-${token}"]`);
    const codes = `[...document.querySelectorAll('[autocomplete="cc-csc"]')]`;
    const shown = () => page.evaluate(`${codes}.filter((field) => field.checkVisibility()).map(({ name }) => name)`);
    await mark(plain);
    expect(await shown()).toEqual([]);
    await mark(amex);
    await code(amex).fill('1234');
    await mark(visa);
    expect(await shown()).toEqual([`cvc-${visa}`]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await pay(page);
    await page.waitForSelector('#savedCvc-error:has-text("Enter the security code.")');
    expect(await page.locator('#errors a').getAttribute('href')).toBe('#savedCvc');
    expect(await accessibilityProblems(page)).toEqual([]);
    await code(visa).fill('1234');
    await pay(page);
    await page.waitForSelector('#savedCvc-error:has-text("digits")');
    expect(await paymentsOf(reference)).toEqual([]);
    await code(visa).fill('123');
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved', paymentMethod: { source: 'token' } }]);
    await gateway.call('DELETE', '/v1/merchants/1001/wallet-integrations/wallet-a-pay');
  });

  test('a session for one saved card asks for its cvc only, also without a customer', async () => {
    const { url, reference } = await session({ token: await savedCard() });
    const page = await open(url);
    expect(await page.locator('#number').count()).toBe(0);
    expect(await page.locator('#typed').innerText()).toContain('Visa ending 4242');
    await page.fill('#cvc', '123');
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved', paymentMethod: { source: 'token' } }]);
  });

  test('a session whose saved card was removed says so, and offers no other card', async () => {
    const customer = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
    const token = await savedCard(customer);
    const { url } = await session({ token, customerId: customer });
    expect((await gateway.call('DELETE', `/v1/customers/${customer}/payment-instruments/${token}`)).status).toBe(200);
    const page = await open(url);
    expect(await heading(page)).toBe('This card can no longer be used');
    expect(await page.locator('form').count()).toBe(0);
  });

  test('a session for a saved card of a disabled brand offers no other card and asks for no cvc', async () => {
    const { url } = await session({ merchantId: 1002, token: await savedCard() });
    const path = '/v1/merchants/1002/payment-methods/visa';
    const { mode, settings } = (await gateway.call('GET', path)).body;
    const enable = async (enabled: boolean) =>
      expect((await gateway.call('PUT', path, { mode, settings, enabled })).status).toBe(200);
    const page = await open(url);
    await enable(false);
    await page.fill('#cvc', '123');
    await pay(page);
    await page.waitForSelector('h1:text-is("Not available right now")');
    await page.goto(page.url());
    expect([await heading(page), await page.locator('form').count()]).toEqual(['Not available right now', 0]);
    await enable(true);
  });

  test('a payer whose customer was deleted meanwhile is sent to the shop, not to the form', async () => {
    const customer = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
    const { url, reference } = await session({ customerId: customer });
    const page = await open(url);
    expect((await gateway.call('DELETE', `/v1/customers/${customer}`)).status).toBe(200);
    await fill(page, GOOD);
    await pay(page);
    await page.waitForSelector('text=This page cannot continue');
    expect(await page.locator('main').innerText()).not.toContain('Check them');
    expect(await paymentsOf(reference)).toEqual([]);
  });

  test('a card number typed as the name is an error of the name, and no cookie keeps it', async () => {
    const { url } = await session();
    const page = await open(url);
    await fill(page, GOOD);
    await page.fill('#name', '4242 4242 4242 4242');
    await pay(page);
    await page.waitForSelector('#name-error');
    const kept = (await page.context().cookies()).find(({ name }) => name === 'gateway-name');
    expect(kept?.value ?? '').toBe('');
  });

  test('once it is paid, the address is worth nothing in another browser', async () => {
    const { url } = await session();
    const page = await open(url);
    await fill(page, GOOD);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    await page.goto(url);
    expect(await heading(page)).toBe('Paid');
    const elsewhere = await fetch(url, { redirect: 'manual' });
    expect([elsewhere.status, elsewhere.headers.get('set-cookie')]).toEqual([410, null]);
    expect(await elsewhere.text()).toContain('Already paid');
  });

  test('installments and a cardholder name of the session are shown and filled in', async () => {
    const cardholder = { firstName: 'Ana', lastName: 'Pérez', email: 'ana@shop.example' };
    const { url, reference } = await session({ settings: { tokenization: { cardholder } } }, { installments: 3 });
    const page = await open(url);
    expect(await page.locator('.facts').innerText()).toMatch(/Installments\s+3/);
    expect(await page.inputValue('#name')).toBe('Ana Pérez');
    await fill(page, GOOD);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toMatchObject([{ installments: 3 }]);
  });

  test('the mock button of wallet-a pays, whatever is typed below it', async () => {
    await gateway.call('PUT', '/v1/merchants/1001/wallet-integrations/wallet-a-pay', {
      tosAccepted: true,
      mode: 'hosted',
      walletAPayProfile: { walletMerchantName: 'Books', allowedOrigins: ['https://shop.example.com'] },
    });
    const { url, reference } = await session();
    const page = await open(url);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.fill('#number', '4000000000000002');
    await page.click('button.wallet');
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toMatchObject([
      { status: 'approved', paymentMethod: { source: 'wallet-a-pay-token', card: { last4: '4242' } } },
    ]);
    const flexible = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD'], maxAmount: '500' } };
    const open_ = await session({ settings: { checkout: flexible } });
    await page.goto(open_.url);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.fill('#total', '600');
    await page.click('button.wallet');
    await page.waitForSelector('#total-error');
    // If the payer chooses the amount, the Enter key pays with the typed card, not with the wallet.
    await page.fill('#total', '1,5');
    await page.press('#total', 'Enter');
    await page.waitForSelector('#number-error');
    await page.click('button.wallet');
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(open_.reference)).toMatchObject([
      { amount: { total: 1.5 }, paymentMethod: { source: 'wallet-a-pay-token' } },
    ]);
    await gateway.call('DELETE', '/v1/merchants/1001/wallet-integrations/wallet-a-pay');
  });

  test('a payer without script pays too', async () => {
    const { url, reference } = await session();
    const page = await open(url, { javaScriptEnabled: false });
    await fill(page, GOOD);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toHaveLength(1);
  });

  test("the page has the payer's language, and another one on demand", async () => {
    const { url } = await session();
    const page = await open(url, { locale: 'es-UY' });
    expect(await heading(page)).toBe('¿Cómo quiere pagar?');
    await page.click('text=Português');
    expect(await heading(page)).toBe('Como você quer pagar?');
  });

  test.each(['light', 'dark'] as const)(
    '%s: the page is small to load, accessible, and narrow enough',
    async (colorScheme) => {
      const { url } = await session();
      const page = await open(url, { colorScheme, viewport: { width: 320, height: 640 } });
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      const bytes = await page.evaluate(
        'performance.getEntries().reduce((sum, entry) => sum + (entry.encodedBodySize ?? 0), 0)',
      );
      expect(bytes).toBeGreaterThan(2_000);
      expect(bytes).toBeLessThan(WEIGHT_BYTES_MAX);
    },
  );

  test.each(['light', 'dark'] as const)(
    '%s: the colour of a merchant is used, and every colour is legible',
    async (colorScheme) => {
      const merchants = createMerchantRepository(gateway.database, systemClock);
      await merchants.setPageColor(1001, 'b4451f');
      const { url } = await session();
      const page = await open(url, { colorScheme });
      // The gateway caches a merchant for some seconds.
      const sheet = page.locator('link[href="/assets/colors/b4451f.css"]');
      while ((await sheet.count()) === 0) {
        await page.waitForTimeout(200);
        await page.reload();
      }
      const painted = await page.evaluate("getComputedStyle(document.getElementById('go')).backgroundColor");
      expect(painted).toBe('rgb(180, 69, 31)');
      expect(await accessibilityProblems(page)).toEqual([]);
      const worst = (await page.evaluate(worstContrast)) as { ratio: number; color: string };
      expect(worst.ratio).toBeGreaterThanOrEqual(4.5);
      await merchants.setPageColor(1001, undefined);
    },
  );

  test('fields side by side are level, whatever their labels, and a name without a logo fits on one line', async () => {
    const { url } = await session({ settings: {} });
    const narrow = await open(`${url}&lang=es`, { viewport: { width: 360, height: 800 } });
    const boxOf = async (selector: string) => await narrow.locator(selector).boundingBox();
    const [expiry, code] = [await boxOf('#exp'), await boxOf('#cvc')];
    expect([code?.y, code?.height]).toEqual([expiry?.y, expiry?.height]);
    await narrow.setViewportSize({ width: 1280, height: 800 });
    await narrow.click('text=Cancelar y volver');
    await narrow.waitForSelector('.seal');
    const name = await boxOf('.payee b');
    expect(name?.height).toBeLessThan(30);
    expect(name?.width).toBeGreaterThan(80);
  });

  test('an address without its token, or with a wrong one, is not found', async () => {
    const { url } = await session();
    for (const address of [url.replace(/\?.*/, ''), `${url}x`, `${gateway.baseUrl}/checkout/ses_0?token=x`]) {
      const answer = await fetch(address, { redirect: 'manual' });
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('Page not found');
    }
  });

  test.each(['/checkout', '/tokenization'] as const)(
    'hostile texts in every field of %s are shown as text',
    async (path) => {
      const elements = 'document.querySelectorAll("*").length';
      const fields = (text: string) => ({
        merchantId: 1002,
        referenceId: `${randomUUID()}${text}`,
        settings: { tokenization: { cardholder: { firstName: text, lastName: text } } },
      });
      const make = async (text: string) => {
        const { body } = await gateway.call('POST', '/v1/sessions', {
          ...fields(text),
          type: path.slice(1),
          ...(path === '/checkout' && {
            paymentRequest: {
              referenceId: `${randomUUID()}${text}`,
              invoiceNumber: text,
              amount: { total: 1, currency: 'USD' },
            },
          }),
        });
        const { pathname, search } = new URL(body.actions[0].href);
        return `${gateway.baseUrl}${pathname}${search}`;
      };
      const name = '<img src=x onerror=alert(0)>"\'';
      await gateway.database.connection.collection('merchants').updateOne({ _id: 1002 as never }, { $set: { name } });
      const page = await open(await make('plain'));
      expect(await page.locator('.stub').innerText()).toContain(name);
      const plain = await page.evaluate(elements);
      for (const text of hostileTexts) {
        await page.goto(await make(text));
        expect([text, await page.evaluate(elements)]).toEqual([text, plain]);
        expect(await page.inputValue('#name')).toBe(`${text} ${text}`);
        if (path === '/checkout') expect(await page.locator('.stub').innerText()).toContain(text.trim());
      }
    },
  );

  test('an internal error during the payment is shown, with a way back to the checkout', async () => {
    const { url, id, reference } = await session();
    const page = await open(url);
    await fill(page, GOOD);
    const refuse = (validator: object) => gateway.database.connection.db?.command({ collMod: 'payments', validator });
    await refuse({ _id: 'no payment' });
    await pay(page);
    await page.waitForSelector('h1:text-is("Something went wrong on our side")');
    await refuse({});
    payer.complaints.splice(0);
    // A reload would ask whether to send the card once more.
    await page.click('text=Check again');
    expect(page.url()).toBe(`${gateway.baseUrl}/checkout/${id}`);
    await fill(page, GOOD);
    await pay(page);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toHaveLength(1);
  });

  test('an expired session says so, and charges nothing', async () => {
    const { url, id, reference } = await session();
    const page = await open(url);
    await fill(page, GOOD);
    const past = new Date(Date.now() - 1_000);
    await gateway.database.connection
      .collection('sessions')
      .updateOne({ _id: id as never }, { $set: { expiresAt: past } });
    await pay(page);
    expect(await heading(page)).toBe('This page has expired');
    expect(await paymentsOf(reference)).toEqual([]);
    await page.click('text=Return to Sandbox Books');
    expect(new URL(page.url()).pathname).toBe('/basket');
  });

  test('texts of the shop and of the payer are shown as text', async () => {
    const evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>';
    const { url } = await session({}, { invoiceNumber: evil.slice(0, 64), referenceId: `${randomUUID()}${evil}` });
    const page = await open(url);
    expect(await page.locator('.stub').innerText()).toContain('<script>');
    await fill(page, GOOD, { name: evil });
    await page.fill('#number', '1');
    await pay(page);
    await page.waitForSelector('#errors');
    expect(await page.inputValue('#name')).toBe(evil.slice(0, 80));
  });
});
