/** Whether a saved card can still be charged, and where it was issued. */
import {
  cardOriginOf,
  instrumentStatus,
  type PaymentInstrument,
} from '../../shared/domain/instrument/payment-instrument.js';

const card = (more: Partial<PaymentInstrument>) => ({ expMonth: 2, expYear: 2026, ...more }) as PaymentInstrument;
const at = (text: string) => new Date(text);

test.each<[string, Partial<PaymentInstrument>, string, 'active' | 'expired']>([
  ['in its last month', {}, '2026-02-28T23:59:59.999Z', 'active'],
  ['from the month after', {}, '2026-03-01T00:00:00.000Z', 'expired'],
  ['in its last month, a December', { expMonth: 12 }, '2026-12-31T23:59:59.999Z', 'active'],
  ['after a December', { expMonth: 12 }, '2027-01-01T00:00:00.000Z', 'expired'],
  ['whose token has not run out', { expiresAt: at('2026-01-02T00:00:00.000Z') }, '2026-01-01T23:59:59.999Z', 'active'],
  ['whose token runs out now', { expiresAt: at('2026-01-02T00:00:00.000Z') }, '2026-01-02T00:00:00.000Z', 'expired'],
  ['whose token outlives it', { expiresAt: at('2030-01-01T00:00:00.000Z') }, '2026-03-01T00:00:00.000Z', 'expired'],
])('the status of a saved card %s', (_name, more, now, status) => {
  expect(instrumentStatus(card(more), at(now))).toBe(status);
});

test('a card is from Uruguay, international, or of an unknown issuer', () => {
  expect(cardOriginOf({ name: 'a', countryCode: 'UY' } as never)).toBe('uruguay');
  expect(cardOriginOf({ name: 'a', countryCode: 'AR' } as never)).toBe('international');
  expect(cardOriginOf(undefined)).toBeUndefined();
});
