/** Command line of `npm run soak`. */
import { parseArgs } from 'node:util';
import { Problem } from '../scripts/setup/problem.mjs';
import { readPositive } from './options.mjs';

/**
 * @typedef {object} SoakOptions
 * @property {number} secs length of the load (s)
 * @property {number} conc calls in flight
 * @property {string | undefined} json file for the whole result
 */

const usage = 'npm run soak -- [--secs 600] [--conc 16] [--json out.json]';

/**
 * @param {readonly string[]} args
 * @returns {SoakOptions}
 * @throws {Problem} naming the option that is wrong
 */
export function readSoakOptions(args) {
  const declared = /** @type {const} */ ({
    secs: { type: 'string', default: '600' },
    conc: { type: 'string', default: '16' },
    json: { type: 'string' },
  });
  let values;
  try {
    ({ values } = parseArgs({ args: [...args], options: declared, strict: true }));
  } catch (error) {
    throw new Problem(`${/** @type {Error} */ (error).message}: ${usage}`);
  }
  return {
    secs: readPositive('secs', values.secs, 24 * 3_600, usage),
    conc: readPositive('conc', values.conc, 256, usage),
    json: values.json,
  };
}
