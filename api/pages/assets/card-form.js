// Makes the card form quicker to fill in. Everything works without it: the server checks and formats again.

/**
 * Brands that have a mark: the digits of their longest number, where it is parted, and the ranges of its beginning. `-` has
 * what belongs to other brands inside of those ranges.
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
    const [brand, most, gaps, parts] = row.split(' ');
    const ends = [...gaps.split(','), most].map(Number);
    return parts.split(',').map((part) => {
      const [from, to = from] = part.split('..');
      return { brand, ends, from, to };
    });
  })
  .sort((one, other) => other.from.length - one.from.length);

/** The range that says the most digits decides, as on the server. */
const rangeOf = (digits) =>
  ranges.find(({ from, to }) => {
    const start = digits.slice(0, from.length);
    return start.length === from.length && start >= from && start <= to;
  });

const digitsOf = (text) => text.replace(/\D/g, '');

const BY_FOURS = [4, 8, 12, 16, 19];

function group(digits) {
  const ends = rangeOf(digits)?.ends ?? BY_FOURS;
  return ends
    .map((end, at) => digits.slice(ends[at - 1] ?? 0, end))
    .filter(Boolean)
    .join(' ');
}

/** Keeps the caret behind the digit it was behind. */
function rewrite(input, format) {
  const before = digitsOf(input.value.slice(0, input.selectionStart ?? 0)).length;
  const next = format(digitsOf(input.value));
  if (next === input.value) return;
  input.value = next;
  let at = 0;
  for (let seen = 0; at < next.length && seen < before; at += 1) if (/\d/.test(next[at])) seen += 1;
  if (before === digitsOf(next).length) at = next.length;
  input.setSelectionRange(at, at);
}

function showBrand(digits) {
  const known = rangeOf(digits)?.brand;
  for (const mark of document.querySelectorAll('[data-brand]')) {
    mark.classList.toggle('known', mark.dataset.brand === known);
    mark.classList.toggle('other', known !== undefined && mark.dataset.brand !== known);
  }
}

const number = document.getElementById('number');
number?.addEventListener('input', () => {
  rewrite(number, group);
  showBrand(digitsOf(number.value));
});

const MONTH = /^(0[1-9]|1[0-2])$/;

/**
 * A date as `MM / YY`, as far as it can be read in one way only: "/" (or a point, hyphen, space) ends the month, and so does
 * a digit that no month goes on with. Anything else stays as it is, and is refused by the server: no other date is made of it.
 */
function spellExpiry(text) {
  // Browsers may fill in the year first (HTML, "cc-exp").
  const [, yearFirst, monthLast] = /^\s*(\d{4})\s*[-/.]\s*(\d{2})\s*$/.exec(text) ?? [];
  if (MONTH.test(monthLast)) return `${monthLast} / ${yearFirst}`;
  const [, parted, rest] = /^\s*(\d{1,2})[\s/.-]+(\d*)\s*$/.exec(text) ?? [];
  const [, whole, year] = parted
    ? ['', parted, rest]
    : (/^\s*([2-9]|0[1-9]|1[0-2])((?:20)?\d{2}|)\s*$/.exec(text) ?? []);
  const month = whole?.padStart(2, '0');
  return MONTH.test(month) ? `${month} / ${year}` : text;
}

const exp = document.getElementById('exp');
exp?.addEventListener('input', (event) => {
  // Who mends a date in its middle, or takes from its end, is not disturbed.
  if (event.inputType?.startsWith('delete')) return;
  if (document.activeElement === exp && exp.selectionEnd !== exp.value.length) return;
  const next = spellExpiry(exp.value);
  if (next === exp.value) return;
  exp.value = next;
  exp.setSelectionRange(next.length, next.length);
});

for (const code of document.querySelectorAll('[autocomplete="cc-csc"]')) {
  code.addEventListener('input', () => rewrite(code, (digits) => digits.slice(0, 4)));
}

// The button names what is going to be paid, as far as it is an amount.
const total = document.getElementById('total');
const pay = document.querySelector('#go[data-amount]');
const currency = document.querySelector('[name="currency"]');
if (total && pay && currency) {
  const plain = pay.textContent;
  const name = () => {
    const typed = total.value.trim();
    pay.textContent = /^\d[\d.,]*$/.test(typed)
      ? pay.dataset.amount.replace('%', () => `${currency.value} ${typed}`)
      : plain;
  };
  total.addEventListener('input', name);
  currency.addEventListener('change', name);
  name();
}

// One press is one submit, which the button shows. The server knows a second one by its attempt too.
const SENT_MS_MAX = 30_000;
const forms = document.querySelectorAll('form[data-once]');
/** A form begins to go: what still was on the way is given up by that, and no word to the payer. */
let starts = false;

function send(form, submitter) {
  form.dataset.sent = 'yes';
  starts = true;
  // An answer takes half as long at most: after that the payer may press again.
  setTimeout(release, SENT_MS_MAX);
  // A wallet's own button shows nothing of it.
  const note = form.querySelector('p[data-working]');
  if (note) note.textContent = note.dataset.working;
  const button = form.querySelector('#go');
  if (!button || (submitter && submitter !== button)) return;
  button.dataset.plain = button.textContent;
  button.setAttribute('aria-busy', 'true');
  button.textContent = button.dataset.working;
}

/** The page is still there: the payer stopped it, or came back. */
function release() {
  for (const form of forms) {
    delete form.dataset.sent;
    const note = form.querySelector('p[data-working]');
    if (note) note.textContent = '';
    const button = form.querySelector('#go[aria-busy]');
    if (!button) continue;
    button.removeAttribute('aria-busy');
    button.textContent = button.dataset.plain;
  }
}

for (const form of forms) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    else send(form, event.submitter);
  });
}
// Stopped by the browser's button, by its key, or by a network that is away. Browsers without the first have the others.
globalThis.navigation?.addEventListener('navigateerror', () => starts || release());
globalThis.navigation?.addEventListener('navigate', () => {
  starts = false;
});
addEventListener('keydown', ({ key }) => key === 'Escape' && release());

// A page that comes back from the history may be stale: the server says what became of the try.
addEventListener('pageshow', (event) => {
  release();
  if (event.persisted) location.reload();
});

const errors = document.getElementById('errors');
errors?.focus();
// Who went straight to the content has an address with its fragment, to which the browser goes last of all: the focus is lost by that.
if (location.hash) {
  const giveBack = () => document.activeElement === document.body && errors?.focus();
  addEventListener('load', () => requestAnimationFrame(giveBack));
}
// A page with mistakes answered a form, which the browser would have to send again to show it: a payer who came back to it saw the browser's
// own error page. As an address it is asked for anew.
if (errors) history.replaceState(history.state, '', location.href);
// From a mistake to its field: the browser alone scrolls to the input, and what stays at the top of a narrow page covers the label
// and the reason above it.
errors?.addEventListener('click', (event) => {
  const input = document.getElementById(event.target.closest('a')?.hash.slice(1));
  const field = input?.closest('.field');
  if (!field) return;
  event.preventDefault();
  field.scrollIntoView();
  input.focus({ preventScroll: true });
});
