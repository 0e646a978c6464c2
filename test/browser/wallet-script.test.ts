/** wallet-a on the hosted checkout of production, with the script of a mock wallet on another origin, in a real Chromium. */
import { createPublicKey } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { forgeWalletA } from '../../api/testing/forge/forge-wallet-a.js';
import type { WalletOrder } from '../../api/testing/forge/order.js';
import { accessibilityProblems, describeInBrowser, launchBrowser, openPage, type Watched } from '../support/browser.js';
import { makeCheckout, paymentsUnder } from '../support/checkout-session.js';
import { enableWallets, untilOpened } from '../support/enable-wallets.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { PATIENCE_MS, waitFor } from '../support/patience.js';
import { type ProductionApi, startProductionApi } from '../support/production-api.js';
import { makeWalletKeys } from '../support/wallet-keys.js';
import { type MockWallet, startMockWallet, type WalletMood } from './mock-wallet.js';

const { keys, settings, remove } = makeWalletKeys();
const base = '/v1/merchants/1001/wallet-integrations/wallet-a-pay';

let gateway: TestGateway;
let production: ProductionApi;
let wallet: MockWallet;
let browser: Browser;
let watched: Watched | undefined;

const token = (more: Partial<WalletOrder> = {}) => {
  const order: WalletOrder = {
    merchantId: 1001,
    card: '4242424242424242',
    expMonth: 12,
    expYear: 2034,
    auth: 'CRYPTOGRAM_3DS',
    ...more,
  };
  const text = forgeWalletA(order, gateway.config.walletAGatewayName, new Date(), keys);
  return Buffer.from(text, 'base64').toString('utf8');
};

const session = (more: Record<string, unknown> = {}) =>
  makeCheckout(gateway, { amount: { total: 122.5, currency: 'USD' } }, more);
const paymentsOf = (reference: string) => paymentsUnder(gateway, reference);
// biome-ignore lint/suspicious/noExplicitAny: what a script was given, of every shape.
const seenBy = (page: Page) => page.evaluate('window.walletSeen') as Promise<any>;
const press = (page: Page) => page.click('#wallet button');
const message = (page: Page) => page.locator('#errors').innerText();
const problem = (page: Page) => page.locator('#wallet .err').innerText();

async function open(
  path: string,
  mood: WalletMood,
  options: BrowserContextOptions = {},
  api: string = production.baseUrl,
) {
  wallet.mood = mood;
  watched = await openPage(browser, options, [api, wallet.origin]);
  watched.page.setDefaultTimeout(PATIENCE_MS);
  await watched.page.goto(`${api}${path}`);
  return watched.page;
}

