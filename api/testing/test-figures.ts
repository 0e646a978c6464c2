/**
 * Test cards and amounts as the API publishes them. Their outcomes are public; how an adapter triggers an outcome is internal to the
 * adapter.
 */
import { testAmounts, testQrAmounts } from './test-amounts.js';
import { type TestOutcome, testCards } from './test-cards.js';

/** `isoCode`: ISO 8583 response code of the operation that the outcome is about. */
export interface TestFigures {
  readonly cards: readonly {
    readonly number: string;
    readonly brand: string;
    readonly cardType: string;
    readonly cardOrigin: string;
    readonly outcome: string;
    readonly isoCode: string;
    readonly declineCode: string | null;
    readonly description: string;
  }[];
  readonly amounts: readonly {
    readonly amount: string;
    readonly outcome: string;
    readonly isoCode: string;
    readonly declineCode: string | null;
    readonly description: string;
  }[];
  readonly qrAmounts: readonly { readonly amount: string; readonly outcome: string; readonly description: string }[];
}

export const testFigures: TestFigures = {
  cards: testCards.map(
    ({ number, brand, cardType, cardOrigin, outcome, isoCode, declineCode = null, description }) => ({
      number,
      brand,
      cardType,
      cardOrigin,
      outcome,
      isoCode,
      declineCode,
      description,
    }),
  ),
  amounts: testAmounts.map(({ amount, outcome, isoCode, declineCode = null, description }) => ({
    amount,
    outcome,
    isoCode,
    declineCode,
    description,
  })),
  qrAmounts: testQrAmounts.map(({ amount, outcome, description }) => ({ amount, outcome, description })),
};

/** Returns the number of the first card with this outcome. @throws {Error} when there is none. */
export function numberFor(outcome: TestOutcome): string {
  const card = testCards.find((each) => each.outcome === outcome);
  if (!card) throw new Error(`no test card is ${outcome}`);
  return card.number;
}
