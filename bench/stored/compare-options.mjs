/** Command line of `npm run stored`. */
import { parseArgs } from 'node:util';
import { Problem } from '../../scripts/setup/problem.mjs';
import { readPositive, readSeconds } from '../options.mjs';

/**
 * @typedef {object} CompareOptions
 * @property {number} stored payments in the filled database
 * @property {number} secs length of one measurement (s)
 * @property {number} reps pairs
 * @property {number} conc calls in flight
 * @property {boolean} keep keeps the filled database for the next run
 * @property {string | undefined} json file for the whole result
 */

const usage = 'npm run stored -- [--stored 1000000] [--secs 5] [--reps 6] [--conc 64] [--keep] [--json out.json]';

/**
 * @param {readonly string[]} args
 * @returns {CompareOptions}
 * @throws {Problem} naming the option that is wrong
 */
export function readCompareOptions(args) {
  const declared = /** @type {const} */ ({
    stored: { type: 'string', default: '1000000' },
    secs: { type: 'string', default: '5' },
    reps: { type: 'string', default: '6' },
    conc: { type: 'string', default: '64' },
    keep: { type: 'boolean', default: false },
    json: { type: 'string' },
  });
  let values;
  try {
    ({ values } = parseArgs({ args: [...args], options: declared, strict: true }));
  } catch (error) {
    throw new Problem(`${/** @type {Error} */ (error).message}: ${usage}`);
  }
  return {
    stored: readPositive('stored', values.stored, 100_000_000, usage),
    secs: readSeconds(values.secs, usage),
    reps: readPositive('reps', values.reps, 50, usage),
    conc: readPositive('conc', values.conc, 1_000, usage),
    keep: values.keep,
    json: values.json,
  };
}
