/** Saving a card whose bank is slower than an answer may be, alone and in a frame, in a real Chromium against a whole gateway. */
import { randomUUID } from 'node:crypto';
import type { FrameLocator, Page } from 'playwright-core';
import { type Receiver, startReceiver } from '../outbound/receiver.js';
import { accessibilityProblems, describeInBrowser, skipToContent } from '../support/browser.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { payerBrowser } from '../support/payer-browser.js';
import { type RecordingProcessor, startRecordingProcessor } from '../support/recording-processor.js';

const APPROVED = '4111111111111111';
const DECLINED = '4000000000000002';

let gateway: TestGateway;
let processor: RecordingProcessor;
/** Lets the bank answer. */
let release = (): void => undefined;
/** A shop whose page frames the address in `?frame=`, and stores the messages that it gets. */
let shop: Receiver;
let customer: string;

async function session() {
  const { status, body } = await gateway.call('POST', '/v1/sessions', {
    merchantId: 1001,
    referenceId: `save-${randomUUID()}`,
    type: 'tokenization',
    customerId: customer,
    settings: { tokenization: { type: 'store', verifyFunds: { amount: 1, currency: 'USD' } } },
  });
  expect([status, body.params]).toEqual([200, undefined]);
  const address = (rel: string): string => {
    const href = new URL(body.actions.find((action: { rel: string }) => action.rel === rel).href);
    return `${gateway.baseUrl}${href.pathname}${href.search}`;
  };
  return { id: body.id as string, whole: address('REDIRECT'), embedded: address('EMBEDDED') };
}

async function save(form: Page | FrameLocator, number: string): Promise<void> {
  await form.locator('#number').fill(number);
  await form.locator('#exp').fill('12 / 34');
  await form.locator('#cvc').fill('123');
  await form.locator('#go').click();
}

const checking = (form: Page | FrameLocator) => form.locator('h1:text-is("Checking your card")').waitFor();
/** Sends the form to a bank that does not answer until `release`, however slow the machine is. */
function saveAtSlowBank(form: Page | FrameLocator, number = APPROVED): Promise<void> {
  release = processor.hold();
  return save(form, number);
}
const saved = async () =>
  (await gateway.call('GET', `/v1/customers/${customer}/payment-instruments`)).body as unknown[];

describeInBrowser('a card whose bank is slow', () => {
  const payer = payerBrowser();
  const open = (url: string, options = {}) => payer.open(url, options);

  beforeAll(async () => {
    shop = await startReceiver((request, response) => {
      const frame = new URL(request.url ?? '/', shop.url).searchParams.get('frame') ?? '';
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><html lang="en"><title>Shop</title><iframe title="Card" width="480" height="500" src="${frame.replace(/"/g, '')}"></iframe>
<script>window.received=[];addEventListener('message',({data})=>received.push(data))</script>`);
    });
    processor = await startRecordingProcessor();
    gateway = await startGateway({
      name: 'cardcheck',
      settings: { SANDBOX_PROCESSOR_URL: processor.url, PROCESSOR_TIMEOUT_MS: '60000', RESPONSE_WAIT_MS: '1000' },
    });
    processor.forwardTo(gateway.simulatorUrl);
  });
  afterEach(() => release());
  beforeEach(async () => {
    customer = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
  });
  afterAll(async () => {
    await gateway?.close();
    await processor?.close();
    await shop?.close();
  });

  test.each([true, false])(
    'alone, the page waits and then says that the card is saved, with script: %s',
    async (script) => {
      const page = await open((await session()).whole, { javaScriptEnabled: script });
      await skipToContent(page);
      await saveAtSlowBank(page);
      await checking(page);
      if (script) expect(await accessibilityProblems(page)).toEqual([]);
      release();
      await page.waitForSelector('.seal.ok');
      expect(await page.locator('.sheet').innerText()).toContain('Visa ending 1111');
      expect(await saved()).toMatchObject([{ name: 'Visa **** 1111' }]);
    },
  );

  test('a status request without an answer, as after a change of the network, is sent again', async () => {
    const page = await open((await session()).whole);
    await page.route('**/status', () => undefined, { times: 1 });
    await Promise.all([page.waitForRequest('**/status'), saveAtSlowBank(page)]);
    release();
    await page.locator('h1:text-is("Card saved")').waitFor();
  });

  test('an outdated form leads to the same page: no second card is saved, and nothing is cancelled', async () => {
    const { whole } = await session();
    const page = await open(whole);
    const [other, third] = [await page.context().newPage(), await page.context().newPage()];
    await other.goto(whole);
    await third.goto(whole);
    await saveAtSlowBank(page);
    await checking(page);
    await save(other, '4242424242424242');
    await third.click('text=Cancel and return');
    release();
    // Both are redirected to the page that waits for the card, or to its result.
    await Promise.all([page, other, third].map((one) => one.waitForSelector('.seal.ok')));
    expect(await saved()).toMatchObject([{ name: 'Visa **** 1111' }]);
  });

  test('a card that is refused in the end is reported, also after a reload, and another one is saved', async () => {
    const page = await open((await session()).whole);
    await saveAtSlowBank(page, DECLINED);
    await checking(page);
    release();
    await page.waitForSelector('#errors:has-text("The card was not saved")');
    expect(await page.locator('#errors').innerText()).toContain('4 attempts');
    await page.reload();
    expect(await page.locator('#errors').innerText()).toContain('4 attempts');
    await save(page, '4242424242424242');
    await page.waitForSelector('.seal.ok');
    expect(await saved()).toMatchObject([{ name: 'Visa **** 4242' }]);
  });

  test('in a frame the shop gets messages that the page waits and how it ends', async () => {
    const { embedded, id } = await session();
    const page = await open(`${new URL('/', shop.url).href}?frame=${encodeURIComponent(embedded)}`);
    const frame = page.frameLocator('iframe');
    await saveAtSlowBank(frame);
    await checking(frame);
    expect(await accessibilityProblems(page)).toEqual([]);
    release();
    await frame.locator('.seal.ok').waitFor();
    await page.waitForFunction("received.some(({ type }) => type === 'result')");
    const received = (await page.evaluate("received.filter(({ type }) => type !== 'height')")) as object[];
    expect(received).toEqual([
      { source: 'gateway', sessionId: id, type: 'ready' },
      { source: 'gateway', sessionId: id, type: 'waiting' },
      { source: 'gateway', sessionId: id, type: 'result', status: 'completed' },
    ]);
  });
});
