/** Renders results for people (a table, or lines) and for scripts (JSON). */
import type { Cell, Result, Row } from './command.js';

const NOTHING = '-';

/** Removes control characters: a name must not control the terminal. */
const printable = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]/gu, '?');

function cellText(cell: Cell): string {
  if (cell === undefined || cell === null) return NOTHING;
  if (cell instanceof Date) return cell.toISOString();
  if (Array.isArray(cell)) return cell.length > 0 ? printable(cell.join(', ')) : NOTHING;
  return printable(String(cell));
}

/** Renders `createdAt` as `CREATED AT`. */
const titleOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();

export function table(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names.map(titleOf), ...rows.map((row) => names.map((name) => cellText(row[name])))];
  const widths = names.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function lines(record: Row): string {
  const entries = Object.entries(record);
  const width = Math.max(0, ...entries.map(([name]) => titleOf(name).length));
  return entries.map(([name, cell]) => `  ${titleOf(name).toLowerCase().padEnd(width)}  ${cellText(cell)}`).join('\n');
}

function answerOf(result: Result) {
  if (result.kind === 'report') return result.answer;
  return result.kind === 'rows' ? result.rows : result.record;
}

export function renderResult(result: Result, json: boolean): string {
  if (json) return JSON.stringify(answerOf(result), null, 2);
  if (result.kind === 'report') return result.text.split('\n').map(printable).join('\n');
  if (result.kind === 'rows') return result.rows.length > 0 ? table(result.rows) : result.empty;
  const { done, record, note } = result;
  return [done, ...(Object.keys(record).length > 0 ? ['', lines(record)] : []), ...(note ? ['', note] : [])].join('\n');
}
