/** A run of faults as two tables: what clients saw of each, and the verdict. */
import { faults } from './faults.js';
import type { FaultsResult } from './run-faults.js';
import { listAnswers } from './steady-load.js';

const seconds = (ms: number) => (ms / 1000).toFixed(1);
const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

export function renderFaults({ seen, checks, payments, folders }: FaultsResult): string {
  const rows = seen.map((one) => [
    faults[one.fault].what,
    `${seconds(one.overMs)} s`,
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
    table(
      ['', 'check', 'found', 'allowed', 'note'],
      checks.map(({ ok, name, figure, limit, note = '' }) => [ok ? '✓' : '✗', name, figure, limit, note]),
    ),
    ...checks.filter(({ ok }) => !ok).flatMap(({ name, details }) => details.map((detail) => `- ${name}: ${detail}`)),
    '',
    `${payments} payments. Logs and every request: ${folders.join(', ')}`,
  ].join('\n');
}
