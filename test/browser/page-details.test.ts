/** Details of the pages for payers that only a browser shows: the order of what is wrong, gaps, edges, and lines that break. */
import type { Browser, Page } from 'playwright-core';
import { fieldNames } from '../../api/pages/views/card-form.view.js';
import { describeInBrowser, launchBrowser } from '../support/browser.js';
import { type ShownPages, startShownPages } from '../support/shown-pages.js';

const card = {
  token: 'card-1',
  brand: 'amex',
  brandName: 'American Express',
  last4: '0005',
  expMonth: 12,
  expYear: 2034,
};

describeInBrowser('details of the pages for payers', () => {
  let browser: Browser;
  let page: Page;
  let pages: ShownPages;
  beforeAll(async () => {
    pages = await startShownPages();
    browser = await launchBrowser();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
  });

  test('what is wrong is listed in the order in which the page has the fields', async () => {
    await pages.showCheckout(page, {
      amount: undefined,
      flexible: { currencies: ['USD', 'UYU'] },
      cards: [{ ...card, panOnly: true }],
      installments: [1, 3],
      values: { source: card.token },
      errors: Object.fromEntries(fieldNames.map((name) => [name, name])),
    });
    const ids = await page.evaluate<string[]>(
      `[...document.querySelectorAll('form [id]')].map(({ id }) => id).filter((id) => ${JSON.stringify(fieldNames)}.includes(id))`,
    );
    expect(await page.locator('#errors a').allInnerTexts()).toEqual(ids);
    expect(ids).toEqual([...fieldNames]);
  });
});
