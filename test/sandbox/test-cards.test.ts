import cardValidator from 'card-validator';
import { testAmounts, testQrAmounts } from '../../api/testing/test-amounts.js';
import { testCards, testOutcomes } from '../../api/testing/test-cards.js';
import { renderTestCards } from '../../scripts/generate/render-test-cards.js';
import { behaviours } from '../../scripts/sandbox/simulator/behaviours.js';

/** Our brand ids, as the library names them. */
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

  it('contains each of its numbers and ids once', () => {
    expect(testCards).toHaveLength(39);
    expect(new Set(testCards.map((card) => card.number)).size).toBe(testCards.length);
    expect(new Set(testCards.map((card) => card.id)).size).toBe(testCards.length);
  });

  it('uses every outcome, and every outcome has a behaviour', () => {
    expect(new Set(testCards.map((card) => card.outcome))).toEqual(new Set(testOutcomes));
    expect(Object.keys(behaviours).sort()).toEqual([...testOutcomes].sort());
  });

  it('has a decline code for each declining row, and the code 00 for approvals', () => {
    const declining = ['declined', 'authentication-required', 'threeds-challenge-then-declined'];
    for (const row of [...testCards, ...testAmounts]) {
      if (row.outcome === 'approved') expect(row).toMatchObject({ isoCode: '00' });
      if (declining.includes(row.outcome)) expect(row.declineCode).toMatch(/^[a-z_]+$/);
      expect(row.isoCode).toMatch(/^[0-9A-Z]{2}$/);
    }
  });

  it('has the same amount as text and in minor units', () => {
    for (const { amount, amountMinor } of [...testAmounts, ...testQrAmounts]) {
      expect(amount.replace('.', '')).toBe(String(amountMinor));
    }
  });

  it('is printed as a page with a row for each card and amount', () => {
    const page = renderTestCards();
    for (const { number } of testCards) expect(page).toContain(`| \`${number}\` |`);
    for (const { amount } of [...testAmounts, ...testQrAmounts]) expect(page).toContain(`| ${amount} |`);
    expect(page.endsWith('|\n')).toBe(true);
  });
});
