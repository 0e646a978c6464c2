/** What the pairs of an empty and a filled database say: the table and the verdict. Pure. */
import { median } from '../measure/statistics.mjs';
import { align } from '../report.mjs';
import { isNoisy } from '../verdict.mjs';

/** @typedef {import('../cells.mjs').Measured} Measured */
/** @typedef {{ empty: Measured, filled: Measured }} Pair */

/** Throughput of the filled database may be so much lower (docs/performance.md). */
export const LOSS_MAX = 0.05;

const PROCESSES = ['api', 'worker', 'mongodb', 'redis'];

/** @type {Record<string, (cell: Measured) => number>} */
const figures = {
  'payments/s': (cell) => cell.rate,
  'p50 ms': (cell) => cell.p50,
  'p99 ms': (cell) => cell.p99,
  'CPU µs': (cell) => cell.cpuUsTotal,
  ...Object.fromEntries(
    PROCESSES.map((name) => [`${name} µs`, (/** @type {Measured} */ cell) => cell.cpuUs[name] ?? 0]),
  ),
};

/** Median of each side, and of the ratios within pairs. @param {readonly Pair[]} pairs @param {(cell: Measured) => number} pick */
const compared = (pairs, pick) => ({
  empty: median(pairs.map(({ empty }) => pick(empty))),
  filled: median(pairs.map(({ filled }) => pick(filled))),
  ratios: pairs.map(({ empty, filled }) => pick(filled) / pick(empty)),
});

/** @param {readonly Pair[]} pairs */
export function comparePairs(pairs) {
  const work = Object.keys(pairs[0]?.empty.work ?? {}).map(
    (name) => /** @type {const} */ ([name, (/** @type {Measured} */ cell) => cell.work[name] ?? 0]),
  );
  return [...Object.entries(figures), ...work].map(([name, pick]) => {
    const { ratios, ...sides } = compared(pairs, pick);
    return { name, ...sides, ratio: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
  });
}

/** @param {ReturnType<typeof comparePairs>} rows */
export function renderPairs(rows) {
  const number = (/** @type {number} */ value) =>
    Number.isFinite(value) ? value.toFixed(Math.abs(value) < 100 ? 2 : 0) : '-';
  const body = rows.map(({ name, ...row }) => [
    name,
    ...[row.empty, row.filled, row.ratio, row.least, row.most].map(number),
  ]);
  return align([['', 'empty', 'filled', 'ratio', 'least', 'most'], ...body]);
}

/**
 * A single pair moves by more than what is looked for: only when every pair lost too much, the database is to blame.
 * @param {readonly Pair[]} pairs
 * @param {readonly string[]} violations what the audit found
 * @returns {{ exitCode: 0 | 1, text: string }}
 */
export function judgePairs(pairs, violations) {
  if (violations.length > 0) return { exitCode: 1, text: `FAILED: ${violations.length} violations of correctness` };
  const noisy = pairs.filter(({ empty, filled }) => isNoisy(empty) || isNoisy(filled)).length;
  if (noisy * 2 > pairs.length)
    return { exitCode: 0, text: `inconclusive: ${noisy} of ${pairs.length} pairs are NOISY` };
  const { ratios } = compared(pairs, (cell) => cell.rate);
  const text = `a filled database pays at ${median(ratios).toFixed(3)} of the rate of an empty one`;
  return Math.max(...ratios) < 1 - LOSS_MAX
    ? { exitCode: 1, text: `FAILED: ${text}, every pair below ${1 - LOSS_MAX}` }
    : { exitCode: 0, text };
}
