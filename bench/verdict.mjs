/** Derives the exit code from the results. Pure. */
import { nameOf } from './plan.mjs';

/** @typedef {import('./cells.mjs').MeasuredCell} Measured */

/** A cell is NOISY when other processes used more than this share of the machine meanwhile. */
export const FOREIGN_SHARE_MAX = 0.3;

/** @param {Pick<Measured, 'foreignShare'>} cell */
export const isNoisy = ({ foreignShare }) => foreignShare > FOREIGN_SHARE_MAX;

/**
 * @typedef {object} Verdict
 * @property {0 | 1} exitCode
 * @property {string} text one line
 */

/**
 * Judges a run. Wrong answers, lost payments and too much memory always fail. A slow run fails only when no other process disturbed it.
 * @param {object} given
 * @param {readonly Pick<Measured, 'subject' | 'conc' | 'foreignShare'>[]} given.cells all measured cells
 * @param {readonly string[]} given.violations found by the audit
 * @param {{ conc: number, rateToF2: number }} given.gate
 * @param {readonly string[]} [given.memory] processes that exceeded their limit
 * @param {number | undefined} given.ratio rate/F2 at the gate's concurrency; undefined when it was not measured
 * @returns {Verdict}
 */
export function judge({ cells, violations, gate, ratio, memory = [] }) {
  if (violations.length > 0) return { exitCode: 1, text: `FAILED: ${violations.length} violations of correctness` };
  if (memory.length > 0) return { exitCode: 1, text: `FAILED: ${memory.join('; ')}` };
  const noisy = cells.filter(isNoisy);
  if (noisy.length * 2 > cells.length) {
    return {
      exitCode: 0,
      text: `inconclusive: ${noisy.length} of ${cells.length} cells are NOISY, other programs kept the machine busy`,
    };
  }
  const at = nameOf({ subject: 'gateway', conc: gate.conc });
  if (ratio === undefined || Number.isNaN(ratio)) return { exitCode: 0, text: `no verdict: ${at} was not measured` };
  const compared = `rate/F2 of ${at} is ${ratio.toFixed(2)}, the gate ${gate.rateToF2.toFixed(2)}`;
  return ratio < gate.rateToF2
    ? { exitCode: 1, text: `FAILED: ${compared}` }
    : { exitCode: 0, text: `passed: ${compared}` };
}
