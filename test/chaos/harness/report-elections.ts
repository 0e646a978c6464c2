/** Renders a run of elections as two tables. */

import { offenders, seconds, table, verdict } from './report-tables.js';
import type { ElectionResult } from './run-elections.js';
import { listAnswers } from './steady-load.js';

export function renderElections({ observations, checks, payments, folder }: ElectionResult): string {
  const head = [
    'fault',
    'new primary (s)',
    'first durable write (s)',
    'first good answer after it (s)',
    'all answered after it (s)',
  ];
  const rows = observations.map((one) => [
    one.fault,
    seconds(one.electedMs),
    seconds(one.durableMs),
    seconds(one.goodAfterMs),
    seconds(one.clearedAfterMs),
    seconds(one.longestMs),
    one.resets,
    listAnswers(one.answers),
  ]);
  return [
    table([...head, 'longest wait (s)', 'resets', 'answers'], rows),
    '',
    verdict(checks),
    ...offenders(checks),
    '',
    `${payments} payments. Logs and every request: ${folder}`,
  ].join('\n');
}
