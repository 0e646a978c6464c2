/** Renders the tables of a report in Markdown, the verdict among them. */
import type { Check } from './check.js';

type Cells = readonly (string | number)[];

const row = (cells: Cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;

export const table = (head: readonly string[], rows: readonly Cells[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

export const seconds = (ms: number): string => (ms / 1000).toFixed(1);

export function verdict(checks: readonly Check[]): string {
  const rows = checks.map(({ ok, name, found, limit, note = '' }) => [ok ? '✓' : '✗', name, found, limit, note]);
  return table(['', 'check', 'found', 'allowed', 'note'], rows);
}

/** Returns one line for each offender of a failed check. */
export const offenders = (checks: readonly Check[]): string[] =>
  checks.filter(({ ok }) => !ok).flatMap(({ name, details }) => details.map((detail) => `- ${name}: ${detail}`));
