/** A run of elections as two tables. */
import type { ElectionResult } from './run-elections.js';
import { listAnswers } from './steady-load.js';

const seconds = (ms: number) => (ms / 1000).toFixed(1);
const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

export function renderElections({ seen, checks, payments, folder }: ElectionResult): string {
  const head = [
    'fault',
    'new primary (s)',
    'first durable write (s)',
    'first good answer after it (s)',
    'all answered after it (s)',
  ];
  const rows = seen.map((one) => [
    one.fault,
    seconds(one.electedMs),
    seconds(one.commitsMs),
    seconds(one.goodAfterMs),
    seconds(one.clearedAfterMs),
    seconds(one.longestMs),
    one.resets,
    listAnswers(one.answers),
  ]);
  return [
    table([...head, 'longest wait (s)', 'resets', 'answers'], rows),
    '',
    table(
      ['', 'check', 'found', 'allowed', 'note'],
      checks.map(({ ok, name, figure, limit, note = '' }) => [ok ? '✓' : '✗', name, figure, limit, note]),
    ),
    ...checks.filter(({ ok }) => !ok).flatMap(({ name, details }) => details.map((detail) => `- ${name}: ${detail}`)),
    '',
    `${payments} payments. Logs and every request: ${folder}`,
  ].join('\n');
}
