// Makes the card form quicker to fill in. Everything works without it: the server checks and formats again.

/**
 * Brands with a logo: the digits of their longest number, where these are grouped, and the ranges of the first digits. `-` has the
 * ranges of other brands inside of those.
 */
// brands:start (from card-validator, by `npm run generate`)
const BRANDS = `
visa 19 4,8,12,16 4
mastercard 16 4,8,12 51..55,2221..2229,223..229,23..26,270..271,2720
amex 15 4,10 34,37
oca 16 4,8,12 542991,589892
discover 19 4,8,12,16 6011,644..649,65
diners 19 4,10 300..305,36,38,39
- 19 4,8,12,16 650052,650082..650083,650092,650161,650170,650173,650175,650268,650271,650273..650274,650456..650457,650836,650846..650850,650923,650987,650990,654997,657366,657998,658758,658767..658768,65083700..65083704,65085800..65085804,65085900..65085901,65086000,65086100..65086105,65086200..65086203,65875000..65875003,65875009,65875101..65875104,65875200,65875501,65875601,65875900,65876000..65876002,65876100..65876103,65876110,65876115..65876116,65876200..65876201,65876500,65876504..65876505,65876600..65876602,65877100..65877101,65877600..65877602,65877700,65877801..65877802,65878200..65878202,65878300..65878311,65878400..65878405,65878500..65878505,65878600..65878601,65879800,65880800,65880900,402918,527572,493698,401178,401179,438935,457631,457632,431274,451416,457393,650031..650033,650035..650051,650405..650439,650485..650538,650541..650598,650700..650718,650720..650727,650901..650978,651652..651679,655000..655019,655021..655058
`;
// brands:end

const ranges = BRANDS.trim()
  .split('\n')
  .flatMap((row) => {
    const [brand, most, gaps = '', parts = ''] = row.split(' ');
    const ends = [...gaps.split(','), most].map(Number);
    return parts.split(',').map((part) => {
      const [from = '', to = from] = part.split('..');
      return { brand, ends, from, to };
    });
  })
  .sort((one, other) => other.from.length - one.from.length);

/** The range with the most digits decides, as on the server. @param {string} digits */
const rangeOf = (digits) =>
  ranges.find(({ from, to }) => {
    const start = digits.slice(0, from.length);
    return start.length === from.length && start >= from && start <= to;
  });

/** @param {string} text */
const digitsOf = (text) => text.replace(/\D/g, '');

const BY_FOURS = [4, 8, 12, 16, 19];

/** @param {string} digits */
function group(digits) {
  const ends = rangeOf(digits)?.ends ?? BY_FOURS;
  return ends
    .map((end, at) => digits.slice(ends[at - 1] ?? 0, end))
    .filter(Boolean)
    .join(' ');
}

/**
 * Keeps the caret behind the same digit.
 * @param {HTMLInputElement} input
 * @param {(digits: string) => string} format
 * @param {string} [inputType] what the payer did
 */
function rewrite(input, format, inputType) {
  const before = digitsOf(input.value.slice(0, input.selectionStart ?? 0)).length;
  const next = format(digitsOf(input.value));
  if (next === input.value) return;
  input.value = next;
  let at = 0;
  for (let seen = 0; at < next.length && seen < before; at += 1) if (/\d/.test(next.charAt(at))) seen += 1;
  if (before === digitsOf(next).length) at = next.length;
  // The space that was deleted is there again: the next press has to delete the digit behind it.
  if (inputType === 'deleteContentForward' && next.charAt(at) === ' ') at += 1;
  input.setSelectionRange(at, at);
}

/** @type {NodeListOf<HTMLElement>} */
const marks = document.querySelectorAll('[data-brand]');

/** @param {string} digits */
function showBrand(digits) {
  const known = rangeOf(digits)?.brand;
  for (const mark of marks) {
    mark.classList.toggle('known', mark.dataset.brand === known);
    mark.classList.toggle('other', known !== undefined && mark.dataset.brand !== known);
  }
}

/** @type {HTMLInputElement | null} */
const number = document.querySelector('#number');
number?.addEventListener('input', ({ inputType }) => {
  rewrite(number, group, inputType);
  showBrand(digitsOf(number.value));
});

const MONTH = /^(0[1-9]|1[0-2])$/;

/**
 * Formats a date as `MM / YY`, as far as it can be read in one way only: "/" (or a point, hyphen, space) ends the month, and so does a
 * digit that cannot be part of it. Any other text stays as it is, for the server to refuse: it never becomes another date.
 * @param {string} text
 */
function spellExpiry(text) {
  // Browsers may fill in the year first (HTML, "cc-exp").
  const [, yearFirst, monthLast = ''] = /^\s*(\d{4})\s*[-/.]\s*(\d{2})\s*$/.exec(text) ?? [];
  if (MONTH.test(monthLast)) return `${monthLast} / ${yearFirst}`;
  const [, parted, rest] = /^\s*(\d{1,2})[\s/.-]+(\d*)\s*$/.exec(text) ?? [];
  const [, whole = '', year] = parted
    ? ['', parted, rest]
    : (/^\s*([2-9]|0[1-9]|1[0-2])((?:20)?\d{2}|)\s*$/.exec(text) ?? []);
  const month = whole.padStart(2, '0');
  return MONTH.test(month) ? `${month} / ${year}` : text;
}

