/** `npm run beside`: compares this checkout's gateway with another compiled one over the same servers, in turns. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Problem } from '../scripts/setup/problem.mjs';
import { runCommandWithCleanup, takeLock } from './cleanup.mjs';
import { clearFolders, folders, prepareEnvironment, withMongo } from './environment.mjs';
import { startGateway } from './gateway.mjs';
import { readPositive, readSeconds } from './options.mjs';
import { comparePairs, renderPairs } from './pairs.mjs';
import { measureSides } from './sides.mjs';
import { withDatabase } from './with-database.mjs';

/**
 * @typedef {object} BesideOptions
 * @property {string} dist the other compiled folder
 * @property {number} secs length of one measurement (s)
 * @property {number} reps number of pairs
 * @property {number} conc calls in flight
 * @property {string | undefined} nodeOptions `NODE_OPTIONS` of the other gateway; flags of the Procfile take precedence
 * @property {string | undefined} json file for the whole result
 */

const usage = 'npm run beside -- <other/dist> [--secs 3] [--reps 8] [--conc 64] [--node-options=...] [--json out.json]';

/**
 * @param {readonly string[]} args
 * @returns {BesideOptions}
 * @throws {Problem} naming what is wrong
 */
export function readBesideOptions(args) {
  const declared = /** @type {const} */ ({
    secs: { type: 'string', default: '3' },
    reps: { type: 'string', default: '8' },
    conc: { type: 'string', default: '64' },
    'node-options': { type: 'string' },
    json: { type: 'string' },
  });
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: declared, allowPositionals: true, strict: true });
  } catch (error) {
    throw new Problem(`${/** @type {Error} */ (error).message}: ${usage}`);
  }
  const { values, positionals } = parsed;
  const [dist, ...more] = positionals;
  if (dist === undefined || more.length > 0) throw new Problem(`Name one other compiled folder: ${usage}`);
  return {
    dist: resolve(dist),
    secs: readSeconds(values.secs, usage),
    reps: readPositive('reps', values.reps, 50, usage),
    conc: readPositive('conc', values.conc, 1_000, usage),
    nodeOptions: values['node-options'],
    json: values.json,
  };
}

/**
 * Starts a gateway over the servers of the run, with a separate database, Redis prefix and books.
 * @param {import('./environment.mjs').Environment} environment
 * @param {{ name: string, dist?: string, nodeOptions?: string | undefined }} side
 * @param {{ signal: AbortSignal, running: import('../scripts/setup/program.mjs').Running[] }} options
 * @returns {Promise<import('./sides.mjs').Side>}
 */
async function openSide(environment, { name, dist, nodeOptions }, options) {
  const data = join(environment.folders.data, name);
  mkdirSync(data, { recursive: true });
  const database = `bench_${randomBytes(6).toString('hex')}`;
  const own = {
    ...environment,
    mongodbUri: withDatabase(environment.mongodbUri, database),
    prefix: database.replace('_', '-'),
    folders: { ...environment.folders, data },
  };
  const gateway = await startGateway(own, {
    ...options,
    label: `${name}-`,
    ...(dist !== undefined && { dist }),
    ...(nodeOptions !== undefined && { settings: { NODE_OPTIONS: nodeOptions } }),
  });
  return { name, environment: own, gateway, answers: {} };
}

/**
 * @param {BesideOptions} options
 * @param {import('../scripts/setup/progress.mjs').Progress} progress
 * @param {import('./cleanup.mjs').Cleanup} cleanup
 * @param {AbortSignal} signal
 */
async function measure(options, progress, cleanup, signal) {
  takeLock('npm run beside');
  if (!existsSync(join(options.dist, 'api', 'main.js')))
    throw new Problem(`${options.dist} holds no compiled gateway.`);
  await clearFolders(folders);
  const environment = await prepareEnvironment(progress, signal, cleanup.servers);
  cleanup.environment = environment;
  const started = { signal, running: cleanup.gateway };
  const other = await progress.step('Starting the other gateway', () =>
    openSide(environment, { name: 'other', dist: options.dist, nodeOptions: options.nodeOptions }, started),
  );
  const here = await progress.step('Starting this one', () => openSide(environment, { name: 'here' }, started));
  const measured = await measureSides([other, here], options, progress, cleanup);
  for (const { environment: own } of [other, here]) {
    await withMongo(own.mongodbUri, (client) => client.db().dropDatabase());
  }
  return measured;
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export const runBeside = (args) =>
  runCommandWithCleanup(async ({ progress, cleanup, signal }) => {
    const options = readBesideOptions(args);
    const { pairs, violations } = await measure(options, progress, cleanup, signal);
    const rows = comparePairs(pairs);
    console.log(`\nc=${options.conc}, ${pairs.length} pairs of ${options.secs} s; medians, ratios within pairs`);
    console.log(`${renderPairs(rows, ['other', 'here'])}\n`);
    console.log(
      violations.length === 0 ? 'every payment is accounted for' : violations.map((one) => `  - ${one}`).join('\n'),
    );
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ violations, rows, pairs }, null, 2)}\n`);
    return violations.length === 0 ? 0 : 1;
  });
