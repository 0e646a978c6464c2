/** Command line of `npm run bench`. */
import { parseArgs } from 'node:util';
import { Problem } from '../scripts/setup/problem.mjs';

const CONCURRENCY_MAX = 1_000;
const SECONDS_MAX = 60;
const STORED_MAX = 100_000_000;

/**
 * @typedef {object} Options
 * @property {number} secs length of one measurement (s)
 * @property {number} reps repetitions; every ratio is the median over them
 * @property {readonly number[]} conc calls in flight, one pair of cells each
 * @property {string | undefined} json file for the whole result
 * @property {boolean} profile writes CPU profiles of the API and the worker
 * @property {boolean} trace shows where the time of a payment goes, step by step
 * @property {number} stored payments that are in the database before anything is measured
 */

export const usage =
  'npm run bench -- [--secs 3] [--reps 3] [--conc 1,16,64,256] [--json out.json] [--stored 1000000] [--trace] [--profile]';

/** @param {string} name @param {string} text @param {number} max @param {string} [usageText] usage to show */
export function readPositive(name, text, max, usageText = usage) {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max)
    throw new Problem(`--${name} takes integers from 1 to ${max}: ${usageText}`);
  return value;
}

/**
 * Reads the length of one measurement. A part of a second is for trying out the run itself.
 * @param {string} text
 * @param {string} [usageText] usage to show
 */
export function readSeconds(text, usageText = usage) {
  const value = Number(text);
  if (!/^\d+(\.\d)?$/.test(text) || value === 0 || value > SECONDS_MAX)
    throw new Problem(`--secs takes seconds from 0.1 to ${SECONDS_MAX}: ${usageText}`);
  return value;
}

/**
 * @param {readonly string[]} args
 * @returns {Options}
 * @throws {Problem} naming the option that is wrong
 */
export function readOptions(args) {
  const declared = /** @type {const} */ ({
    secs: { type: 'string', default: '3' },
    reps: { type: 'string', default: '3' },
    conc: { type: 'string', default: '1,16,64,256' },
    json: { type: 'string' },
    profile: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    stored: { type: 'string' },
  });
  let values;
  try {
    ({ values } = parseArgs({ args: [...args], options: declared, strict: true }));
  } catch (error) {
    throw new Problem(`${/** @type {Error} */ (error).message}: ${usage}`);
  }
  const conc = values.conc.split(',').map((text) => readPositive('conc', text, CONCURRENCY_MAX));
  if (new Set(conc).size !== conc.length) throw new Problem(`--conc names a number twice: ${usage}`);
  return {
    secs: readSeconds(values.secs),
    reps: readPositive('reps', values.reps, 20),
    conc,
    json: values.json,
    profile: values.profile,
    trace: values.trace,
    stored: values.stored === undefined ? 0 : readPositive('stored', values.stored, STORED_MAX),
  };
}
