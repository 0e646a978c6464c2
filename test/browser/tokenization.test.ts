/** The page that saves a card, alone and in a frame of another site, in a real Chromium against a whole gateway. */
import { randomUUID } from 'node:crypto';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { type Receiver, startReceiver } from '../outbound/receiver.js';
import { accessibilityProblems, describeInBrowser, launchBrowser, openPage, type Watched } from '../support/browser.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/patience.js';

let gateway: TestGateway;
let browser: Browser;
/** A shop whose page frames the address in `?frame=`, and stores the messages that it gets. */
let shop: Receiver;
let customer: string;

const host = (
  frame: string,
) => `<!doctype html><title>Shop</title><iframe name="card" width="480" height="500" src="${frame}"></iframe>
<script>window.received=[];addEventListener('message',(event)=>received.push({origin:event.origin,...event.data}))</script>`;

async function session(settings: Record<string, unknown> = {}) {
  const { status, body } = await gateway.call('POST', '/v1/sessions', {
    merchantId: 1001,
    referenceId: `save-${randomUUID()}`,
    type: 'tokenization',
    customerId: customer,
    settings: {
      tokenization: { type: 'store' },
      redirects: { defaultUrl: new URL('/saved', shop.url).href, receipt: true },
      ...settings,
    },
  });
  expect([status, body.params]).toEqual([200, undefined]);
  const address = (rel: string): string => {
    const href = new URL(body.actions.find((action: { rel: string }) => action.rel === rel).href);
    return `${gateway.baseUrl}${href.pathname}${href.search}`;
  };
  return { id: body.id as string, whole: address('REDIRECT'), embedded: address('EMBEDDED') };
}

async function fill(form: Page | FrameLocator, number: string): Promise<void> {
  await form.locator('#number').fill(number);
  await form.locator('#exp').fill('12 / 34');
  await form.locator('#cvc').fill('123');
  await form.locator('#name').fill('Ana Pérez');
  await form.locator('#go').click();
}

/** Changes the form into one that a client may send without our page. */
const forgeNewCard = `
  for (const radio of document.querySelectorAll('[type=radio]')) radio.remove();
  const typed = { source: 'new', number: '4242424242424242', exp: '12/34', cvc: '123', name: 'Ana' };
  for (const [name, value] of Object.entries(typed)) {
    const input = Object.assign(document.createElement('input'), { type: 'hidden', name, value });
    document.querySelector('form').append(input);
  }`;

const saved = async () =>
  (await gateway.call('GET', `/v1/customers/${customer}/payment-instruments`)).body as unknown[];

