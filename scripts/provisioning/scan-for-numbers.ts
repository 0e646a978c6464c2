/** Finds card numbers stored in plain text before the gateway refused them (docs/security.md#numbers-in-texts). */

import { numbersIn, textsOf } from '../../api/payments/numbers-in-text.js';
import { limits } from '../../config/limits.js';
import { createBinTable } from '../../shared/store/bin-range.repository.js';
import type { Database } from '../../shared/store/database.js';

/** Collections that store texts of callers. */
const COLLECTIONS = [
  'payments',
  'sessions',
  'payment_links',
  'customers',
  'payment_instruments',
  'deliveries',
] as const;

/** A place that has a card number. Never the number itself. */
export interface FoundNumber {
  readonly collection: string;
  readonly id: string;
  readonly field: string;
}

/** @param progress called after each collection */
export async function scanForNumbers(
  database: Database,
  progress: (text: string) => void,
): Promise<readonly FoundNumber[]> {
  const bins = createBinTable(database);
  const found: FoundNumber[] = [];
  for (const collection of COLLECTIONS) {
    let count = 0;
    for await (const { _id, ...row } of database.collection<{ _id: string }>(collection).find({})) {
      count += 1;
      for (const { field, text } of textsOf(row)) {
        const known = await Promise.all(numbersIn(text).map((number) => bins.find(number)));
        if (known.some((range) => range !== undefined)) found.push({ collection, id: String(_id), field });
        if (found.length >= limits.scanFoundMax) return found;
      }
    }
    progress(`${collection}: ${count} documents read`);
  }
  return found;
}
