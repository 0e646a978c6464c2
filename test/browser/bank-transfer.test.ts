/** Bank transfer in the hosted checkout, in a real Chromium against a whole gateway: every state of the page. */
import type { Page } from 'playwright-core';
import { transferCode } from '../../api/pages/checkout/bank-transfer.js';
import { aboutCheckout } from '../../api/pages/checkout/checkout-model.js';
import { accessibilityProblems, describeInBrowser, narrowProblems, openPage } from '../support/browser.js';
import { receiveCallbacks } from '../support/callback-receiver.js';
import { makeCheckout, paymentsUnder } from '../support/checkout-session.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { PATIENCE_MS } from '../support/patience.js';
import { heading, payerBrowser } from '../support/payer-browser.js';

const WEIGHT_BYTES_MAX = 60_000;
let gateway: TestGateway;
let receiver: Awaited<ReturnType<typeof receiveCallbacks>>;

const session = (settings: Record<string, unknown> = {}, amount?: unknown, merchantId = 1001) =>
  makeCheckout(gateway, amount === undefined ? {} : { amount }, {
    merchantId,
    settings: { callbacks: { paymentCallbackUrl: receiver.url }, ...settings },
  });

/** Waits for the page with this heading. */
const headed = (page: Page, text: string, timeout = PATIENCE_MS) =>
  page.locator(`h1:text-is("${text}")`).waitFor({ timeout });
interface Transfer {
  readonly id: string;
  readonly status: string;
  readonly code?: { url: string; base64Image: string; value: string };
}
const paymentsOf = (reference: string) => paymentsUnder<Transfer>(gateway, reference);
const choose = async (reference: string, choice: 'pay' | 'reject') => {
  const [payment] = await paymentsOf(reference);
  await fetch(payment?.code?.url ?? '', { method: 'POST', body: new URLSearchParams({ choice }) });
};
/** Returns a time zone in which it is afternoon now. The server is never there. */
const zoneOfAfternoon = () => {
  const behind = (new Date().getUTCHours() + 24 - 15) % 24;
  return behind <= 12 ? `Etc/GMT+${behind}` : `Etc/GMT-${24 - behind}`;
};
const showCode = async (page: Page) => {
  await page.click('nav.tabs >> text=Bank transfer');
  await page.click('#go');
  await page.waitForSelector('img.qr');
};

