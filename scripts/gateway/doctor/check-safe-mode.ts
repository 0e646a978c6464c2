/** Whether the gateway waits after a restore: then all else may be right, and no payment is taken. */
import { readSafeMode } from '../../../shared/store/restore-watch.js';
import type { Check, Opened } from './examined.js';
import { findingsOf } from './finding.js';

const safeMode = findingsOf('safe mode', 'docs/operations.md#after-a-restore');

export const checkSafeMode: Check<Opened> = async ({ database }) => {
  const row = await readSafeMode(database);
  if (!row) return [safeMode.ok('off')];
  const found = `on since ${row.since.toISOString()}: ${row.reason}`;
  return [safeMode.wrong(found, 'Payments are refused until ./gateway reconcile --import has ended it.')];
};
