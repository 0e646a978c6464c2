/** Command line of `npm run queries`. */
import { parseArgs } from 'node:util';
import { Problem } from '../../scripts/setup/problem.mjs';
import { readPositive } from '../options.mjs';

/**
 * @typedef {object} QueryOptions
 * @property {number} stored payments in the database
 * @property {number} reps how often each page is requested
 * @property {boolean} keep keeps the filled database for the next run
 * @property {string | undefined} json file for the whole result
 */

const usage = 'npm run queries -- [--stored 1000000] [--reps 3] [--keep] [--json out.json]';

/**
 * @param {readonly string[]} args
 * @returns {QueryOptions}
 * @throws {Problem} naming the option that is wrong
 */
export function readQueryOptions(args) {
  const declared = /** @type {const} */ ({
    stored: { type: 'string', default: '1000000' },
    reps: { type: 'string', default: '3' },
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
    reps: readPositive('reps', values.reps, 100, usage),
    keep: values.keep,
    json: values.json,
  };
}