describeInBrowser('the tokenization page', () => {
  let watched: Watched | undefined;
  const open = async (url: string, options = {}) => {
    watched = await openPage(browser, options);
    await watched.page.goto(url);
    return watched.page;
  };

  beforeAll(async () => {
    shop = await startReceiver((request, response) => {
      const frame = new URL(request.url ?? '/', shop.url).searchParams.get('frame');
      response.setHeader('content-type', 'text/html');
      response.end(frame ? host(frame.replace(/"/g, '')) : '<title>Shop</title><p>The shop</p>');
    });
    gateway = await startGateway({
      name: 'tokenize',
      settings: { PAGES_OPERATOR_NAME: 'Río Payments', PAGES_PRIVACY_URL: 'https://pay.example.com/privacy' },
    });
    browser = await launchBrowser();
  });
  beforeEach(async () => {
    customer = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
  });
  afterEach(async () => {
    await watched?.context.close();
    watched = undefined;
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    await shop?.close();
  });

  test('a card is saved and the payer returns to the shop', async () => {
    const { whole, id } = await session();
    const page = await open(whole);
    expect(await accessibilityProblems(page)).toEqual([]);
    await fill(page, '4242424242424242');
    await page.waitForSelector('.seal.ok');
    expect(await page.locator('main').innerText()).toMatch(/Card saved[\s\S]*Visa ending 4242/);
    expect(await saved()).toHaveLength(1);
    await page.click('text=Return to Sandbox Books');
    const back = new URL(page.url());
    expect([back.pathname, back.searchParams.get('sessionId'), back.searchParams.get('status')]).toEqual([
      '/saved',
      id,
      'completed',
    ]);
    expect(watched?.complaints).toEqual([]);
  });

  test('back and reload show the result, and never ask the payer to send a form again', async () => {
    const page = await open((await session()).whole);
    await fill(page, '4242424242424242');
    await page.click('text=Return to Sandbox Books');
    await page.goBack();
    expect(await page.locator('main').innerText()).toMatch(/Card saved[\s\S]*Visa ending 4242/);
    await watched?.context.close();

    const again = await open((await session()).whole);
    await again.click('[aria-label^="Remove Visa"]');
    await again.click('.removal[open] button');
    await again.waitForSelector('h1:has-text("Save a card")');
    await again.click('text=Español');
    await again.waitForSelector('h1:has-text("Guardar")');
    await again.goBack();
    expect(await again.locator('#number').count()).toBe(1);
    expect(await saved()).toEqual([]);
  });

  test('a payer whose customer was deleted meanwhile is sent to the shop, not to the form', async () => {
    const page = await open((await session()).whole);
    expect((await gateway.call('DELETE', `/v1/customers/${customer}`)).status).toBe(200);
    await fill(page, '4242424242424242');
    await page.waitForSelector('text=This page cannot continue');
    expect(await page.locator('main').innerText()).toContain('ask there');
  });

  test.each([true, false])('the payer returns to the shop at once, with script: %s', async (javaScriptEnabled) => {
    const redirects = { defaultUrl: new URL('/saved', shop.url).href, cancelUrl: new URL('/kept', shop.url).href };
    const { whole, id } = await session({ redirects });
    let page = await open(whole, { javaScriptEnabled });
    await fill(page, '4242424242424242');
    await page.waitForURL('**/saved**');
    const { sessionId, status } = Object.fromEntries(new URL(page.url()).searchParams);
    expect([sessionId, status, await saved()]).toEqual([id, 'completed', [expect.anything()]]);
    await watched?.context.close();
    page = await open((await session({ redirects })).whole, { javaScriptEnabled });
    await page.click('text=Cancel and return');
    await page.waitForURL('**/kept**');
    expect(new URL(page.url()).searchParams.get('status')).toBe('cancelled');
    expect(watched?.complaints).toEqual([]);
  });

  test('a wrong number is reported, and a card that is not confirmed may be replaced', async () => {
    const verifyFunds = { amount: 1, currency: 'USD' };
    const { whole } = await session({ tokenization: { type: 'store', verifyFunds } });
    const page = await open(whole);
    expect(await page.locator('.note').innerText()).toBe('We hold USD 1.00 and release it at once.');
    await fill(page, '4242424242424241');
    await page.waitForSelector('#number-error');
    await fill(page, '4000000000000002');
    await page.waitForSelector('#errors:has-text("The card was not saved")');
    expect(await saved()).toEqual([]);
    await fill(page, '4242424242424242');
    await page.waitForSelector('.seal.ok');
    expect(await saved()).toHaveLength(1);
  });

  const saveOne = async (number: string) => {
    const page = await open((await session()).whole);
    await page.waitForSelector('#number');
    await fill(page, number);
    await page.waitForSelector('.seal.ok');
    await watched?.context.close();
  };

  test('a saved card is chosen again, and another one is removed', async () => {
    await saveOne('4242424242424242');
    await saveOne('5555555555554444');
    const { whole, id } = await session();
    const page = await open(whole);
    expect(await page.locator('h1').innerText()).toBe('Choose a card');
    expect(await page.locator('.choice').count()).toBe(3);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.click('[aria-label^="Remove Mastercard"]');
    await page.click('.removal[open] button');
    await page.waitForFunction("document.querySelectorAll('.choice').length === 2");
    expect(await saved()).toHaveLength(1);
    await page.check('.choice input >> nth=0');
    expect(await page.locator('#number').isVisible()).toBe(false);
    await page.click('#go');
    await page.waitForSelector('.seal.ok');
    expect(await page.locator('.sheet').innerText()).toContain('Visa ending 4242');
    expect(await saved()).toHaveLength(1);
    const { body } = await gateway.call('GET', '/v1/sessions?merchantId=1001&size=100');
    expect(body.data.find((one: { id: string }) => one.id === id)).toMatchObject({ status: 'completed' });
    expect(watched?.complaints).toEqual([]);
  });

  test('an action that the session does not allow is not offered, and is refused', async () => {
    await saveOne('4242424242424242');
    const listed = await session({ tokenization: { type: 'store', features: ['list', 'create'] } });
    let page = await open(listed.whole);
    expect(await page.locator('.choice').count()).toBe(1);
    expect(await page.locator('input[type=radio], button[name=remove]').count()).toBe(0);
    await fill(page, '5555555555554444');
    await page.waitForSelector('.seal.ok');
    await watched?.context.close();

    const chosen = await session({ tokenization: { type: 'store', features: ['list', 'select'] } });
    page = await open(chosen.whole);
    expect(await page.locator('#number').count()).toBe(0);
    await page.evaluate(forgeNewCard);
    await page.click('#go');
    await page.waitForSelector('form');
    expect(await saved()).toHaveLength(2);
    await page.click('#go');
    await page.waitForSelector('.seal.ok');
    expect(await saved()).toHaveLength(2);
  });

  test('in a frame a card is saved, and only the shop is notified, without card data', async () => {
    const { embedded, id } = await session();
    const page = await open(`${new URL('/', shop.url).href}?frame=${encodeURIComponent(embedded)}`);
    const frame = page.frameLocator('iframe');
    await frame.locator('#number').waitFor();
    await fill(frame, '4242424242424242');
    await frame.locator('.seal.ok').waitFor();
    await page.waitForFunction("received.some(({ type }) => type === 'result')");
    const received = (await page.evaluate('received')) as { type: string; origin: string }[];
    expect(received.find(({ type }) => type === 'result')).toEqual({
      source: 'gateway',
      type: 'result',
      sessionId: id,
      status: 'completed',
      origin: gateway.baseUrl,
    });
    expect(received.some(({ type }) => type === 'height')).toBe(true);
    expect(JSON.stringify(received)).not.toMatch(/4242/);
    expect(await saved()).toHaveLength(1);
    expect(watched?.complaints).toEqual([]);
  });

  test('a payer who comes back to the page of the shop sees in its frame what is the case, and the shop is notified', async () => {
    const { embedded } = await session({ redirects: undefined });
    const page = await open(`${new URL('/', shop.url).href}?frame=${encodeURIComponent(embedded)}`);
    const frame = page.frameLocator('iframe');
    const leaveAndComeBack = async () => {
      await page.evaluate("location.assign('/elsewhere')");
      await page.waitForURL('**/elsewhere');
      await page.goBack();
    };
    const gets = (type: string) => page.waitForFunction(`received.some((message) => message.type === '${type}')`);
    await fill(frame, '4242424242424241');
    await frame.locator('#number-error').waitFor();
    await leaveAndComeBack();
    await frame.locator('#number').waitFor();
    await gets('ready');
    await fill(frame, '4242424242424242');
    await frame.locator('.seal.ok').waitFor();
    await leaveAndComeBack();
    await frame.locator('.seal.ok').waitFor();
    await gets('result');
    expect(await saved()).toHaveLength(1);
  });

  test('an internal error in a frame is shown and sent to the shop, and the payer can go on', async () => {
    const { embedded, id } = await session();
    const page = await open(`${new URL('/', shop.url).href}?frame=${encodeURIComponent(embedded)}`);
    const frame = page.frameLocator('iframe');
    const refuse = (validator: object) =>
      gateway.database.connection.db?.command({ collMod: 'payment_instruments', validator });
    await frame.locator('#number').waitFor();
    await refuse({ _id: 'no card' });
    await fill(frame, '4242424242424242');
    await frame.locator('h1:text-is("Something went wrong on our side")').waitFor();
    await refuse({});
    await frame.locator('text=Check again').click();
    await fill(frame, '4242424242424242');
    await frame.locator('.seal.ok').waitFor();
    await page.waitForFunction("received.some(({ type }) => type === 'result')");
    const types = await page.evaluate("received.map(({ type }) => type).filter((type) => type !== 'height')");
    expect(types).toEqual(['ready', 'error', 'ready', 'result']);
    const { origin: _origin, ...message } = (await page.evaluate("received.find(({ type }) => type === 'error')")) as {
      origin: string;
    };
    expect(message).toEqual({ source: 'gateway', type: 'error', sessionId: id });
    expect(await saved()).toHaveLength(1);
  });

  test("a framed page has the test mark and the operator's links, no gap above, and is centred", async () => {
    const { embedded } = await session();
    const page = await open(`${new URL('/', shop.url).href}?frame=${encodeURIComponent(embedded)}`);
    await page.evaluate("document.querySelector('iframe').width = 900");
    const frame = page.frameLocator('iframe');
    await frame.locator('#number').waitFor();
    expect(await frame.locator('main > .strip').innerText()).toBe('Testing environment. No money moves.');
    expect(await frame.locator('main a').getAttribute('href')).toBe('https://pay.example.com/privacy');
    const inside = page.frames()[1];
    const topLeft = (selector: string) =>
      inside?.evaluate(
        `(({ top, left }) => ({ top, left }))(document.querySelector('${selector}').getBoundingClientRect())`,
      );
    expect(await topLeft('main')).toEqual({ top: 0, left: (900 - 480) / 2 });
    // As in production: without the test mark the form begins at the top of the frame.
    await inside?.evaluate("document.querySelector('.strip').remove()");
    expect(await topLeft('form')).toMatchObject({ top: 4 });
  });

  test('only the shop may frame the embedded page, and no site the whole page', async () => {
    // In testing, pages of `localhost` may frame every embedded page: these shops have other names of this machine.
    const named = (name: string) => new URL(shop.url.replace('127.0.0.1', `${name}.localhost`)).origin;
    const [own, counter, evil] = [named('shop'), named('counter'), named('evil')];
    const redirects = { defaultUrl: `${own}/saved`, cancelUrl: `${counter}/cart` };
    const { embedded, whole } = await session({ redirects });
    const framingOf = async (address: string, referer: string) => {
      const { headers } = await fetch(address, { redirect: 'manual', headers: { referer } });
      const policy = headers.get('content-security-policy') ?? '';
      return [/frame-ancestors [^;]*/.exec(policy)?.[0], headers.get('x-frame-options')];
    };
    for (const referer of [`${evil}/`, `${own}/cart`]) {
      expect(await framingOf(embedded, referer)).toEqual([`frame-ancestors ${own} ${counter}`, null]);
      expect(await framingOf(whole, referer)).toEqual(["frame-ancestors 'none'", 'DENY']);
    }

    for (const origin of [own, counter]) {
      const page = await open(`${origin}/?frame=${encodeURIComponent(embedded)}`);
      await page.frameLocator('iframe').locator('#number').waitFor();
      expect(watched?.complaints).toEqual([]);
      await watched?.context.close();
    }
    for (const [origin, framed] of [
      [evil, embedded],
      [own, whole],
    ] as const) {
      const page = await open(`${origin}/?frame=${encodeURIComponent(framed)}`);
      await until(() => watched?.complaints.some((complaint) => complaint.includes('frame-ancestors')), 'a refusal');
      expect(await page.frameLocator('iframe').locator('#number').count()).toBe(0);
      await watched?.context.close();
    }
  });

  test('a form sent by another site changes nothing', async () => {
    const { whole } = await session();
    const entered = await fetch(whole, { redirect: 'manual' });
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(entered.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
    const page = await (await fetch(whole.replace(/\?.*/, ''), { headers: { cookie } })).text();
    const proof = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const card = { number: '4242424242424242', exp: '12/34', cvc: '123', name: 'Ana', attempt: '1' };
    const post = (form: string, headers: Record<string, string>) =>
      fetch(whole.replace(/\?.*/, ''), {
        method: 'POST',
        headers: { cookie, ...headers },
        body: new URLSearchParams({ ...card, form }),
      });
    expect((await post(proof, { 'sec-fetch-site': 'cross-site' })).status).toBe(404);
    expect((await post('x', {})).status).toBe(404);
    expect(await saved()).toEqual([]);
    expect((await post(proof, { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect(await saved()).toHaveLength(1);
  });
});
