/** Evaluates pairs of measurements: the median of each side, and of the ratios within pairs. Pure. */
import { median } from './measure/statistics.mjs';
import { align } from './report.mjs';

/** @typedef {import('./cells.mjs').MeasuredCell} Measured */
/** @typedef {readonly [Measured, Measured]} Pair two sides, measured one right after the other */

const PROCESSES = ['api', 'worker', 'mongodb', 'redis'];
const OURS = ['api', 'worker', 'callback'];

/** @type {Record<string, (cell: Measured) => number>} */
const figures = {
  'payments/s': (cell) => cell.rate,
  'p50 ms': (cell) => cell.p50,
  'p99 ms': (cell) => cell.p99,
  'CPU µs': (cell) => cell.cpuUsTotal,
  ...Object.fromEntries(
    PROCESSES.map((name) => [`${name} µs`, (/** @type {Measured} */ cell) => cell.cpuUs[name] ?? 0]),
  ),
  ...Object.fromEntries(OURS.map((name) => [`${name} MB`, (/** @type {Measured} */ cell) => cell.rssMb[name] ?? 0])),
};

/** @param {readonly Pair[]} pairs @param {(cell: Measured) => number} pick reads the figure; returns second side / first side */
export const ratiosOf = (pairs, pick) => pairs.map(([first, second]) => pick(second) / pick(first));

/** @param {readonly Pair[]} pairs */
export function comparePairs(pairs) {
  const work = Object.keys(pairs[0]?.[0].work ?? {}).map(
    (name) => /** @type {const} */ ([name, (/** @type {Measured} */ cell) => cell.work[name] ?? 0]),
  );
  return [...Object.entries(figures), ...work].map(([name, pick]) => {
    const [first, second] = [0, 1].map((side) =>
      median(pairs.map((pair) => pick(/** @type {Measured} */ (pair[side])))),
    );
    const ratios = ratiosOf(pairs, pick);
    return { name, first, second, ratio: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
  });
}

/** @param {ReturnType<typeof comparePairs>} rows @param {readonly [string, string]} sides */
export function renderPairs(rows, sides) {
  const number = (/** @type {number | undefined} */ value = Number.NaN) =>
    Number.isFinite(value) ? value.toFixed(Math.abs(value) < 100 ? 2 : 0) : '-';
  const body = rows.map(({ name, ...row }) => [
    name,
    ...[row.first, row.second, row.ratio, row.least, row.most].map(number),
  ]);
  return align([['', ...sides, 'ratio', 'least', 'most'], ...body]);
}
