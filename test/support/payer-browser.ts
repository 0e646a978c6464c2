/** The browser of a suite about pages, with its payers. No page that they see may cause a complaint. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, openPage, type Watched } from './browser.js';

export interface PayerBrowser {
  readonly browser: Browser;
  /** Opens the address as a new payer. After a test its last page is checked for complaints, and closed. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** Complaints about the last page. A test that expects some removes them. */
  readonly complaints: string[];
  /** Closes the last page, as the payer would. */
  leave(): Promise<void>;
}

/**
 * Sets up the browser of the `describe` in which it is called, before the hooks that are declared there.
 * @param origins that pages may send requests to; empty: all
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

/** Reads the first heading, which says what a page is about. */
export const heading = (page: Page): Promise<string> => page.locator('h1').first().innerText();
