import cardValidator from 'card-validator';
import { testAmounts, testQrAmounts } from '../../api/testing/test-amounts.js';
import { testCards, testOutcomes } from '../../api/testing/test-cards.js';
import { renderTestCards } from '../../scripts/generate/render-test-cards.js';
import { behaviours } from '../../scripts/sandbox/simulator/behaviours.js';

/** Our brand ids in the words of the library. */
const brands = {
  visa: 'visa',
  mastercard: 'mastercard',
  amex: 'american-express',
  discover: 'discover',
  diners: 'diners-club',
} as const;

describe('the test-card file', () => {
  it.each(testCards)('$number is a valid number of its brand', ({ number, brand }) => {
    const checked = cardValidator.number(number);
    expect(checked.isValid).toBe(true);
    expect(checked.card?.type).toBe(brands[brand]);
  });

  it('holds every number of docs/decisions.md, once', () => {
    expect(testCards).toHaveLength(39);
    expect(new Set(testCards.map((card) => card.number)).size).toBe(testCards.length);
    expect(new Set(testCards.map((card) => card.id)).size).toBe(testCards.length);
  });

  it('uses every outcome, and every outcome has a behaviour', () => {
    expect(new Set(testCards.map((card) => card.outcome))).toEqual(new Set(testOutcomes));
    expect(Object.keys(behaviours).sort()).toEqual([...testOutcomes].sort());
  });

  it('says a code for what is declined, and none for what is approved', () => {
    const declining = ['declined', 'authentication-required', 'threeds-challenge-then-declined'];
    for (const row of [...testCards, ...testAmounts]) {
      if (row.outcome === 'approved') expect(row).toMatchObject({ isoCode: '00' });
      if (declining.includes(row.outcome)) expect(row.declineCode).toMatch(/^[a-z_]+$/);
      expect(row.isoCode).toMatch(/^[0-9A-Z]{2}$/);
    }
  });

  it('writes each amount once as text and once in minor units', () => {
    for (const { amount, amountMinor } of [...testAmounts, ...testQrAmounts]) {
      expect(amount.replace('.', '')).toBe(String(amountMinor));
    }
  });

  it('prints a page with a row for each', () => {
    const page = renderTestCards();
    for (const { number } of testCards) expect(page).toContain(`| \`${number}\` |`);
    for (const { amount } of [...testAmounts, ...testQrAmounts]) expect(page).toContain(`| ${amount} |`);
    expect(page.endsWith('|\n')).toBe(true);
  });
});
