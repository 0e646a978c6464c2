/** How the pages for payers look and behave: what fits, what they say, what a button does while it waits. */
import { setTimeout } from 'node:timers/promises';
import cardValidator from 'card-validator';
import type { Browser, Page } from 'playwright-core';
import { markedBrands } from '../../api/pages/brand-table.js';
import { processingPage } from '../../api/pages/views/outcome.view.js';
import { detectBrand, knownRanges } from '../../shared/domain/card/brand.js';
import { describeInBrowser, launchBrowser } from '../support/browser.js';
import { type ShownPages, startShownPages } from '../support/shown-pages.js';

/** After this time a form has been sent, and an event has been handled (ms). */
const SETTLE_MS = 300;
/** Twice the time limit of the server for an answer (ms). */
const LONGEST_MS = 30_000;
const NARROW = { width: 320, height: 640 };
const WIDE = { width: 1280, height: 800 };
const payee = { name: 'Casa Lumbre' };

describeInBrowser('the pages for payers', () => {
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

  /** Returns the elements whose text is outside their box. */
  const sticksOut = (selector: string) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('${selector}')].flatMap((one) => {
      const [box, around] = [one.getBoundingClientRect(), one.closest('.stub, .sheet').getBoundingClientRect()];
      return box.left < around.left || box.right > around.right + 0.5 ? [one.textContent + ' ' + box.right + ' > ' + around.right] : [];
    })`);

  const totals = [12_200, 99_999_999, 123_456_789, 12_345_678_900, 99_999_999_999_999];
  test.each(
    totals.flatMap((total) => [NARROW, { width: 800, height: 600 }, WIDE].map((size) => [total, size] as const)),
  )('an amount of %d cents fits at %j', async (totalMinor, size) => {
    await page.setViewportSize(size);
    const logos = [undefined, '/assets/x/brand-visa.svg'];
    for (const [logoUrl, description] of logos.flatMap((logo) => [
      [logo, 'Invoice A-000731'] as const,
      [logo, ''] as const,
    ])) {
      await pages.showCheckout(page, {
        amount: { totalMinor, currency: 'USD' },
        payee: { ...payee, ...(logoUrl && { logoUrl }) },
        description,
      });
      expect(await sticksOut('.total strong, #go, .payee b')).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
      const name = await page.locator('.payee b').boundingBox();
      const amount = await page.locator('.total strong').boundingBox();
      expect(name && amount && (name.x + name.width <= amount.x || name.y + name.height <= amount.y)).toBe(true);
    }
  });

  test.each(['en', 'es', 'pt'] as const)('%s: type of twice the size fits on a narrow page', async (language) => {
    await page.setViewportSize(NARROW);
    for (const logoUrl of [undefined, '/assets/x/brand-visa.svg']) {
      for (const description of ['Invoice A-000731', '']) {
        await pages.showCheckout(page, {
          language,
          transfer: true,
          description,
          payee: { ...payee, ...(logoUrl && { logoUrl }) },
          errors: { exp: 'x', cvc: 'x' },
        });
        await page.evaluate("document.documentElement.style.fontSize = '200%'");
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width);
        const cut = await page.evaluate<string[]>(
          `[...document.querySelectorAll('.pair label, .tabs a')].filter((one) => one.scrollWidth > one.parentElement.clientWidth).map((one) => one.textContent)`,
        );
        expect(cut).toEqual([]);
        // Each word of the name is on one line.
        const lines = await page.evaluate<number>(`(() => {
          const range = document.createRange();
          range.selectNodeContents(document.querySelector('.payee b'));
          return new Set([...range.getClientRects()].map(({ top }) => top)).size;
        })()`);
        expect(lines).toBeLessThanOrEqual(payee.name.split(' ').length);
        // The link to the content stays out of view until it has the focus.
        const skip = await page.locator('a.skip').boundingBox();
        expect(skip && skip.y + skip.height).toBeLessThanOrEqual(0);
      }
    }
  });

  const long = 'Sociedad Anónima de Comercio, Representaciones y Servicios Generales '.repeat(3).slice(0, 200);
  test.each([NARROW, { width: 800, height: 600 }, WIDE])('long names and texts fit at %j', async (size) => {
    await page.setViewportSize(size);
    for (const text of [long, long.replace(/\W/g, '')]) {
      for (const logoUrl of [undefined, '/assets/x/brand-visa.svg']) {
        const contact = { address: text, email: `${text.replace(/\W/g, '').slice(0, 60)}@shop.example` };
        const item = { name: text, quantity: 2, price: '1.00', total: '999,999,999,999.99' };
        await pages.showCheckout(page, {
          amount: { totalMinor: 99_999_999_999_999, currency: 'USD' },
          payee: { name: text, contact, ...(logoUrl && { logoUrl }) },
          description: text,
          reference: text,
          items: { items: [item], lines: [[text, '999,999,999,999.99']], total: 'USD 1.00' },
        });
        expect(
          await sticksOut('.stub b, .stub dd, .stub strong, .stub li, .stub li *, .stub a, .stub p, #go, .note'),
        ).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
      }
    }
  });

  test('without a line below it the name is level with the logo', async () => {
    await page.setViewportSize(NARROW);
    await pages.showCheckout(page, { description: '', payee: { ...payee, logoUrl: '/assets/x/brand-visa.svg' } });
    const middles = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.payee img, .payee b, .total')].map((one) => { const { top, bottom } = one.getBoundingClientRect(); return (top + bottom) / 2; })",
    );
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(4);
    const lefts = () =>
      page.evaluate<number[]>(
        "[...document.querySelectorAll('.payee img, .payee b, .total')].map((one) => one.getBoundingClientRect().left)",
      );
    const besides = await lefts();
    expect(besides).toEqual([...besides].sort((a, b) => a - b));
    await pages.showCheckout(page, {
      description: '',
      amount: undefined,
      payee: { ...payee, logoUrl: '/assets/x/brand-visa.svg' },
    });
    expect(await lefts()).toEqual(besides.slice(0, 2));
    await pages.showCheckout(page, { description: '' });
    expect((await lefts())[0]).toBe(besides[0]);
  });

  test('a wide page shows the items and the contact of the shop; a narrow page leaves them to the receipt', async () => {
    const items = { items: [{ name: 'Map', quantity: 1, price: '20.00', total: '20.00' }], total: 'USD 20.00' };
    const contact = {
      address: 'Sarandí 690',
      email: 'a?b@shop.example',
      phone: '+598 (2) 915',
      url: 'https://shop.example/',
    };
    for (const [size, seen] of [
      [WIDE, true],
      [NARROW, false],
    ] as const) {
      await page.setViewportSize(size);
      await pages.showCheckout(page, { items, payee: { ...payee, contact, logoUrl: '/assets/x/brand-visa.svg' } });
      for (const part of ['.bought', '.shop'])
        expect([part, await page.isVisible(`.stub ${part}`)]).toEqual([part, seen]);
      expect(await page.isVisible('.payee img')).toBe(true);
    }
    await page.setViewportSize(WIDE);
    const [map] = items.items;
    await pages.showCheckout(page, { items: { ...items, items: Array(9).fill(map) } });
    expect(await page.locator('.bought li').allInnerTexts()).toEqual([...Array(5).fill('Map\n20.00'), 'and 4 more']);
    await pages.showCheckout(page, { items, payee: { ...payee, contact } });
    expect(await page.locator('.shop a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
      'mailto:a%3Fb@shop.example',
      'tel:+5982915',
      'https://shop.example/',
    ]);
  });

  test.each([
    ['en', 'Details sent'],
    ['es', 'Datos enviados'],
    ['pt', 'Dados enviados'],
  ] as const)(
    '%s: while the bank decides, the page says that details are sent, not that they are paid',
    async (language, words) => {
      await pages.show(page, processingPage({ language, payee, reference: 'ORD-1', refreshSeconds: 60 }));
      expect(await page.locator('.trail').innerText()).toContain(words);
    },
  );

  test('the label of the name says when it is optional', async () => {
    const label = () => page.locator('label[for=name]').allInnerTexts();
    await pages.showCheckout(page);
    expect(await label()).toEqual(['Name on card (optional)']);
    await pages.showCheckout(page, { nameMode: 'required' });
    expect(await label()).toEqual(['Name on card']);
    await pages.showCheckout(page, { nameMode: 'hidden' });
    expect(await label()).toEqual([]);
  });

  test('mistakes have one heading, and each has one sentence, which is repeated above its field', async () => {
    const errors = { number: 'Enter the card number.', exp: 'Enter the expiry date, as MM / YY.' };
    for (const size of [NARROW, WIDE]) {
      await page.setViewportSize(size);
      await pages.showCheckout(page, { errors });
      expect(await page.locator('#errors').innerText()).toBe(
        'There is a problem\nEnter the card number.\nEnter the expiry date, as MM / YY.',
      );
      for (const name of Object.keys(errors)) {
        const above = await page.locator(`#${name}-error`).boundingBox();
        const input = await page.locator(`#${name}`).boundingBox();
        expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(input?.y ?? 0);
      }
      const [exp, cvc] = [await page.locator('#exp').boundingBox(), await page.locator('#cvc').boundingBox()];
      expect([cvc?.y, cvc?.height]).toEqual([exp?.y, exp?.height]);
    }
  });

  test('under tabs the card form has no visible legend', async () => {
    await pages.showCheckout(page);
    expect((await page.locator('legend').boundingBox())?.height).toBe(1);
    const [tabs, first] = [await page.locator('.tabs').boundingBox(), await page.locator('.top').boundingBox()];
    expect((first?.y ?? 0) - (tabs?.y ?? 0) - (tabs?.height ?? 0)).toBeLessThan(30);
    await pages.showCheckout(page, { transfer: false });
    expect((await page.locator('legend').boundingBox())?.height).toBeGreaterThan(10);
  });

  test.each(['en', 'es', 'pt'] as const)(
    '%s at 320: label and brands fit on one line, and so do labels side by side',
    async (language) => {
      await page.setViewportSize(NARROW);
      await pages.showCheckout(page, { language });
      const lines = await page.evaluate(
        "[...document.querySelectorAll('.top, .pair label')].map((one) => one.getBoundingClientRect().height)",
      );
      expect(Math.max(...(lines as number[]))).toBeLessThan(30);
    },
  );

  test('in forced colours only the current tab has a line', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await pages.showCheckout(page);
    const lines = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.tabs a')].map((one) => getComputedStyle(one).borderBottomWidth)",
    );
    expect(lines).toEqual(['3px', '0px']);
    await page.emulateMedia({ forcedColors: null });
  });

  test.each([
    '4242424242424242',
    '5555555555554444',
    '378282246310005',
    '30569309025904',
    '38000000000006',
    '36227206271667',
    '6011111111111117',
    '3530111333300000',
  ])('%s is grouped as its brand prints it', async (number) => {
    await pages.showCheckout(page);
    await page.locator('#number').pressSequentially(number);
    const { gaps = [] } = cardValidator.number(number).card ?? {};
    const printed = [...number].map((digit, at) => (gaps.includes(at) ? ` ${digit}` : digit)).join('');
    expect(await page.inputValue('#number')).toBe(printed);
  });

  test.each([
    ['Backspace', 0],
    ['Delete', 4],
  ])('%s deletes digits on both sides of a space', async (key, left) => {
    await pages.showCheckout(page);
    await page.locator('#number').pressSequentially('4242424242424242');
    if (key === 'Delete') await page.evaluate("document.getElementById('number').setSelectionRange(4, 4)");
    for (let presses = '4242 4242 4242 4242'.length; presses > 0; presses -= 1) await page.press('#number', key);
    expect(await page.inputValue('#number')).toBe('4242'.slice(0, left));
  });

  /** Returns the visible brand marks for the typed digits: `!` for a recognised brand, `?` if none is recognised or dimmed. */
  async function marksFor(digits: string): Promise<string[]> {
    await page.fill('#number', digits);
    return page.evaluate<string[]>(`[...document.querySelectorAll('[data-brand]')].flatMap((mark) =>
      mark.getClientRects().length ? [mark.dataset.brand + (mark.matches('.known') ? '!' : mark.matches('.other') ? '' : '?')] : [])`);
  }

  test('a number and a code are complete, whatever is pasted with them', async () => {
    await pages.showCheckout(page);
    const pasted = async (selector: string, text: string) => {
      await page.fill(selector, '');
      await page.focus(selector);
      await page.keyboard.insertText(text);
      return page.inputValue(selector);
    };
    for (const text of ['4242 - 4242 - 4242 - 4242', 'Visa: 4242 4242 4242 4242 (valid until 12/'])
      expect(await pasted('#number', text)).toMatch(/^4242 4242 4242 4242/);
    expect(await pasted('#cvc', ' 1234 ')).toBe('1234');
    expect(await pasted('#cvc', '12345')).toBe('1234');
  });

  test('a recognised brand is visible, even if its mark had no place before', async () => {
    await page.setViewportSize(WIDE);
    await pages.showCheckout(page);
    expect(await marksFor('')).toEqual(['visa?', 'mastercard?', 'amex?', 'oca?']);
    expect(await marksFor('4242')).toEqual(['visa!', 'mastercard', 'amex', 'oca']);
    expect(await marksFor('6011')).toEqual(['visa', 'mastercard', 'amex', 'discover!']);
    expect(await marksFor('3056')).toEqual(['visa', 'mastercard', 'amex', 'diners!']);
    await page.waitForFunction("document.querySelector('[data-brand=diners]').naturalWidth > 0");
    await page.setViewportSize(NARROW);
    expect(await marksFor('')).toEqual(['visa?', 'mastercard?', 'amex?']);
    expect(await marksFor('542991')).toEqual(['visa', 'mastercard', 'oca!']);
    expect(await marksFor('6011')).toEqual(['visa', 'mastercard', 'discover!']);
    expect(await marksFor('3782')).toEqual(['visa', 'mastercard', 'amex!']);
  });

  test('page and server recognise the same brand at both ends of every range', async () => {
    await pages.showCheckout(page);
    const numbers = knownRanges().flatMap(({ from, to }) => [from.padEnd(16, '0'), to.padEnd(16, '9')]);
    const seen = await page.evaluate<string[]>(`${JSON.stringify(numbers)}.map((digits) => {
      const field = document.getElementById('number');
      field.value = digits;
      field.dispatchEvent(new InputEvent('input'));
      return document.querySelector('[data-brand].known')?.dataset.brand ?? '';
    })`);
    const marked: readonly string[] = markedBrands;
    expect(numbers.map((digits, at) => [digits, seen[at]])).toEqual(
      numbers.map((digits) => [digits, marked.find((brand) => brand === detectBrand(digits)) ?? '']),
    );
  });

  describe('the button while its form is on the way', () => {
    const ready = 'Pay USD 122.00, null, auto';
    const busy = 'One moment, true, 18px';
    const posts = () => pages.received.filter(({ method }) => method === 'POST').length;

    /** Returns the state of the button after each step. The page reports it: it answers no query while a form is being sent. */
    async function reportedAfter(steps: readonly string[]): Promise<string[]> {
      await pages.showCheckout(page);
      await page.evaluate(`(async () => {
        const go = document.getElementById('go');
        const report = () => fetch('/reported?' + encodeURIComponent(
          [go.textContent, go.ariaBusy, getComputedStyle(go, '::before').width].join(', ').replace(', ,', ', null,')));
        const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
        setTimeout(async () => {
          for (const step of ${JSON.stringify(steps)}) {
            new Function('go', step)(go);
            await wait(${SETTLE_MS});
            await report();
          }
        });
      })()`);
      const reported = () => pages.received.flatMap(({ url }) => (url.startsWith('/reported?') ? [url.slice(10)] : []));
      while (reported().length < steps.length) await setTimeout(50);
      return reported().map(decodeURIComponent);
    }

    beforeEach(() => void pages.received.splice(0));

    test('shows that it works, and ignores a second press', async () => {
      expect(await reportedAfter(['', 'go.click()', 'go.click()'])).toEqual([ready, busy, busy]);
      expect(posts()).toBe(1);
    });

    test.each([
      ['the page is stopped', 'stop()'],
      ['the payer presses Escape', "dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))"],
      ['the page is come back to', "dispatchEvent(new PageTransitionEvent('pageshow'))"],
    ])('is ready again when %s', async (_how, step) => {
      expect(await reportedAfter(['go.click()', step, 'go.click()'])).toEqual([busy, ready, busy]);
      expect(posts()).toBe(2);
    });

    test('is ready again after a while, whatever became of the form', async () => {
      const keep = `const real = setTimeout; setTimeout = (run, ms) => ms === ${LONGEST_MS} ? (window.ran = run) : real(run, ms)`;
      expect(await reportedAfter([keep, 'go.click()', 'ran()'])).toEqual([ready, busy, ready]);
    });
  });
});
