/** The field of the expiry date in a real Chromium: what it shows after typing, pasting and filling in, and where the caret is. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { html } from '../../api/pages/html.js';
import { readExpiry } from '../../api/pages/read-card-form.js';
import { cardFields } from '../../api/pages/views/card-form.view.js';
import { describeInBrowser, launchBrowser } from '../support/browser.js';

const script = readFileSync(new URL('../../api/pages/assets/card-form.js', import.meta.url), 'utf8');
const form = cardFields({ language: 'en', errors: {}, values: {}, cvc: 'required', name: 'required' });
const document = html`<!doctype html><input id="from"><form>${form}</form>`.text;

/** Keys; what the field shows; position of the caret, unless it is the end. `<` deletes to the left, `←` moves to the left. */
const typed: readonly (readonly [keys: string, shown: string, caret?: number])[] = [
  ['0', '0'],
  ['1', '1'],
  ['3', '03 / '],
  ['12', '12 / '],
  ['327', '03 / 27'],
  ['3/27', '03 / 27'],
  ['9/30', '09 / 30'],
  ['1/27', '01 / 27'],
  ['1 27', '01 / 27'],
  ['1-27', '01 / 27'],
  ['0327', '03 / 27'],
  ['03/27', '03 / 27'],
  ['1227', '12 / 27'],
  ['12/27', '12 / 27'],
  ['12 / 27', '12 / 27'],
  ['12/2034', '12 / 2034'],
  ['122034', '12 / 2034'],
  ['32034', '03 / 2034'],
  // Corrections at the end and in the middle.
  ['1234<<56', '12 / 56'],
  ['1234<<<<<<', '1'],
  ['1234<<<<<<</35', '/35'],
  ['1234<<<<<<0/35', '10 / 35'],
  ['3<<<27', '03 / 27'],
  ['0327←←←←←<5', '05 / 27', 2],
  // Text that is not a date, or could be two dates, is left to the server, which refuses it.
  ['127', '12 / 7'],
  ['1327', '1327'],
  ['0027', '0027'],
  ['13/27', '13/27'],
  ['0/27', '0/27'],
  ['/27', '/27'],
  ['12/34/56', '12 / 34/56'],
  ['dec 34', 'dec 34'],
];

/** Text that arrives at once. */
const whole: readonly (readonly [text: string, shown: string])[] = [
  ['12/34', '12 / 34'],
  ['12 / 34', '12 / 34'],
  [' 12/34 ', '12 / 34'],
  ['3/27', '03 / 27'],
  ['12/2034', '12 / 2034'],
  ['12 / 2034', '12 / 2034'],
  ['2034-12', '12 / 2034'],
  ['2027/03', '03 / 2027'],
  ['1234', '12 / 34'],
  ['122034', '12 / 2034'],
  ['327', '03 / 27'],
  ['127', '127'],
  ['1327', '1327'],
  ['2027', '2027'],
  ['202712', '202712'],
  ['Dec 2034', 'Dec 2034'],
];

/** Texts above that the server accepts, with the date that it reads. */
const dates: Readonly<Record<string, readonly [number, number]>> = {
  '03 / 27': [3, 2027],
  '01 / 27': [1, 2027],
  '05 / 27': [5, 2027],
  '09 / 30': [9, 2030],
  '12 / 27': [12, 2027],
  '12 / 34': [12, 2034],
  '12 / 56': [12, 2056],
  '10 / 35': [10, 2035],
  '12 / 2034': [12, 2034],
  '03 / 2034': [3, 2034],
  '03 / 2027': [3, 2027],
};

const stateOf = (page: Page) =>
  page.evaluate<[string, number]>(
    "[document.getElementById('exp').value, document.getElementById('exp').selectionEnd]",
  );

describeInBrowser('the expiry date', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
  });
  beforeEach(async () => {
    await page.setContent(document);
    // A module runs only after the call returns.
    await page.addScriptTag({ content: `${script}\ndocument.body.id = 'started';`, type: 'module' });
    await page.waitForSelector('#started', { state: 'attached' });
  });

  test.each(typed.map(([...row]) => row))(
    'typed %j shows %j',
    async (...[keys, shown, caret]: (typeof typed)[number]) => {
      await page.focus('#exp');
      for (const key of keys) {
        await page.keyboard.press(key === '<' ? 'Backspace' : key === '←' ? 'ArrowLeft' : key === ' ' ? 'Space' : key);
      }
      expect(await stateOf(page)).toEqual([shown, caret ?? shown.length]);
    },
  );

  test.each(whole)('pasted %j shows %j', async (text, shown) => {
    await page.fill('#from', text);
    await page.press('#from', 'Control+A');
    await page.press('#from', 'Control+C');
    await page.press('#exp', 'Control+V');
    expect(await stateOf(page)).toEqual([shown, shown.length]);
  });

  test.each(whole)('filled in %j shows %j', async (text, shown) => {
    await page.evaluate(`(() => {
      const field = document.getElementById('exp');
      field.value = ${JSON.stringify(text)};
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    expect((await stateOf(page))[0]).toBe(shown);
  });

  test('the server reads the shown date, and refuses a text that the field did not change', () => {
    for (const [, shown] of [...typed, ...whole]) {
      const [expMonth, expYear] = dates[shown] ?? [0, 0];
      const read = readExpiry(shown);
      const isDate = read.expMonth >= 1 && read.expMonth <= 12 && read.expYear > 2000;
      expect([shown, isDate && read]).toEqual([shown, shown in dates && { expMonth, expYear }]);
    }
  });
});
