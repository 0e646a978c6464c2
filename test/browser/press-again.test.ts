/** The button of a form that is being sent: when it may be pressed again. */
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
});
