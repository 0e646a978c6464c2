/** Judges pairs of measurements over an empty and a filled database. Pure. */
import { median } from '../measure/statistics.mjs';
import { ratiosOf } from '../pairs.mjs';
import { isNoisy } from '../verdict.mjs';

/** Allowed loss of throughput with the filled database (docs/benchmark.md, "Queries and stored payments"). */
export const LOSS_MAX = 0.05;

/**
 * Judges the pairs. A single pair varies by more than the allowed loss: the database is to blame only when every pair lost too much.
 * @param {readonly import('../pairs.mjs').Pair[]} pairs
 * @param {readonly string[]} violations found by the audit
 * @returns {{ exitCode: 0 | 1, text: string }}
 */
export function judgePairs(pairs, violations) {
  if (violations.length > 0) return { exitCode: 1, text: `FAILED: ${violations.length} violations of correctness` };
  const noisy = pairs.filter((pair) => pair.some(isNoisy)).length;
  if (noisy * 2 > pairs.length)
    return { exitCode: 0, text: `inconclusive: ${noisy} of ${pairs.length} pairs are NOISY` };
  const ratios = ratiosOf(pairs, ({ rate }) => rate);
  const text = `a filled database pays at ${median(ratios).toFixed(3)} of the rate of an empty one`;
  return Math.max(...ratios) < 1 - LOSS_MAX
    ? { exitCode: 1, text: `FAILED: ${text}, every pair below ${1 - LOSS_MAX}` }
    : { exitCode: 0, text };
}
