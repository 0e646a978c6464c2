/** A small BIN table for the test cards, so that a sandbox knows what kind of cards they are. */

import { testCards } from '../../api/testing/test-cards.js';
import { type BinRange, rangeEnd, rangeStart } from '../../shared/domain/instrument/bin-range.js';
import type { CardOrigin, Issuer } from '../../shared/domain/instrument/payment-instrument.js';
import { createBinTable } from '../../shared/store/bin-range.repository.js';
import type { Database } from '../../shared/store/database.js';

const issuers: Record<CardOrigin, Issuer> = {
  uruguay: { id: 'test-uy', name: 'Test Bank of Uruguay', shortName: 'Test UY', country: 'Uruguay', countryCode: 'UY' },
  international: {
    id: 'test-us',
    name: 'Test Bank International',
    shortName: 'Test US',
    country: 'United States of America',
    countryCode: 'US',
  },
};

const BIN_DIGITS = 8;

/** Returns one row per BIN. Cards that share a BIN are of the same kind (a test checks it). */
export function testBins(): BinRange[] {
  const rows = testCards.map(({ number, cardType, cardOrigin }): BinRange => {
    const bin = number.slice(0, BIN_DIGITS);
    return { from: rangeStart(bin), to: rangeEnd(bin), cardType, issuer: issuers[cardOrigin] };
  });
  return [...new Map(rows.map((row) => [row.from, row])).values()];
}

export async function seedTestBins(database: Database): Promise<void> {
  await createBinTable(database).upsertMany(testBins());
}