describeInBrowser('the wallet’s own script', () => {
  beforeAll(async () => {
    wallet = await startMockWallet();
    const script = { WALLET_A_SCRIPT_URL: wallet.scriptUrl, WALLET_A_SCRIPT_CLIENT: 'wallet.api.PaymentsClient' };
    gateway = await startGateway({ name: 'walletscript', settings: { ...settings, ...script } });
    production = await startProductionApi(gateway, {
      walletAScriptUrl: wallet.scriptUrl,
      walletAScriptClient: 'wallet.api.PaymentsClient',
      walletAMerchantId: 'BCR2DN4TZ6',
    });
    browser = await launchBrowser();
    await enableWallets(gateway.call);
    const ofAnother = { token: Buffer.from(token({ merchantId: 1002 })).toString('base64') };
    const paymentMethod = { source: 'wallet-a-pay-token', walletAPayToken: ofAnother };
    await untilOpened(() => gateway.call('POST', '/v1/payments', paymentBody({ paymentMethod })));
    // The rules of testing: both auth methods, unless one is named.
    await gateway.call('PUT', base, { tosAccepted: true, mode: 'hosted' });
  });
  afterAll(async () => {
    await browser?.close();
    await production?.close();
    await gateway?.close();
    await wallet?.close();
    remove();
  });
  afterEach(async () => {
    expect(watched?.complaints ?? []).toEqual([]);
    await watched?.context.close();
    watched = undefined;
    wallet.tokens.length = 0;
  });

  test('a payer pays with the wallet: two presses are one payment, and the fields below are ignored', async () => {
    const { path, reference } = await session();
    const page = await open(path, 'pays');
    wallet.tokens.push(token(), token());
    await page.waitForSelector('#wallet:not([hidden])');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.fill('#number', '4000000000000002');
    await page.dblclick('#wallet button');
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toMatchObject([
      { status: 'approved', paymentMethod: { source: 'wallet-a-pay-token', card: { last4: '4242' } } },
    ]);
    expect(wallet.asked()).toEqual(expect.arrayContaining(['/ready', '/frame', '/picture.svg', '/token?USD122.50']));
    expect(wallet.tokens).toHaveLength(1);
  });

  test('until the answer the page says that it works, but not after the payer has stopped it', async () => {
    const { path, reference } = await session();
    const page = await open(path, 'pays');
    wallet.tokens.push(token());
    await page.waitForSelector('#wallet:not([hidden])');
    const said: string[] = [];
    let answer = () => {};
    const stopped = new Promise<void>((resolve) => {
      answer = resolve;
    });
    page.on('console', (message) => {
      if (message.type() !== 'info') return;
      said.push(message.text());
      if (said.length === 2) answer();
    });
    // The page reports by itself: it answers no query while a form is being sent.
    await page.evaluate(`{
      const note = document.querySelector('#wallet [role=status]');
      new MutationObserver(() => {
        console.info(note.textContent + ', ' + getComputedStyle(note).display);
        if (note.textContent) dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
      }).observe(note, { childList: true });
    }`);
    await page.route(`**${path.split('?')[0]}*`, async (route) => {
      if (route.request().method() === 'POST') await stopped;
      await route.continue();
    });
    await press(page);
    await page.waitForSelector('.seal.ok');
    expect(said).toEqual(['One moment, block', ', none']);
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved' }]);
  });

  test('the wallet gets the amount, the merchant and the gateway, and styles its button', async () => {
    const { path } = await session();
    const page = await open(path, 'cancels', { locale: 'es-UY' });
    await page.waitForSelector('#wallet:not([hidden])');
    const nonce = await page.evaluate('document.getElementById("wallet-script").nonce');
    expect(nonce).toMatch(/^[\w-]{22}$/);
    expect(await page.evaluate('getComputedStyle(document.querySelector("#wallet button")).backgroundColor')).toBe(
      'rgb(1, 2, 3)',
    );
    expect(await page.getAttribute('#wallet button', 'lang')).toBe('es');
    await press(page);
    await page.waitForFunction('window.walletSeen.requests.length === 1');
    const merchantInfo = { merchantId: 'BCR2DN4TZ6', merchantName: 'Sandbox Books' };
    const { options, ready, requests } = await seenBy(page);
    expect(options).toEqual({ environment: 'PRODUCTION', merchantInfo, nonce });
    const allowed = {
      type: 'CARD',
      parameters: {
        allowedAuthMethods: ['CRYPTOGRAM_3DS', 'PAN_ONLY'],
        allowedCardNetworks: expect.arrayContaining(['VISA', 'MASTERCARD', 'AMEX']),
      },
      tokenizationSpecification: {
        type: 'PAYMENT_GATEWAY',
        parameters: { gateway: 'payment-gateway', gatewayMerchantId: '1001' },
      },
    };
    expect(ready).toEqual({ apiVersion: 2, apiVersionMinor: 0, allowedPaymentMethods: [allowed] });
    expect(requests).toEqual([
      {
        apiVersion: 2,
        apiVersionMinor: 0,
        merchantInfo,
        allowedPaymentMethods: [allowed],
        transactionInfo: {
          totalPriceStatus: 'FINAL',
          totalPrice: '122.50',
          currencyCode: 'USD',
          countryCode: 'UY',
          checkoutOption: 'COMPLETE_IMMEDIATE_PURCHASE',
        },
      },
    ]);
  });

  const flexible = {
    checkout: { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD', 'UYU'], maxAmount: '2000' } },
  };
  const byDecimals = {
    checkout: { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD', 'CLP'] } },
  };

  const unclear = 'Enter an amount such as 1000.00.';

  test.each([
    ['', 'Enter the amount.'],
    ['0.00', 'Enter the amount.'],
    ['ten', unclear],
    ['-1', unclear],
    ['1.234', unclear],
    ['1,2.50', unclear],
    ['0.123', unclear],
    ['1,000.505', unclear],
    ['2000.01', 'Enter an amount within the limits.'],
  ])('the wallet is not opened while the amount is “%s”', async (typed, sentence) => {
    const { path } = await session({ settings: flexible });
    const page = await open(path, 'pays');
    await page.fill('#total', typed);
    await press(page);
    expect(await problem(page)).toBe(sentence);
    expect((await seenBy(page)).requests).toEqual([]);
    expect(await page.evaluate('document.activeElement.id')).toBe('total');
  });

  test.each([
    ['122', '122', 122],
    ['1,5', '1.5', 1.5],
    ['1,220.50', '1220.50', 1220.5],
    ['1.220,50', '1220.50', 1220.5],
    [' 1 220,5 ', '1220.5', 1220.5],
  ])('the amount “%s” is shown by the wallet as %s, and charged', async (typed, shown, total) => {
    const { path, reference } = await session({ settings: flexible });
    const page = await open(path, 'pays');
    wallet.tokens.push(token());
    await page.selectOption('#currency', 'UYU');
    await page.fill('#total', typed);
    await press(page);
    await page.waitForSelector('.seal.ok');
    expect(wallet.asked().at(-1)).toBe(`/token?UYU${shown}`);
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved', amount: { total, currency: 'UYU' } }]);
  });

  test('an amount has at most the decimals of its currency', async () => {
    const { path } = await session({ settings: byDecimals });
    const page = await open(path, 'cancels');
    await page.selectOption('#currency', 'CLP');
    await page.fill('#total', '10.50');
    await press(page);
    expect(await problem(page)).toBe('Enter an amount such as 1000.');
  });

  // The zeros come from a suggestion that was prefilled for another currency. The server accepts them too.
  test.each(['50.000', '50000.00'])('“%s” is an amount of a currency without decimals', async (typed) => {
    const { path } = await session({ settings: byDecimals });
    const page = await open(path, 'cancels');
    await page.selectOption('#currency', 'CLP');
    await page.fill('#total', typed);
    await press(page);
    const { requests } = await waitFor(
      () => seenBy(page),
      (seen) => seen.requests.length === 1,
    );
    expect(requests).toMatchObject([{ transactionInfo: { totalPrice: '50000', currencyCode: 'CLP' } }]);
  });

  test('an amount above a limit that the page does not know is an error of its field, and nothing is charged', async () => {
    const { path, reference } = await session({ settings: flexible });
    const page = await open(path, 'pays');
    await page.evaluate(`(() => {
      const { dataset } = document.querySelector('#wallet form');
      dataset.amount = JSON.stringify({ ...JSON.parse(dataset.amount), max: '9999' });
    })()`);
    wallet.tokens.push(token());
    await page.fill('#total', '2001');
    await press(page);
    await page.waitForSelector('#total-error');
    expect([await page.inputValue('#total'), await paymentsOf(reference)]).toEqual(['2001', []]);
  });

  test('a payer who closes the wallet sees no error, and can pay with it later', async () => {
    const { path, reference } = await session();
    const page = await open(path, 'cancels');
    await press(page);
    await page.waitForFunction('window.walletSeen.requests.length === 1');
    await page.waitForTimeout(300);
    expect([await problem(page), await paymentsOf(reference)]).toEqual(['', []]);
    wallet.tokens.push(token());
    wallet.mood = 'pays';
    await page.reload();
    await press(page);
    await page.waitForSelector('.seal.ok');
  });

  test.each(['fails', 'throws'] as const)('if the wallet %s, the page says so and accepts a card', async (mood) => {
    const { path, reference } = await session();
    const page = await open(path, mood);
    await press(page);
    await page.waitForSelector('#wallet .err:not(:empty)');
    expect(await problem(page)).toBe('The wallet could not be used. Try again, or pay by card.');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await paymentsOf(reference)).toEqual([]);
    await page.fill('#number', '4242424242424242');
    await page.fill('#exp', '12 / 34');
    await page.fill('#cvc', '123');
    await page.fill('#name', 'Ana Pérez');
    await page.click('#go');
    await page.waitForSelector('.seal.ok');
  });

  test.each<[string, WalletMood, BrowserContextOptions]>([
    ['the wallet knows nothing of the payer', 'not-ready', {}],
    ['there is no script', 'pays', { javaScriptEnabled: false }],
  ])('the wallet is hidden if %s', async (_name, mood, options) => {
    const page = await open((await session()).path, mood, options);
    await page.waitForLoadState('networkidle');
    expect(await page.isVisible('#wallet')).toBe(false);
    expect(await page.isVisible('.or')).toBe(false);
    expect(await page.isVisible('#go')).toBe(true);
  });

  test('if the script does not load, the page still has cards', async () => {
    const page = await open((await session()).path, 'away');
    await page.waitForLoadState('networkidle');
    expect({ wallet: await page.isVisible('#wallet'), go: await page.isVisible('#go') }).toEqual({
      wallet: false,
      go: true,
    });
    // The browser itself reports the failed load.
    expect(watched?.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  });

  test.each<[string, Partial<WalletOrder>, string]>([
    ['forged', { broken: 'bad-signature' }, 'The wallet’s answer could not be used.'],
    ['too old', { broken: 'expired' }, 'The wallet’s answer could not be used.'],
    ['of another merchant', { merchantId: 1002 }, 'The wallet’s answer could not be used.'],
    [
      'for a PAN-only credential that is not authenticated',
      { auth: 'PAN_ONLY' },
      'The card in the wallet needs its security code.',
    ],
    ['for a card that has expired', { expYear: 2020 }, 'The card in the wallet has expired.'],
  ])('after a token %s the page says what to do, and the next token pays', async (_name, order, sentence) => {
    const { path, reference } = await session();
    const page = await open(path, 'pays');
    wallet.tokens.push(token(order), token());
    await press(page);
    await page.waitForSelector('#errors');
    expect(await message(page)).toContain(sentence);
    expect(await message(page)).toContain('Nothing was charged.');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await paymentsOf(reference)).toEqual([]);
    await press(page);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toHaveLength(1);
  });

  test('an answer that is no token is refused', async () => {
    const page = await open((await session()).path, 'pays');
    wallet.tokens.push('{"not":"a token"}');
    await press(page);
    await page.waitForSelector('#errors');
    expect(await message(page)).toContain('The wallet was not charged');
  });

  test('a declined card is reported like any other, and a token is used only once', async () => {
    const { path, reference } = await session();
    const page = await open(path, 'pays');
    const declined = token({ card: '4000000000000002' });
    wallet.tokens.push(declined, declined, token());
    await press(page);
    await page.waitForSelector('#errors');
    expect(await message(page)).toContain('The bank declined');
    await press(page);
    await page.waitForSelector('text=The wallet’s answer could not be used.');
    await press(page);
    await page.waitForSelector('.seal.ok');
    expect((await paymentsOf(reference)).map(({ status }) => status).sort()).toEqual(['approved', 'denied']);
  });

  test('with dynamic shipping the wallet asks for an address, and the page answers the change', async () => {
    const walletIntegrations = { walletAPay: { dynamicShipping: true } };
    const { path, reference } = await session({ settings: { checkout: { walletIntegrations } } });
    const page = await open(path, 'cancels');
    await press(page);
    // The test polls, because the content security policy of the page forbids a script that waits for a condition.
    let seen = await seenBy(page);
    while (!seen.shipping) seen = await seenBy(page);
    const { requests, callbacks, shipping } = seen;
    expect(requests).toMatchObject([{ shippingAddressRequired: true, callbackIntents: ['SHIPPING_ADDRESS'] }]);
    expect([callbacks, shipping]).toEqual([['onPaymentDataChanged'], {}]);
    wallet.tokens.push(token());
    wallet.mood = 'pays';
    await page.reload();
    await press(page);
    await page.waitForSelector('.seal.ok');
    expect(await paymentsOf(reference)).toMatchObject([{ status: 'approved' }]);
  });

  test('if the merchant allows the origin of the gateway, the wallet gets its authJwt', async () => {
    await gateway.call('PUT', base, {
      tosAccepted: true,
      mode: 'both',
      walletAPayProfile: {
        walletMerchantName: 'Books',
        allowedOrigins: ['https://pay.example.com'],
      },
    });
    const page = await open((await session()).path, 'pays');
    await page.waitForSelector('#wallet:not([hidden])');
    const { merchantName, authJwt } = (await seenBy(page)).options.merchantInfo;
    expect([merchantName, decodeProtectedHeader(authJwt).kid]).toEqual(['Books', '2026-11']);
    await jwtVerify(authJwt, createPublicKey(keys.authJwt as never));
    await gateway.call('PUT', base, { tosAccepted: true, mode: 'hosted' });
  });

  test('the sandbox never loads the script: its button is a mock', async () => {
    const { path } = await session();
    const page = await open(path, 'pays', {}, gateway.baseUrl);
    expect(await page.locator('#wallet-script').count()).toBe(0);
    expect(await page.isVisible('button.wallet')).toBe(true);
    expect(await seenBy(page)).toBeUndefined();
  });
});
