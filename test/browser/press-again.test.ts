/** The button of a form that is being sent: when it may be pressed again, and which amount it names then. */
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, launchBrowser } from '../support/browser.js';
import { type ShownPages, startShownPages } from '../support/shown-pages.js';

describeInBrowser('the button of a form that is being sent', () => {
  let browser: Browser;
  let page: Page;
  let pages: ShownPages;
  beforeAll(async () => {
    pages = await startShownPages();
    browser = await launchBrowser();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    await page.clock.install();
  });
  afterEach(() => page.close());
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
  });

  /** Sends the form into a frame, so that the page stays while no answer arrives. */
  const keepPage = () =>
    page.evaluate(`(() => {
      document.body.append(Object.assign(document.createElement('iframe'), { name: 'sink', hidden: true }));
      document.getElementById('typed').target = 'sink';
    })()`);
  const isBusy = async () => (await page.getAttribute('#go', 'aria-busy')) === 'true';
  const label = () => page.locator('#go').innerText();

  test('may be pressed again half a minute after the last press, not after one that was stopped', async () => {
    await pages.showCheckout(page);
    await keepPage();
    await page.click('#go');
    expect(await isBusy()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await isBusy()).toBe(false);
    await page.clock.fastForward(20_000);
    await page.click('#go');
    await page.clock.fastForward(15_000);
    expect(await isBusy()).toBe(true);
    await page.clock.fastForward(16_000);
    expect(await isBusy()).toBe(false);
  });

  test('names the amount that was typed meanwhile, once it may be pressed again', async () => {
    await pages.showCheckout(page, { amount: undefined, flexible: { currencies: ['USD'] } });
    await keepPage();
    await page.fill('#total', '10.00');
    expect(await label()).toBe('Pay USD 10.00');
    await page.click('#go');
    await page.fill('#total', '20.00');
    expect([await isBusy(), await label()]).toEqual([true, 'One moment']);
    await page.keyboard.press('Escape');
    expect([await isBusy(), await label()]).toEqual([false, 'Pay USD 20.00']);
  });
});
