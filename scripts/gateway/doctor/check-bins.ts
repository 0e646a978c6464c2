import { createBinTable } from '../../../shared/store/bin-range.repository.js';
import type { Check, Opened } from './examined.js';
import { findingsOf } from './finding.js';

const { ok, notice } = findingsOf('BIN table', 'docs/going-live.md#bin-table');

export const checkBins: Check<Opened> = async ({ database }) => {
  const count = await createBinTable(database).count();
  if (count > 0) return [ok(`${count} ranges`)];
  const found = 'empty: type, issuer and country of cards are unknown, and rules that need them do not match';
  return [notice(found, './gateway bins import <file>')];
};
