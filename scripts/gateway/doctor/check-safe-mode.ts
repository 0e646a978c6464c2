/** Checks whether the gateway waits after a restore: then no payment is taken although everything else may be right. */
import { foreseeSafeMode, readSafeMode } from '../../../shared/store/restore-watch.js';
import type { Check, ExaminedDatabase } from './examined.js';
import { findingsOf } from './finding.js';

const safeMode = findingsOf('safe mode', 'docs/operations.md#after-a-restore');

const REFUSED = 'Payments are refused until ./gateway reconcile --import has ended it.';

export const checkSafeMode: Check<ExaminedDatabase> = async ({ database }) => {
  const row = await readSafeMode(database);
  if (row) return [safeMode.wrong(`on since ${row.since.toISOString()}: ${row.reason}`, REFUSED)];
  const reason = await foreseeSafeMode(database);
  if (reason === undefined) return [safeMode.ok('off')];
  return [safeMode.wrong(`begins as soon as a process runs: ${reason}`, REFUSED)];
};