describeInBrowser('bank transfer in the hosted checkout', () => {
  const payer = payerBrowser(() => [gateway.baseUrl]);
  const open = (url: string, options = {}) => payer.open(url, options);

  beforeAll(async () => {
    receiver = await receiveCallbacks();
    // A code is valid for 15 s.
    gateway = await startGateway({ name: 'transferpages', settings: { TIME_SCALE: '60', RESPONSE_WAIT_MS: '1500' } });
  });
  afterAll(async () => {
    await gateway?.close();
    await receiver?.close();
  });

  test('a payer scans the code and pays, and the page moves on to the receipt by itself', async () => {
    const { url, reference } = await session();
    const page = await open(url, { timezoneId: zoneOfAfternoon() });
    await showCode(page);
    expect(await heading(page)).toBe('Transfer USD 122.00 to Sandbox Books');
    const [payment] = await paymentsOf(reference);
    expect(payment).toMatchObject({ status: 'pending', flow: 'pos', processingMethod: 'checkout' });
    expect(await page.getAttribute('img.qr', 'src')).toBe(`data:image/png;base64,${payment?.code?.base64Image}`);
    const natural = await page.evaluate("document.querySelector('img.qr').naturalWidth");
    expect(natural).toBeGreaterThan(200);
    const first = await page.innerText('time[data-left]');
    await page.locator(`time[data-left]:not(:text-is("${first}"))`).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.getAttribute('#bank', 'href')).toBe(payment?.code?.url);
    expect(await page.innerText('time[data-show]')).toMatch(/^\d{1,2}:\d\d\sPM$/);
    const [bank] = await Promise.all([page.waitForEvent('popup'), page.click('#bank')]);
    await bank.click('text=The money arrives at once.');
    expect(await heading(bank)).toBe('Paid');
    // The payer returns to the tab of the shop. A busy browser hardly draws a tab in the background.
    await page.bringToFront();
    await headed(page, 'Paid');
    expect(await narrowProblems(bank)).toEqual([]);
    await bank.close();
    expect(await page.innerText('dl.ruled')).toContain('Bank transfer');
    expect((await receiver.wait(payment?.id ?? '', 2)).map(({ status }) => status)).toEqual(['pending', 'approved']);
    await gateway.call('POST', `/v1/payments/${payment?.id}/cancellations`, { referenceId: `c-${reference}` });
    await page.reload();
    await headed(page, 'The transfer was cancelled');
    expect(await page.innerText('.sheet')).toContain('If you sent money already, it goes back to you.');
  });

  test('the page of the mock bank is accessible, also on a narrow screen', async () => {
    const page = await open((await session()).url);
    await showCode(page);
    const address = await page.getAttribute('#bank', 'href');
    // The bank has another origin, which the page itself may not request.
    const bank = await openPage(payer.browser);
    await bank.page.goto(address ?? '');
    expect(await heading(bank.page)).toBe('Pay by transfer?');
    expect(await narrowProblems(bank.page)).toEqual([]);
    expect(bank.complaints).toEqual([]);
    await bank.context.close();
  });

  test('a code that is not paid in time expires on the page, and the payer makes a new one', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    // The status cannot be read: the code disappears from the page all the same.
    await page.route('**/status', (route) => route.fulfill({ contentType: 'application/json', body: 'not JSON' }));
    await showCode(page);
    await page.focus('#copy');
    await page.locator('img.qr').waitFor({ state: 'detached' });
    expect(await heading(page)).toBe('The code has expired');
    expect(await page.getByRole('status').innerText()).toContain('If not, do not use the code any more.');
    // The keyboard stays at what the page says now: the button that had the focus is gone.
    expect(await page.evaluate("document.activeElement.matches('[data-status]')")).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.unroute('**/status');
    await page.waitForSelector('#errors');
    expect(await heading(page)).toBe('The code has expired');
    expect(await page.innerText('#errors')).toContain('You have 4 attempts left');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.innerText('#go')).toBe('Create a new code');
    await page.click('#go');
    await page.waitForSelector('img.qr');
    expect((await paymentsOf(reference)).map(({ status }) => status).sort()).toEqual(['expired', 'pending']);
    await choose(reference, 'pay');
    await headed(page, 'Paid');
  });

  test('a payer who paid too late and reloads the page reads that the money has to be returned', async () => {
    const { url, reference } = await session({}, { total: 9100.03, currency: 'USD' });
    const page = await open(url);
    await showCode(page);
    const [late] = await paymentsOf(reference);
    // From here on the page no longer loads itself, which would end the reload of the payer.
    await page.waitForSelector('#errors');
    for (const give = performance.now() + PATIENCE_MS; performance.now() < give; await page.waitForTimeout(200)) {
      if ((await gateway.payments.findById(late?.id ?? ''))?.transactions.length === 2) break;
    }
    await page.reload();
    await headed(page, 'The transfer could not be used');
    expect(await page.innerText('#errors')).toContain('The shop has to return the money to you.');
    expect(await page.innerText('#go')).toBe('Create a new code');
  });

  test('the page of an ended session does not say that nothing was paid if a late transfer arrived', async () => {
    const { id, url, reference } = await session({}, { total: 9100.03, currency: 'USD' });
    const page = await open(url);
    await showCode(page);
    const [late] = await paymentsOf(reference);
    while ((await gateway.payments.findById(late?.id ?? ''))?.transactions.length !== 2) await page.waitForTimeout(200);
    const expireSession = { $set: { expiresAt: new Date(Date.now() - 1000) } };
    await gateway.database.connection.collection<{ _id: string }>('sessions').updateOne({ _id: id }, expireSession);
    await page.reload();
    await headed(page, 'The transfer could not be used');
    expect(await page.innerText('.sheet')).toContain('The shop has to return the money to you.');
    expect(await page.innerText('.sheet')).not.toMatch(/no payment was made|Nothing was charged/);
  });

  test('a payer with a new code reads on every page that a late transfer for the old one arrived', async () => {
    const { id, url, reference } = await session();
    const page = await open(url);
    await showCode(page);
    const [late] = await paymentsOf(reference);
    await headed(page, 'The code has expired');
    await page.click('#go');
    await page.waitForSelector('img.qr');
    await fetch(late?.code?.url ?? '', { method: 'POST', body: new URLSearchParams({ choice: 'pay' }) });
    const text = 'A transfer for an earlier code arrived too late';
    await page.waitForSelector(`.alert.bad:has-text("${text}")`);
    expect(await accessibilityProblems(page)).toEqual([]);
    // The new code expires too.
    await page.waitForSelector(`#errors:has-text("No transfer arrived in time"):has-text("${text}")`);
    const over = { $set: { expiresAt: new Date(Date.now() - 1000) } };
    await gateway.database.connection.collection<{ _id: string }>('sessions').updateOne({ _id: id }, over);
    await page.reload();
    await headed(page, 'The transfer could not be used');
    expect(await page.innerText('.sheet')).not.toMatch(/no payment was made|Nothing was charged/);
  });

  test('a change of the language keeps the page that is shown', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await page.click('nav.tabs >> text=Bank transfer');
    await page.click('footer >> text=Español');
    expect(await page.innerText('#go')).toBe('Mostrar el código');
    await page.click('#go');
    await page.waitForSelector('img.qr');
    await choose(reference, 'reject');
    await headed(page, 'La transferencia no se hizo');
    await page.click('nav.tabs >> text=Tarjeta');
    await page.click('footer >> text=Português');
    expect(await page.innerText('#go')).toBe('Pagar USD 122,00');
  });

  test('a status request without an answer, as after a change of the network, is sent again', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await page.route('**/status', () => undefined, { times: 1 });
    const [asked] = await Promise.all([page.waitForRequest('**/status'), showCode(page)]);
    await choose(reference, 'pay');
    await headed(page, 'Paid');
    expect(asked.failure()?.errorText).toMatch(/ABORTED/);
  });

  /** Cancels the code in another tab and makes a new one there. This tab learns nothing of it, like a tab that sleeps. */
  async function newCodeInAnotherTab(page: Page) {
    await page.route('**/status', (route) => route.fulfill({ contentType: 'application/json', body: 'not JSON' }));
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.click('#cancel');
    await headed(other, 'The transfer was cancelled');
    await other.click('#go');
    return { other, code: await other.getAttribute('img.qr', 'src') };
  }

  test('a tab that slept shows the new code of another tab, and never the old one', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await showCode(page);
    const before = await page.getAttribute('img.qr', 'src');
    const { other, code } = await newCodeInAnotherTab(page);
    expect((await paymentsOf(reference)).map(({ status }) => status)).toEqual(['pending', 'cancelled']);
    expect(code).not.toBe(before);
    await page.focus('#copy');
    await page.unroute('**/status');
    await page.waitForSelector(`img.qr[src="${code}"]`);
    expect(await page.evaluate('[document.activeElement.id, history.state]')).toEqual(['copy', null]);
    await other.close();
  });

  test('a tab that slept cancels its own code, not the code of another tab', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await showCode(page);
    const { other, code } = await newCodeInAnotherTab(page);
    await page.click('#cancel');
    await page.waitForSelector(`img.qr[src="${code}"]`);
    expect((await paymentsOf(reference)).map(({ status }) => status)).toEqual(['pending', 'cancelled']);
    await other.close();
  });

  test('the time left comes from the server: the clock of a page stops while its device sleeps', async () => {
    const { url } = await session();
    const page = await open(url);
    await page.addInitScript('performance.now = () => 0');
    await showCode(page);
    const first = await page.innerText('time[data-left]');
    await page.locator(`time[data-left]:not(:text-is("${first}"))`).waitFor();
  });

  test('an expired code is not shown while its payment has not ended', async () => {
    const { id, url, reference } = await session();
    await showCode(await open(url));
    const hosted = await gateway.flows.hostedSessions.find(id, new URL(url).searchParams.get('token') ?? '');
    const payment = await gateway.payments.findById((await paymentsOf(reference))[0]?.id ?? '');
    if (!hosted || !payment?.expiresAt) throw new Error('there is no code');
    const about = aboutCheckout(hosted, 'en');
    const answer = transferCode(about, hosted.session, payment, 'proof', payment.expiresAt);
    const shown = 'page' in answer ? answer.page({ testing: true, operator: 'Gateway' }) : '';
    expect(shown).toMatch(/<h1>The code has expired<\/h1>[\s\S]+data-status="pending"><h2>Waiting for your bank</);
    expect(shown).toContain('If not, do not use the code any more.');
    expect(shown).not.toMatch(/<img class="qr"|id="code"|<time/);
  });

  test('a payer whose transfer is rejected by the bank pays with a card', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await showCode(page);
    await choose(reference, 'reject');
    await headed(page, 'The transfer did not go through');
    await page.click('nav.tabs >> text=Card');
    await page.fill('#number', '4242424242424242');
    await page.fill('#exp', '12/34');
    await page.fill('#cvc', '123');
    await page.fill('#name', 'Ana Pérez');
    await page.click('#go');
    await headed(page, 'Paid');
    expect((await paymentsOf(reference)).map(({ status }) => status).sort()).toEqual(['approved', 'denied']);
  });

  test('in forced colours one tab is current, and the button and the lines are visible', async () => {
    const { url } = await session();
    const page = await open(url, { forcedColors: 'active' });
    const styleOf = (selector: string, property: string, part = '') =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}'), '${part}').${property}`);
    expect(await styleOf('.tabs [aria-current]', 'borderBottomWidth')).toBe('3px');
    expect(await styleOf('.tabs a:not([aria-current])', 'borderBottomWidth')).toBe('0px');
    expect(await styleOf('#go', 'backgroundColor')).not.toBe(await styleOf('body', 'backgroundColor'));
    expect(await styleOf('.strip', 'borderBottomWidth')).toBe('2px');
    await showCode(page);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('a payer who cancels closes the code at the bank, and can choose another way', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await showCode(page);
    await page.click('#cancel');
    await headed(page, 'The transfer was cancelled');
    const [payment] = await paymentsOf(reference);
    expect(payment?.status).toBe('cancelled');
    expect((await receiver.wait(payment?.id ?? '', 2)).map(({ status }) => status)).toEqual(['pending', 'cancelled']);
    await page.click('text=Cancel and return');
    await headed(page, 'Cancelled');
  });

  test('the page does not say that nothing was paid if the payer cancels while the money is on its way', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await showCode(page);
    const [payment] = await paymentsOf(reference);
    // The gateway does not ask its bank before the payer cancels.
    const later = { $set: { 'work.dueAt': new Date(Date.now() + 3_600_000) }, $inc: { version: 1 } };
    await gateway.payments.collection.updateOne({ _id: payment?.id } as never, later as never);
    await choose(reference, 'pay');
    await page.click('#cancel');
    await headed(page, 'The transfer was cancelled');
    expect(await page.innerText('#errors')).not.toContain('Nothing was paid');
    expect(await page.innerText('#errors')).toContain('If you sent money already, it goes back to you.');
  });

  test('the page of a paid session reports other transfers, for an earlier code or a second time', async () => {
    const { url, reference } = await session();
    const page = await open(url);
    await showCode(page);
    await page.click('#cancel');
    await headed(page, 'The transfer was cancelled');
    const [first] = await paymentsOf(reference);
    await page.click('#go');
    await page.waitForSelector('img.qr');
    const [paid] = await paymentsOf(reference);
    const pay = () => fetch(paid?.code?.url ?? '', { method: 'POST', body: new URLSearchParams({ choice: 'pay' }) });
    await pay();
    await headed(page, 'Paid');
    const notes = page.locator('.sheet .alert');
    expect(await notes.count()).toBe(0);
    // A bank that returns no money leaves the payment like this.
    const came = { reason: 'paid-another-amount', flagged: 'paid-another-amount: to be refunded', status: 'approved' };
    const [sale] = (await gateway.payments.findById(first?.id ?? ''))?.transactions ?? [];
    const more = { $push: { transactions: { ...sale, ...came, id: 'txn_came' } }, $inc: { version: 1 } };
    await gateway.payments.collection.updateOne({ _id: first?.id } as never, more as never);
    await page.reload();
    expect(await notes.allInnerTexts()).toEqual([expect.stringContaining('A transfer for an earlier code arrived')]);
    await pay();
    while ((await gateway.payments.findById(paid?.id ?? ''))?.transactions.length !== 2) await page.waitForTimeout(200);
    await page.reload();
    await headed(page, 'Paid');
    expect(await notes.allInnerTexts()).toEqual([
      expect.stringContaining('Another transfer for this payment arrived.'),
      expect.stringContaining('A transfer for an earlier code arrived'),
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('a payer without script pays too, and the page reloads itself', async () => {
    const { url, reference } = await session({ paymentMethodTypes: ['bank-transfer'] });
    const page = await open(url, { javaScriptEnabled: false });
    expect(await page.locator('nav.tabs').count()).toBe(0);
    await page.click('#go');
    await page.waitForSelector('img.qr');
    expect(await page.innerHTML('head')).toContain('http-equiv="refresh"');
    // A button that needs a script is hidden; the text can still be selected.
    expect(await page.isVisible('button[data-copy]')).toBe(false);
    await choose(reference, 'pay');
    await gateway.until((await paymentsOf(reference))[0]?.id ?? '', 'approved');
    await page.waitForSelector('text=Sandbox Books has received your payment.');
  });

  test('the payer chooses the amount, in a currency of the transfer', async () => {
    const checkout = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['UYU', 'USD'], minAmount: '5' } };
    const { url, reference } = await session({ checkout }, { total: 4000, currency: 'UYU' });
    const page = await open(url);
    expect([await page.inputValue('#total'), await page.innerText('#total-hint')]).toEqual([
      '4000.00',
      'At least 5.00',
    ]);
    await page.click('nav.tabs >> text=Bank transfer');
    expect(await page.innerText('label[for="total"]')).toBe('Amount (USD)');
    expect([await page.inputValue('#total'), await page.innerText('#total-hint')]).toEqual(['', 'At least USD 5.00']);
    await page.fill('#total', '1');
    await page.click('#go');
    expect(await page.innerText('#errors')).toContain('Enter an amount within the limits.');
    await page.fill('#total', '7.5');
    await page.click('#go');
    await page.waitForSelector('img.qr');
    expect(await paymentsOf(reference)).toMatchObject([{ amount: { total: 7.5, currency: 'USD' } }]);
    await page.click('#cancel');
    await headed(page, 'The transfer was cancelled');
    expect(await page.inputValue('#total')).toBe('7.50');
  });

  test('a code of a one-time link is cancelled, made again, paid once and split, and the link is completed', async () => {
    const { body: link } = await gateway.call('POST', '/v1/payment-links', {
      merchantId: 1001,
      type: 'one-time',
      amount: { total: 122, currency: 'USD' },
      settings: { amountMode: 'fixed' },
      displayName: 'Order 731',
      splitDestinations: [{ destinationMerchantId: 1002, amountRule: { type: 'percentage', value: '10' } }],
    });
    const statusOf = async () => (await gateway.call('GET', `/v1/payment-links/${link.id}`)).body.status;
    const page = await open(`${gateway.baseUrl}/links/${link.externalId}`);
    await page.click('#go');
    await showCode(page);
    await page.click('#cancel');
    await headed(page, 'The transfer was cancelled');
    expect(await statusOf()).toBe('active');
    await page.click('#go');
    await page.waitForSelector('img.qr');
    const { body: made } = await gateway.call('GET', `/v1/payment-links/${link.id}/payments`);
    expect(made.data.map((payment: { status: string }) => payment.status).sort()).toEqual(['cancelled', 'pending']);
    const pending = made.data.find((payment: { status: string }) => payment.status === 'pending');
    await fetch(pending.code.url, { method: 'POST', body: new URLSearchParams({ choice: 'pay' }) });
    await headed(page, 'Paid');
    // The sweep completes a link that was paid without its page.
    while ((await statusOf()) !== 'completed') await page.waitForTimeout(200);
    expect(await statusOf()).toBe('completed');
    const payment = await gateway.until(pending.id, 'approved');
    expect(payment).toMatchObject({ processingMethod: 'link', flow: 'pos', paymentLinkId: link.id });
    expect(payment.split.map(({ amount }: { amount: number }) => amount).sort()).toEqual([109.8, 12.2]);
  });

  test('while a code takes long the page says that it is being made, and then shows it', async () => {
    const slow = (ms: number) =>
      fetch(`${gateway.simulatorUrl}/slow`, { method: 'POST', body: JSON.stringify({ ms }) });
    const { url } = await session();
    const page = await open(url);
    await slow(4_000);
    await page.click('nav.tabs >> text=Bank transfer');
    await page.route('**/status', (route) => route.fulfill({ json: { waiting: true, status: 'pending', attempt: 1 } }));
    await page.click('#go');
    await headed(page, 'Creating your code');
    await slow(0);
    // The page asks and stays as it is until there is a code: a screen reader would begin again each time.
    await page.evaluate('window.stays = true');
    for (let answers = 0; answers < 2; answers += 1) await page.waitForResponse('**/status');
    expect(await page.evaluate('window.stays')).toBe(true);
    await page.unroute('**/status');
    await page.waitForSelector('img.qr');
  });

  test('bank transfer is offered only if the merchant, the session and the currency have it', async () => {
    const tabs = async (made: { url: string }) => {
      const page = await open(made.url);
      const count = await page.locator('nav.tabs').count();
      expect([await page.locator('#number').count(), payer.complaints]).toEqual([1, []]);
      await payer.leave();
      return count;
    };
    expect(await tabs(await session({ paymentMethodTypes: ['card'] }))).toBe(0);
    expect(await tabs(await session({}, { total: 10, currency: 'UYU' }))).toBe(0);
    expect(await tabs(await session({}, undefined, 1002))).toBe(0);
    expect(await tabs(await session())).toBe(1);
  });

  test('a narrow screen has the copy button above the code, and a wide screen below it', async () => {
    const { url, reference } = await session({ paymentMethodTypes: ['bank-transfer'] });
    const page = await open(url, {
      viewport: { width: 360, height: 740 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.click('#go');
    await page.waitForSelector('img.qr');
    const topOf = (selector: string) =>
      page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().top`) as Promise<number>;
    const copy = page.locator('button[data-copy]');
    expect(await topOf('button[data-copy]')).toBeLessThan(await topOf('img.qr'));
    expect(await page.locator('pre').isVisible()).toBe(false);
    // A browser that translates the page changes every text that is not marked.
    await page.evaluate(`for (const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); all.nextNode(); )
      if (!all.currentNode.parentElement.closest('[translate=no]')) all.currentNode.data = 'translated'`);
    expect(await page.locator('.payee').innerText()).toMatch(/Sandbox Books.*translated/s);
    await copy.click();
    await page.waitForSelector('button[data-copy]:text-is("Copied")');
    const [payment] = await paymentsOf(reference);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(payment?.code?.value);
    await page.waitForSelector('button[data-copy]:text-is("Copy the code")');
    // If the browser refuses, the text is selected instead.
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())');
    await copy.click();
    expect(await page.evaluate('getSelection().toString()')).toBe(payment?.code?.value);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await topOf('img.qr')).toBeLessThan(await topOf('button[data-copy]'));
  });

  test.each(['es', 'pt'])(
    'in %s the page is accessible on a narrow dark screen, and small to load',
    async (language) => {
      const { url } = await session();
      const page = await open(`${url}&lang=${language}`, {
        viewport: { width: 320, height: 700 },
        colorScheme: 'dark',
      });
      let bytes = 0;
      page.on('response', async (response) => {
        bytes += (await response.body().catch(() => Buffer.alloc(0))).length;
      });
      await page.locator('nav.tabs a').last().click();
      await page.click('#go');
      await page.waitForSelector('img.qr');
      await page.click('summary');
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await page.getAttribute('html', 'lang')).toBe(language);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(bytes).toBeLessThan(WEIGHT_BYTES_MAX);
    },
  );
});
