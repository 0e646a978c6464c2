/** Requests of the load. Cards come from the test-card file, and each has the cvc length of its brand. */
import { type TestOutcome, testCards } from '../../../api/testing/test-cards.js';

/** Returns a cvc value that other numbers of the run are unlikely to contain. */
const cvcOf = (brand: string) => (brand === 'amex' ? '7391' : '739');

const cardOf = (id: string) => {
  const found = testCards.find((card) => card.id === id);
  if (!found) throw new Error(`there is no test card ${id}`);
  return { number: found.number, expMonth: 11, expYear: 2034, cvc: cvcOf(found.brand) };
};

export const approvingCards = [
  'visa',
  'visa-2',
  'mastercard',
  'amex',
  'discover',
  'diners',
  'uruguay',
  'debit',
] as const;
export const decliningCards = ['generic-decline', 'insufficient-funds', 'lost-card', 'velocity-exceeded'] as const;
/** Cards on which the processor itself is slow, silent, absent or answers twice. */
const awkward: ReadonlySet<string> = new Set<TestOutcome>([
  'late-answer',
  'no-answer-but-approved',
  'no-answer-nothing-done',
  'connection-refused',
  'answered-twice',
]);
export const awkwardCards = testCards.filter(({ outcome }) => awkward.has(outcome)).map(({ id }) => id);

/** Amounts on which the acquirer of `iso8583` is silent, drops the line, approves a part or answers about something else. */
export const awkwardAmounts = [90_010, 90_068, 90_069, 90_070, 90_072, 90_073, 90_074, 90_075, 90_096] as const;

/** Cards whose issuer challenges the payer. The last one is declined afterwards. */
export const challengeCards = testCards
  .filter(({ outcome }) => outcome === 'threeds-challenge' || outcome === 'threeds-challenge-then-declined')
  .map(({ id }) => id);

/** Every card number that a run may send. */
export const usedNumbers = [...approvingCards, ...decliningCards, ...awkwardCards, ...challengeCards].map(
  (id) => cardOf(id).number,
);

let used = 0;

/** Returns a reference that was never used before. */
export function newReference(prefix: string): string {
  used += 1;
  return `${prefix}-${process.pid}-${Date.now().toString(36)}-${used}`;
}

/** Returns a body of `POST /v1/payments`. `more` replaces top-level fields. */
export function paymentOf(
  card: string,
  given: { merchantId: number; total: string; currency?: string } & Record<string, unknown>,
): Record<string, unknown> {
  const { total, currency = 'USD', ...more } = given;
  const referenceId = newReference('pay');
  return {
    referenceId,
    invoiceNumber: `I-${referenceId}`.slice(0, 64),
    amount: { total, currency },
    paymentMethod: { source: 'card', card: cardOf(card) },
    ...more,
  };
}

/** Returns a body of `POST /v1/payments` for a bank transfer by code. */
export function transferOf(
  given: { merchantId: number; total: string } & Record<string, unknown>,
): Record<string, unknown> {
  const { total, ...more } = given;
  const referenceId = newReference('transfer');
  return {
    flow: 'pos',
    referenceId,
    invoiceNumber: `I-${referenceId}`.slice(0, 64),
    amount: { total, currency: 'USD' },
    paymentMethod: { source: 'bank-transfer', id: 'instant-transfer' },
    ...more,
  };
}

/** Amount from which payers are challenged. No other journey pays as much. */
export const AUTHENTICATED_FROM = 1_000;

/** Returns a body of `POST /v1/payments` for a payer with a browser, whom the issuer challenges. */
export const challengedOf = (card: string, given: Parameters<typeof paymentOf>[1]): Record<string, unknown> =>
  paymentOf(card, {
    ...given,
    browserDetails: { ipAddress: '203.0.113.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' },
    redirectUrl: 'https://shop.example/return',
  });

/** Returns a body of `POST /v1/payments/verify`. */
export function verificationOf(card: string, merchantId: number): Record<string, unknown> {
  const paymentMethod = { source: 'card', card: cardOf(card) };
  return { merchantId, referenceId: newReference('verify'), amount: { currency: 'USD' }, paymentMethod };
}
