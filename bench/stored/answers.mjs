/** Evaluates the answers to the questions: rows, the table, the verdict. Pure. */
import { median } from '../measure/statistics.mjs';
import { align } from '../report.mjs';
import { FOREIGN_SHARE_MAX } from '../verdict.mjs';

/** @typedef {import('./ask-questions.mjs').AnsweredQuestion} Asked */

/** Maximum time of a page (docs/benchmark.md, "Queries and stored payments"). */
export const PAGE_MS_MAX = 200;
/** Status of a query that took too long. */
const TIMED_OUT = 503;
/** With fewer payments the times prove nothing. */
export const STORED_JUDGED_MIN = 100_000;

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {number} firstMs median time of the first page
 * @property {number} worstMs median time of the slowest page
 * @property {string} worstAt which page that is
 * @property {number} maxMs the longest single answer of any page
 * @property {number} found payments on the first page
 * @property {number} documents maximum that was examined for a page
 * @property {number} keys maximum of index keys that was examined for a page
 * @property {boolean} isFull every page but the last has as many payments as fit
 * @property {boolean} timedOut a page was answered with `503 timeout`
 */

/** @param {Asked} asked @param {number} size payments that fit on a page @returns {Row} */
function toRow({ name, pages }, size) {
  const ranked = pages.map((page) => ({ ...page, p50: median(page.ms) })).sort((a, b) => b.p50 - a.p50);
  const first = ranked.find(({ at }) => at === 'first');
  const worst = ranked[0];
  return {
    name,
    firstMs: first?.p50 ?? Number.NaN,
    worstMs: worst?.p50 ?? Number.NaN,
    worstAt: worst?.at ?? '',
    maxMs: Math.max(...pages.flatMap(({ ms }) => ms)),
    found: first?.found ?? 0,
    documents: Math.max(...pages.map(({ documents }) => documents)),
    keys: Math.max(...pages.map(({ keys }) => keys)),
    isFull: pages.every(({ found }) => found === size),
    timedOut: pages.some(({ status }) => status === TIMED_OUT),
  };
}

/** @param {readonly Asked[]} asked @param {number} size @returns {Row[]} slowest first */
export const toRows = (asked, size) => asked.map((one) => toRow(one, size)).sort((a, b) => b.worstMs - a.worstMs);

/** @param {readonly Row[]} rows */
export function renderRows(rows) {
  const ms = (/** @type {number} */ value) => value.toFixed(1);
  const head = ['filter or pair', 'first ms', 'worst page ms', 'at', 'max ms', 'found', 'documents', 'keys'];
  const body = rows.map((row) => [
    row.name,
    ms(row.firstMs),
    ms(row.worstMs),
    row.worstAt,
    ms(row.maxMs),
    String(row.found),
    String(row.documents),
    String(row.keys),
  ]);
  return align([head, ...body]);
}

/** Compares the slowest page with the first, for full pages only: those are found, not searched for. @param {readonly Row[]} rows */
export function depthRatio(rows) {
  const full = rows.filter(({ isFull }) => isFull);
  return { questions: full.length, most: Math.max(0, ...full.map(({ firstMs, worstMs }) => worstMs / firstMs)) };
}

/**
 * @param {object} given
 * @param {readonly Asked[]} given.asked
 * @param {readonly Row[]} given.rows
 * @param {number} given.stored
 * @param {number} given.foreignShare share of the machine that other processes used meanwhile
 * @returns {{ exitCode: 0 | 1, text: string }}
 */
export function judgeAnswers({ asked, rows, stored, foreignShare }) {
  const refused = asked.flatMap(({ name, pages }) =>
    pages
      .filter(({ status }) => status !== 200 && status !== TIMED_OUT)
      .map(({ at, status }) => `${name}, ${at}: ${status}`),
  );
  if (refused.length > 0) return { exitCode: 1, text: `FAILED: refused:\n  ${refused.join('\n  ')}` };
  if (stored < STORED_JUDGED_MIN) return { exitCode: 0, text: 'too few payments to judge times: all was answered' };
  const slow = rows.filter(({ worstMs, timedOut }) => timedOut || worstMs > PAGE_MS_MAX);
  if (slow.length === 0) return { exitCode: 0, text: `passed: each page within ${PAGE_MS_MAX} ms` };
  const text = `${slow.length} of ${rows.length} have a page above ${PAGE_MS_MAX} ms`;
  return foreignShare > FOREIGN_SHARE_MAX
    ? { exitCode: 0, text: `inconclusive: ${text}, and other programs kept the machine busy` }
    : { exitCode: 1, text: `FAILED: ${text}` };
}
