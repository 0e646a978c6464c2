/** A select field shows its error like a text field, and the summary links only fields of the page. */
import { html } from '../../api/pages/html.js';
import { en } from '../../api/pages/texts/en.js';
import { field, problems, selectField } from '../../api/pages/views/card-form.view.js';
import { amountFields } from '../../api/pages/views/checkout.view.js';

const options = [
  { value: 'USD', name: 'USD' },
  { value: 'UYU', name: 'Peso & more' },
];
const select = (more: { error?: string; hint?: string; chosen?: string } = {}) =>
  selectField({ id: 'currency', label: 'Currency', options, chosen: undefined, ...more }).text;

test('a select field without an error has a label and the chosen option', () => {
  expect(select({ chosen: 'UYU' })).toBe(`<div class="field"><label for="currency">Currency</label>

<select class="in" id="currency" name="currency"><option value="USD">USD</option><option value="UYU" selected>Peso &amp; more</option></select>
</div>`);
});

test('the error of a select field is tied to it, as with a text field', () => {
  const ties = ' id="currency" name="currency" aria-invalid="true" aria-describedby="currency-error currency-hint"';
  const error = '<p class="err" id="currency-error">Choose another.</p>';
  for (const text of [
    select({ error: 'Choose another.', hint: 'One' }),
    field({ id: 'currency', label: 'Currency', error: 'Choose another.', hint: 'One', attributes: html`` }).text,
  ]) {
    expect(text).toContain(ties);
    expect(text).toContain(error);
  }
});

describe('the summary', () => {
  const errors = { total: 'Too little.', currency: 'Choose <another>.' };
  const summary = (currencies: readonly string[]) => {
    const fields = amountFields({ language: 'en', flexible: { currencies }, values: {}, errors });
    return problems('en', errors, undefined, fields || html``) || html``;
  };

  test('links a select field that the page has', () => {
    expect(summary(['USD', 'UYU']).text).toContain('<a href="#total">Too little.</a>');
    expect(summary(['USD', 'UYU']).text).toContain('<a href="#currency">Choose &lt;another&gt;.</a>');
  });

  test('links no field that the page does not have', () => {
    expect(summary(['USD']).text).toContain('<li>Choose &lt;another&gt;.</li>');
    expect(summary(['USD']).text).toContain(`<h1>${en.correctFirst}</h1>`);
  });
});
