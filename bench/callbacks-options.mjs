/** Command line of `npm run callbacks`. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Problem } from '../scripts/setup/problem.mjs';
import { readPositive } from './options.mjs';

/**
 * @typedef {object} CallbackOptions
 * @property {number} count callbacks per round
 * @property {number} reps rounds
 * @property {number} hosts
 * @property {number} clients
 * @property {number} answerMs how long a receiver takes (ms)
 * @property {readonly string[]} beside other compiled `dist` folders, measured in turns with this one
 * @property {'hangs' | 'refuses' | undefined} dead each round is also measured with one more host, which is dead in this way
 * @property {boolean} profile writes a CPU profile of the process
 * @property {string | undefined} json file for the whole result
 */

const usage =
  'npm run callbacks -- [--count 6000] [--reps 3] [--hosts 8] [--clients 16] [--answer-ms 0] [--beside other/dist]… [--dead hangs|refuses] [--profile] [--json out.json]';

/**
 * @param {readonly string[]} args
 * @returns {CallbackOptions}
 * @throws {Problem} naming the option that is wrong
 */
export function readCallbackOptions(args) {
  const declared = /** @type {const} */ ({
    count: { type: 'string', default: '6000' },
    reps: { type: 'string', default: '3' },
    hosts: { type: 'string', default: '8' },
    clients: { type: 'string', default: '16' },
    'answer-ms': { type: 'string' },
    beside: { type: 'string', multiple: true },
    dead: { type: 'string' },
    profile: { type: 'boolean', default: false },
    json: { type: 'string' },
  });
  let values;
  try {
    ({ values } = parseArgs({ args: [...args], options: declared, strict: true }));
  } catch (error) {
    throw new Problem(`${/** @type {Error} */ (error).message}: ${usage}`);
  }
  const { dead, 'answer-ms': answerMs } = values;
  if (dead !== undefined && dead !== 'hangs' && dead !== 'refuses')
    throw new Problem(`--dead hangs or refuses: ${usage}`);
  return {
    count: readPositive('count', values.count, 1_000_000, usage),
    reps: readPositive('reps', values.reps, 20, usage),
    hosts: readPositive('hosts', values.hosts, 64, usage),
    clients: readPositive('clients', values.clients, 1_000, usage),
    answerMs: answerMs === undefined ? 0 : readPositive('answer-ms', answerMs, 10_000, usage),
    beside: (values.beside ?? []).map((path) => resolve(path)),
    dead,
    profile: values.profile,
    json: values.json,
  };
}
