/** Judges the memory of a long run. Pure. */
import { exceededLimits, maximaOf } from './measure/memory.mjs';
import { median } from './measure/statistics.mjs';

/**
 * @typedef {object} Sample
 * @property {number} atS seconds since the start
 * @property {number} rate payments per second
 * @property {number} p99 ms
 * @property {Record<string, number>} rssMb resident memory by process
 */
/** @typedef {{ samples: readonly Sample[], violations: readonly string[] }} SoakResult */

/** The runtime takes more memory until it knows how much it needs. Growth is a leak only after that time. */
const SETTLED_S = 120;
/** Allowed growth between the second and the last quarter. The noise of the garbage collector is smaller. */
const GROWTH_MAX = 0.1;
const GROWTH_MB = 8;

/** @param {readonly Sample[]} samples @param {number} quarter 1 to 4 */
const quarterOf = (samples, quarter) =>
  samples.slice(Math.floor((samples.length * (quarter - 1)) / 4), Math.floor((samples.length * quarter) / 4));

/**
 * @param {readonly Sample[]} samples
 * @returns {{ name: string, beforeMb: number, afterMb: number, maxMb: number }[]} medians of the second and the last quarter
 */
export function memoryOf(samples) {
  const names = Object.keys(samples[0]?.rssMb ?? {});
  const valuesOf = (/** @type {readonly Sample[]} */ some, /** @type {string} */ name) =>
    some.map(({ rssMb }) => rssMb[name] ?? 0);
  return names.map((name) => ({
    name,
    beforeMb: median(valuesOf(quarterOf(samples, 2), name)),
    afterMb: median(valuesOf(quarterOf(samples, 4), name)),
    maxMb: Math.max(...valuesOf(samples, name)),
  }));
}

/**
 * Judges a run. Lost payments, and a process that ever exceeded its limit, always fail. Growth fails only when the run was long
 * enough to tell.
 * @param {SoakResult} soaked
 * @param {Readonly<Record<string, number>>} memoryMb limits by process
 * @returns {{ exitCode: 0 | 1, text: string }}
 */
export function judgeSoak({ samples, violations }, memoryMb) {
  if (violations.length > 0) return { exitCode: 1, text: `FAILED: ${violations.length} violations of correctness` };
  const exceeded = exceededLimits(maximaOf(samples.map(({ rssMb }) => rssMb)), memoryMb);
  if (exceeded.length > 0) return { exitCode: 1, text: `FAILED: ${exceeded.join('; ')}` };
  const lengthS = samples.at(-1)?.atS ?? 0;
  if (lengthS < 2 * SETTLED_S) return { exitCode: 0, text: 'passed; too short to say whether memory grows' };
  const grown = memoryOf(samples).filter(
    ({ beforeMb, afterMb }) => afterMb - beforeMb > Math.max(GROWTH_MB, beforeMb * GROWTH_MAX),
  );
  if (grown.length === 0) return { exitCode: 0, text: 'passed: memory does not grow' };
  return { exitCode: 1, text: `FAILED: the memory of ${grown.map(({ name }) => name).join(', ')} grows` };
}

/** @param {Sample} sample */
export const renderSample = ({ atS, rate, p99, rssMb }) =>
  `${atS.toFixed(0).padStart(6)} s ${rate.toFixed(0).padStart(6)}/s  p99 ${p99.toFixed(0).padStart(5)} ms  ${Object.entries(
    rssMb,
  )
    .map(([name, mb]) => `${name} ${mb} MB`)
    .join('  ')}`;

/** @param {SoakResult} soaked @param {Readonly<Record<string, number>>} memoryMb limits by process */
export function renderSoak({ samples, violations }, memoryMb) {
  const rows = memoryOf(samples).map(({ name, beforeMb, afterMb, maxMb }) =>
    [
      name.padEnd(12),
      ...[beforeMb, afterMb, maxMb, memoryMb[name]].map((mb) => (mb?.toFixed(0) ?? '-').padStart(14)),
    ].join(''),
  );
  const head = [
    'process'.padEnd(12),
    ...['2nd quarter', 'last quarter', 'most', 'limit'].map((text) => text.padStart(14)),
  ];
  const lost = violations.length === 0 ? ['every payment is accounted for'] : violations.map((one) => `  - ${one}`);
  return [`${head.join('')}  (MB)`, ...rows, ...lost].join('\n');
}
