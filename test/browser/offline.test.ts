/** Sending a form of the pages without a network: the payer stays, reads why, and sends it again; it is charged once. */
import type { Page, Route } from 'playwright-core';
import { assets } from '../../api/pages/assets.js';
import { textsOf } from '../../api/pages/language.js';
import { transferPage } from '../../api/pages/views/bank-transfer.view.js';
import { challengePage } from '../../api/pages/views/challenge.view.js';
import { accessibilityProblems, describeInBrowser, narrowProblems } from '../support/browser.js';
import { makeCheckout, paymentsUnder } from '../support/checkout-session.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { heading, payerBrowser } from '../support/payer-browser.js';
import { type ShownPages, startShownPages } from '../support/shown-pages.js';

const NOTE = '[data-offline]';
/** An answer after which a browser stays on its page. */
const NO_CONTENT = 204;
const payee = { name: 'Casa Lumbre' };

let pages: ShownPages;
let gateway: TestGateway;

describeInBrowser('a form sent without a network', () => {
  const payer = payerBrowser();
  beforeAll(async () => {
    pages = await startShownPages();
    gateway = await startGateway({ name: 'offline' });
  });
  afterAll(async () => {
    await gateway?.close();
    await pages?.close();
  });

  const blank = (options = {}) => payer.open('about:blank', options);
  const goOffline = (page: Page, offline = true) => page.context().setOffline(offline);
  const shows = (page: Page, text: string) => page.locator(NOTE, { hasText: text }).waitFor();
  const sent = () =>
    pages.received.filter(({ method }) => method === 'POST').map(({ body }) => new URLSearchParams(body));
  const nextPost = (page: Page) => page.waitForRequest((request) => request.method() === 'POST');
  /** The browser logs each request that fails because there is no network. */
  const forgetFailedLoads = () => {
    const others = payer.complaints.filter((complaint) => !complaint.includes('ERR_INTERNET_DISCONNECTED'));
    payer.complaints.splice(0, payer.complaints.length, ...others);
  };
  afterEach(() => {
    pages.received.length = 0;
  });

  test.each(['en', 'es', 'pt'] as const)('%s: stays on the page, with a text for all readers', async (language) => {
    const { offlineNotSent, backOnline } = textsOf[language];
    const page = await blank();
    await pages.showCheckout(page, { language });
    await page.fill('#name', 'Ana Pérez');
    await goOffline(page);
    for (const press of [() => page.click('#go'), () => page.press('#name', 'Enter')]) {
      await press();
      await shows(page, offlineNotSent);
    }
    const note = page.getByRole('alert').filter({ hasText: offlineNotSent });
    expect([await note.isVisible(), await page.getAttribute('#go', 'aria-busy')]).toEqual([true, null]);
    expect([...(await accessibilityProblems(page)), ...(await narrowProblems(page))]).toEqual([]);
    await goOffline(page, false);
    await shows(page, backOnline);
    expect([sent(), await page.inputValue('#name')]).toEqual([[], 'Ana Pérez']);
    await page.route('**', (route) => route.fulfill({ status: NO_CONTENT }));
    const post = nextPost(page);
    await page.click('#go');
    await page.waitForSelector(`${NOTE}:empty`, { state: 'attached' });
    expect(new URLSearchParams((await post).postData() ?? '').get('name')).toBe('Ana Pérez');
    forgetFailedLoads();
  });

  test('is charged once, however often the payer presses', async () => {
    const { url, reference } = await makeCheckout(gateway);
    const page = await payer.open(url);
    await page.locator('#number').pressSequentially('4242424242424242');
    await page.locator('#exp').pressSequentially('1234');
    await page.fill('#cvc', '123');
    await page.fill('#name', 'Ana Pérez');
    await goOffline(page);
    await page.dblclick('#go');
    await shows(page, textsOf.en.offlineNotSent);
    await goOffline(page, false);
    await page.dblclick('#go');
    await page.waitForSelector('.seal.ok');
    expect(await heading(page)).toBe('Paid');
    expect(await paymentsUnder(gateway, reference)).toMatchObject([{ status: 'approved' }]);
    forgetFailedLoads();
  });

  test('cancelling, and cancelling a transfer, stay on the page too', async () => {
    const page = await blank();
    const now = new Date();
    const shown = [
      { show: () => pages.showCheckout(page), button: 'button[value="cancel"]' },
      {
        show: () =>
          pages.show(
            page,
            transferPage({
              language: 'en',
              payee,
              description: 'Invoice',
              formToken: 'proof',
              amount: { totalMinor: 12_200, currency: 'USD' },
              over: false,
              createdAt: now,
              expiresAt: now,
              now,
              status: 'pending',
              refreshSeconds: 60,
            }),
          ),
        button: '#cancel',
      },
    ];
    for (const { show, button } of shown) {
      await goOffline(page, false);
      await show();
      await goOffline(page);
      await page.click(button);
      await shows(page, textsOf.en.offlineNotSent);
    }
    expect(sent()).toEqual([]);
    forgetFailedLoads();
  });

  test('goes out where the browser only says that there is no network', async () => {
    const page = await blank();
    await page.addInitScript("Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false })");
    await pages.showCheckout(page);
    const post = nextPost(page);
    await page.click('button[value="cancel"]', { noWaitAfter: true });
    expect(new URLSearchParams((await post).postData() ?? '').get('action')).toBe('cancel');
  });

  test('goes to the bank by itself once there is a network', async () => {
    const { offlineWaits } = textsOf.en;
    const page = await blank();
    // The network is lost after the page itself was loaded.
    const loseNetwork = async (route: Route) => {
      await goOffline(page);
      const name = route.request().url().split('/').at(-1) ?? '';
      await route.fulfill({ body: assets().get(name)?.bytes ?? '', contentType: 'text/javascript' });
    };
    await page.route('**/*.js', (route) =>
      route.request().method() === 'HEAD' ? route.continue() : loseNetwork(route),
    );
    const acsUrl = 'https://bank.example/acs';
    await page.route(acsUrl, (route) => route.fulfill({ body: 'The bank', contentType: 'text/html' }));
    const amount = { totalMinor: 12_200, currency: 'USD' };
    await pages.show(page, challengePage({ language: 'en', payee, amount, acsUrl, fields: { creq: 'abc' } }));
    await shows(page, offlineWaits);
    await page.click('form button');
    await shows(page, offlineWaits);
    expect(await heading(page)).toBe(textsOf.en.toBankTitle);
    const post = nextPost(page);
    await goOffline(page, false);
    expect([(await post).url(), (await post).postData()]).toEqual([acsUrl, 'creq=abc']);
    forgetFailedLoads();
  });

  test('ends on the page of the browser without scripts, as before', async () => {
    const page = await blank({ javaScriptEnabled: false });
    await pages.showCheckout(page);
    await goOffline(page);
    const failed = page.waitForEvent('requestfailed');
    await page.click('#go', { noWaitAfter: true });
    expect((await failed).method()).toBe('POST');
    forgetFailedLoads();
  });
});
