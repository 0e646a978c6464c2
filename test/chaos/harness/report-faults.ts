/** Renders a run of faults as two tables: what clients saw of each, and the verdict. */
import { faults } from './faults.js';
import { offenders, seconds, table, verdict } from './report-tables.js';
import type { FaultsResult } from './run-faults.js';
import { listAnswers } from './steady-load.js';

export function renderFaults({ observations, checks, payments, folders }: FaultsResult): string {
  const rows = observations.map((one) => [
    faults[one.fault].description,
    `${seconds(one.recoveredMs)} s`,
    listAnswers(one.answers),
    one.resets,
    `${seconds(one.longestMs)} s`,
    `${Math.round(one.calmMedianMs)} → ${Math.round(one.medianMs)} ms`,
    one.failed.length === 0 ? 'nothing found' : one.failed.join(', '),
    `\`npm run faults -- --fault ${one.fault}\``,
  ]);
  const head = [
    'fault',
    'over after',
    'answers',
    'cut off',
    'longest wait',
    'median before → during',
    'audit',
    'command',
  ];
  return [
    table(head, rows),
    '',
    verdict(checks),
    ...offenders(checks),
    '',
    `${payments} payments. Logs and every request: ${folders.join(', ')}`,
  ].join('\n');
}
