import { limits } from '../../../config/limits.js';
import { msBetween } from '../../../shared/domain/time.js';
import { createBinImports } from '../../../shared/store/bin-import.repository.js';
import { createBinTable } from '../../../shared/store/bin-range.repository.js';
import { type Check, daysBetween, type ExaminedDatabase } from './examined.js';
import { findingsOf } from './finding.js';

const { ok, notice } = findingsOf('BIN table', 'docs/bins.md');
const IMPORT = './gateway bins import <file>';

export const checkBins: Check<ExaminedDatabase> = async ({ database, clock }) => {
  const count = await createBinTable(database).count();
  if (count === 0) {
    const found = 'empty: type, issuer and country of cards are unknown, and rules that need them do not match';
    return [notice(found, IMPORT)];
  }
  const last = await createBinImports(database).find();
  if (!last) return [ok(`${count} ranges`)];
  const found = `${count} ranges, imported ${daysBetween(last.importedAt, clock.now())} days ago`;
  const isOld = msBetween(last.importedAt, clock.now()) > limits.binOldMs;
  return [isOld ? notice(found, `Import a newer one: ${IMPORT}`) : ok(found)];
};
