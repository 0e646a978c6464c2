/** Details of the pages for payers that only a browser shows: the order of errors, gaps, edges, and line breaks. */
import type { Browser, Page } from 'playwright-core';
import { textsOf } from '../../api/pages/language.js';
import { transferPage } from '../../api/pages/views/bank-transfer.view.js';
import { fieldNames } from '../../api/pages/views/card-form.view.js';
import { receiptPage } from '../../api/pages/views/receipt.view.js';
import { checkingPage, tokenizationPage } from '../../api/pages/views/tokenization.view.js';
import { describeInBrowser, launchBrowser } from '../support/browser.js';
import { type ShownPages, startShownPages } from '../support/shown-pages.js';

const NARROW = { width: 320, height: 640 };
const WIDE = { width: 1280, height: 800 };
const payee = { name: 'Casa Lumbre' };
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

  const boxOf = async (selector: string) => {
    const box = await page.locator(selector).boundingBox();
    if (!box) throw new Error(`${selector} is not seen`);
    return { ...box, right: box.x + box.width, bottom: box.y + box.height };
  };

  test('errors are listed in the order of the fields on the page', async () => {
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

  test.each([12_200, 123_456_789])(
    'a wide page has a gap above the line of a total of %d cents',
    async (totalMinor) => {
      await page.setViewportSize(WIDE);
      await pages.showCheckout(page, { amount: { totalMinor, currency: 'USD' } });
      expect((await boxOf('.total')).y - (await boxOf('.stub .facts')).bottom).toBe(24);
    },
  );

  test.each(['en', 'es', 'pt'] as const)('%s: the format of a date stays on one line', async (language) => {
    const { missingExpiry, wrongExpiry } = textsOf[language];
    for (const [size, exp] of [NARROW, WIDE].flatMap((size) =>
      [missingExpiry, wrongExpiry].map((text) => [size, text] as const),
    )) {
      await page.setViewportSize(size);
      await pages.showCheckout(page, { language, errors: { exp } });
      const lines = await page.evaluate<number[]>(`['#exp-error', '#errors a'].map((selector) => {
        const text = document.querySelector(selector).firstChild;
        const range = document.createRange();
        range.setStart(text, text.data.indexOf('MM'));
        range.setEnd(text, text.data.indexOf('MM') + 'MM / YY'.length);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size;
      })`);
      expect(lines).toEqual([1, 1]);
    }
  });

  test('a choice that is longer than its box ends in an ellipsis, not in the middle of a number', async () => {
    await page.setViewportSize(NARROW);
    await pages.showCheckout(page, { installments: [12], amount: { totalMinor: 9_999_999_999, currency: 'USD' } });
    expect(await page.evaluate("getComputedStyle(document.getElementById('installments')).textOverflow")).toBe(
      'ellipsis',
    );
  });

  test('the question before a card is removed has the width of the card, and begins where its button does', async () => {
    for (const [size, below] of [
      [NARROW, true],
      [WIDE, false],
    ] as const) {
      await page.setViewportSize(size);
      await pages.showCheckout(page, { cards: [card] });
      await page.click('.removal summary');
      const [asked, yes] = [await boxOf('.removal p'), await boxOf('.removal button')];
      expect(yes.y >= asked.bottom).toBe(below);
      const range =
        "(() => { const range = document.createRange(); range.selectNodeContents(document.querySelector('.removal summary')); return range.getBoundingClientRect().left; })()";
      expect(await page.evaluate(range)).toBe(asked.x);
    }
  });

  test('a narrow page shows the mark of the only card beside its name', async () => {
    await page.setViewportSize(NARROW);
    for (const language of ['en', 'es', 'pt'] as const) {
      await pages.showCheckout(page, { language, only: card });
      const [mark, name] = [await boxOf('.sheet .cluster img'), await boxOf('.sheet .cluster span >> nth=0')];
      expect([mark.right < name.x, name.right <= NARROW.width]).toEqual([true, true]);
    }
  });

  const { wrongNumber: number, wrongExpiry: exp, wrongCvc: cvc } = textsOf.en;
  const errors = { number, exp, cvc };
  const logoUrl = '/assets/x/brand-visa.svg';
  const description =
    'Three books on the rivers of the world, with maps, delivered in Montevideo before the end of the month';
  const name = 'Sociedad Anónima de Comercio, Representaciones y Servicios';

  /** Follows the link of an error. @returns what the top of the page covers of the field */
  async function coveredAt(field: keyof typeof errors): Promise<string[]> {
    await page.click(`#errors a[href="#${field}"]`);
    await page.locator(`#${field}:focus`).waitFor();
    const { bottom } = await boxOf('.stub');
    const parts = [`label[for="${field}"]`, `#${field}-error`, `#${field}`];
    const boxes = await Promise.all(parts.map(boxOf));
    return parts.filter((_, at) => (boxes[at]?.y ?? 0) < bottom);
  }

  test.each<[string, Parameters<ShownPages['showCheckout']>[1]]>([
    ['few words', {}],
    ['a long name', { payee: { name } }],
    ['a long name and a logo', { payee: { name, logoUrl } }],
    ['a long description', { description, payee: { ...payee, logoUrl } }],
    [
      'a long amount',
      { amount: { totalMinor: 12_345_678_900, currency: 'UYU' }, payee: { name: 'Librería Casa Lumbre' } },
    ],
  ])('on a narrow page the link of an error leads to the field, its label and its error: %s', async (_what, model) => {
    await page.setViewportSize(NARROW);
    for (const field of ['number', 'exp', 'cvc'] as const) {
      await pages.showCheckout(page, { errors, ...model });
      expect(await coveredAt(field)).toEqual([]);
    }
  });

  test.each([
    [NARROW.height, 'static'],
    [920, 'sticky'],
  ] as const)('so it does with large type, on a page of %d pixels', async (height, position) => {
    await page.setViewportSize({ ...NARROW, height });
    const settings = await page.context().newCDPSession(page);
    await settings.send('Page.setFontSizes', { fontSizes: { standard: 24 } });
    for (const field of ['number', 'exp', 'cvc'] as const) {
      await pages.showCheckout(page, { errors });
      expect(await coveredAt(field)).toEqual([]);
    }
    expect(await page.evaluate("getComputedStyle(document.querySelector('.stub')).position")).toBe(position);
    await settings.send('Page.setFontSizes', { fontSizes: { standard: 16 } });
    await settings.detach();
  });

  test.each([800, 840, 900])(
    'the steps beside the code of a transfer stay in the sheet of a page of %d pixels',
    async (width) => {
      await page.setViewportSize({ width, height: 800 });
      const now = new Date();
      for (const language of ['en', 'es', 'pt'] as const) {
        const model = { language, description: 'A-000731', formToken: 'proof', over: false, refreshSeconds: 60 };
        const times = { createdAt: now, expiresAt: new Date(now.getTime() + 60_000), now, status: 'pending' };
        const amount = { totalMinor: 1_234_567_890, currency: 'UYU' };
        const code = { value: '0002', url: 'https://bank.example/1', base64Image: '' };
        await pages.show(page, transferPage({ ...model, ...times, payee: { name }, amount, code }));
        expect((await boxOf('.todo')).right).toBeLessThanOrEqual((await boxOf('.ways')).right);
        const wide = await page.evaluate<string[]>(
          "[...document.querySelectorAll('.ways, .qrset')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className)",
        );
        expect(wide).toEqual([]);
      }
    },
  );

  test('a long telephone number fits on a narrow receipt', async () => {
    await page.setViewportSize(NARROW);
    const about = { language: 'en', amount: { totalMinor: 12_200, currency: 'USD' }, facts: [], notes: [] } as const;
    const contact = { phone: '+598 (2) 915 00 00 - 0077' };
    await pages.show(page, receiptPage({ ...about, payee: { ...payee, contact }, seller: {}, backPath: '/' }));
    expect((await boxOf('.ruled a.num')).right).toBeLessThanOrEqual(NARROW.width);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width);
  });

  test('in a frame the focus ring is not cut at the edge', async () => {
    await page.setViewportSize(NARROW);
    const frame = { origin: 'https://shop.example', sessionId: 'ses_1', token: 'token' };
    await pages.show(
      page,
      tokenizationPage({
        language: 'en',
        payee,
        attempt: 1,
        formToken: 'proof',
        frame,
        fields: { cvc: 'required', cardholder: 'optional' },
        cards: [],
        canCreate: true,
        canSelect: true,
        canDelete: true,
        canCancel: false,
        errors: { number: 'Enter the card number.' },
        values: {},
      }),
    );
    const cut = async (selector: string) => {
      await page.focus(selector);
      const { x, right } = await boxOf(selector);
      const ring = await page.evaluate<number>(`(() => {
        const { outlineOffset, outlineWidth } = getComputedStyle(document.querySelector('${selector}'));
        return Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth);
      })()`);
      expect(ring).toBeGreaterThan(3);
      return x - ring < 0 || right + ring > NARROW.width;
    };
    for (const selector of ['#errors', '#number', '#go'])
      expect([selector, await cut(selector)]).toEqual([selector, false]);
    await pages.show(page, checkingPage({ language: 'en', payee, formToken: 'proof', frame, refreshSeconds: 60 }));
    await page.keyboard.press('Tab');
    expect(await cut('#again button')).toBe(false);
  });
});