/** @type {HTMLInputElement | null} */
const exp = document.querySelector('#exp');
exp?.addEventListener('input', (event) => {
  // Does not disturb a payer who edits the middle of a date or deletes its end.
  if (event.inputType?.startsWith('delete')) return;
  if (document.activeElement === exp && exp.selectionEnd !== exp.value.length) return;
  const next = spellExpiry(exp.value);
  if (next === exp.value) return;
  exp.value = next;
  exp.setSelectionRange(next.length, next.length);
});

/** @type {NodeListOf<HTMLInputElement>} */
const codes = document.querySelectorAll('[autocomplete="cc-csc"]');
for (const code of codes) {
  code.addEventListener('input', () => rewrite(code, (digits) => digits.slice(0, 4)));
}

// The button names the typed amount, as far as it is one.
/** @type {HTMLInputElement | null} */
const total = document.querySelector('#total');
/** @type {HTMLButtonElement | null} */
const pay = document.querySelector('#go[data-amount]');
/** @type {HTMLInputElement | HTMLSelectElement | null} */
const currency = document.querySelector('[name="currency"]');
if (total && pay && currency) {
  const plain = pay.textContent;
  const { amount = '' } = pay.dataset;
  const name = () => {
    const typed = total.value.trim();
    const label = /^\d[\d.,]*$/.test(typed) ? amount.replace('%', () => `${currency.value} ${typed}`) : plain;
    // A button whose form is being sent shows that, and names the amount once it may be pressed again.
    if (pay.hasAttribute('aria-busy')) pay.dataset.plain = label;
    else pay.textContent = label;
  };
  total.addEventListener('input', name);
  currency.addEventListener('change', name);
  name();
}

// One click is one submit, and the button shows that. The server also recognizes a second one, by its attempt.
const SENT_MS_MAX = 30_000;
/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll('form[data-once]');
/** A form is being sent: this aborts a navigation that is still pending, and that error must not release the form. */
let starts = false;
/** Releases the forms, counted from the last one that was sent. @type {number | undefined} */
let timer;

/** Text that tells the payer of a wallet that the form is being sent: the wallet's own button cannot show it. @param {HTMLFormElement} form */
const noteOf = (form) => /** @type {HTMLElement | null} */ (form.querySelector('p[data-working]'));
/** @param {HTMLFormElement} form */
const buttonOf = (form) => /** @type {HTMLButtonElement | null} */ (form.querySelector('#go'));

/** @param {HTMLFormElement} form @param {HTMLElement | null} submitter */
function send(form, submitter) {
  form.dataset.sent = 'yes';
  starts = true;
  // An answer takes at most half as long: after that the payer may click again.
  clearTimeout(timer);
  timer = setTimeout(release, SENT_MS_MAX);
  const note = noteOf(form);
  if (note) note.textContent = note.dataset.working ?? '';
  const button = buttonOf(form);
  if (!button || (submitter && submitter !== button)) return;
  button.dataset.plain = button.textContent;
  button.setAttribute('aria-busy', 'true');
  button.textContent = button.dataset.working ?? '';
}

/** The page is still there: the payer stopped loading, or came back. */
function release() {
  clearTimeout(timer);
  for (const form of forms) {
    delete form.dataset.sent;
    const note = noteOf(form);
    if (note) note.textContent = '';
    const button = buttonOf(form);
    if (!button?.hasAttribute('aria-busy')) continue;
    button.removeAttribute('aria-busy');
    button.textContent = button.dataset.plain ?? '';
  }
}

for (const form of forms) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    else send(form, event.submitter);
  });
}
// The browser's stop button, Escape, or a missing network stops loading. Browsers without the Navigation API have the other ways.
globalThis.navigation?.addEventListener('navigateerror', () => starts || release());
globalThis.navigation?.addEventListener('navigate', () => {
  starts = false;
});
addEventListener('keydown', ({ key }) => key === 'Escape' && release());

// A page from the browser's history may be outdated: the server knows what became of the try.
addEventListener('pageshow', (event) => {
  release();
  if (event.persisted) location.reload();
});

const errors = document.getElementById('errors');
errors?.focus();
// After "Skip to content" the address has a fragment. The browser moves there last, and the focus is lost.
if (location.hash) {
  const giveBack = () => document.activeElement === document.body && errors?.focus();
  addEventListener('load', () => requestAnimationFrame(giveBack));
}
// A page with errors answers a form, which the browser would have to send again to show the page: a payer who came back to it saw the
// browser's own error page. Now the browser requests the address again instead.
if (errors) history.replaceState(history.state, '', location.href);
// Scrolls from an error to its field: the browser alone scrolls to the input, and the fixed top of a narrow page would cover the label
// and the error above it.
errors?.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const input = document.getElementById(link?.hash.slice(1) ?? '');
  const field = input?.closest('.field');
  if (!input || !field) return;
  event.preventDefault();
  field.scrollIntoView();
  input.focus({ preventScroll: true });
});
