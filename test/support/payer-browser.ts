/** The browser of a suite about pages, and its payers: what each of them is shown has to be without a complaint. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, openPage, type Watched } from './browser.js';

export interface PayerBrowser {
  readonly browser: Browser;
  /** A payer of its own at the address. The last page of a test is looked at for complaints, and closed, after it. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** What the last page did that it must not; a test that expects some takes them out. */
  readonly complaints: string[];
  /** The payer closes the last page. */
  leave(): Promise<void>;
}

/**
 * Sets up the browser of the `describe` that it is called in, before what is set up there.
 * @param origins that pages may ask; none: all
 */
export function payerBrowser(origins: () => string[] = () => []): PayerBrowser {
  let browser: Browser | undefined;
  let watched: Watched | undefined;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    const { complaints = [], context } = watched ?? {};
    watched = undefined;
    await context?.close();
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    get browser() {
      if (!browser) throw new Error('the browser is there once the suite has begun');
      return browser;
    },
    async open(url, options = {}) {
      watched = await openPage(this.browser, options, origins());
      await watched.page.goto(url);
      return watched.page;
    },
    get complaints() {
      return watched?.complaints ?? [];
    },
    async leave() {
      await watched?.context.close();
    },
  };
}

/** The first heading, which says what a page is about. */
export const heading = (page: Page): Promise<string> => page.locator('h1').first().innerText();
