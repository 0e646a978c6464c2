// Makes the card form quicker to fill in. Everything works without it: the server checks and formats again.
const brands = [
  ['visa', /^4/],
  ['amex', /^3[47]/],
  ['oca', /^(542991|589892)/],
  ['mastercard', /^(5[1-5]|2[2-7])/],
];

const digitsOf = (text) => text.replace(/\D/g, '');

function group(digits) {
  const parts = /^3[47]/.test(digits)
    ? [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10, 15)]
    : (digits.slice(0, 19).match(/.{1,4}/g) ?? []);
  return parts.filter(Boolean).join(' ');
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
  const [known] = brands.find(([, pattern]) => pattern.test(digits)) ?? [];
  for (const mark of document.querySelectorAll('[data-brand]')) {
    mark.classList.toggle('other', known !== undefined && mark.dataset.brand !== known);
  }
}

const number = document.getElementById('number');
number?.addEventListener('input', () => {
  rewrite(number, group);
  showBrand(digitsOf(number.value));
});

const exp = document.getElementById('exp');
exp?.addEventListener('input', (event) => {
  if (event.inputType?.startsWith('delete')) return;
  rewrite(exp, (digits) => {
    const whole = /^[2-9]/.test(digits) ? `0${digits}` : digits;
    return whole.length < 2 ? whole : `${whole.slice(0, 2)} / ${whole.slice(2, 6)}`;
  });
});

const code = document.getElementById('cvc');
code?.addEventListener('input', () => rewrite(code, (digits) => digits.slice(0, 4)));

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

// One press is one submit. The server knows a second one by its attempt too.
for (const form of document.querySelectorAll('form[data-once]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = 'yes';
    const button = form.querySelector('#go');
    if (button && (!event.submitter || event.submitter === button)) {
      button.setAttribute('aria-busy', 'true');
      button.textContent = button.dataset.working;
    }
  });
}

// A page that comes back from the history may be stale: the server says what became of the try.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

document.getElementById('errors')?.focus();
