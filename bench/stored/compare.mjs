/** `npm run stored`: measures the same gateway over an empty and a filled database, each with separate servers, in turns. */
import { writeFileSync } from 'node:fs';
import { runCommandWithCleanup, takeLock } from '../cleanup.mjs';
import { clearFolders, folders, prepareEnvironment } from '../environment.mjs';
import { startGateway } from '../gateway.mjs';
import { comparePairs, renderPairs } from '../pairs.mjs';
import { measureSides } from '../sides.mjs';
import { readCompareOptions } from './compare-options.mjs';
import { judgePairs } from './judge-pairs.mjs';
import { openStored, STORED_CACHE_GB } from './open-stored.mjs';

/**
 * @param {import('./compare-options.mjs').CompareOptions} options
 * @param {import('../../scripts/setup/progress.mjs').Progress} progress
 * @param {import('../cleanup.mjs').Cleanup} cleanup
 * @param {AbortSignal} signal
 * @returns {Promise<[import('../sides.mjs').Side, import('../sides.mjs').Side]>}
 */
async function openSides(options, progress, cleanup, signal) {
  const filled = await openStored(options, progress, cleanup, signal);
  await clearFolders(folders);
  const environment = await prepareEnvironment(progress, signal, cleanup.servers, {
    folders,
    cacheGb: STORED_CACHE_GB,
  });
  // Both databases are restored to the state in which they were found. Only then the servers end.
  cleanup.environment = {
    ...environment,
    drop: async () => {
      await filled.environment.drop();
      await environment.drop();
    },
    stop: async () => {
      await environment.stop();
      await filled.environment.stop();
    },
  };
  const gateway = await progress.step('Starting the gateway over an empty database', () =>
    startGateway(environment, { signal, running: cleanup.gateway }),
  );
  return [
    { name: 'empty', environment, gateway, answers: {} },
    { name: 'filled', ...filled, answers: filled.paid > 0 ? { 200: filled.paid } : {} },
  ];
}

/**
 * @param {import('./compare-options.mjs').CompareOptions} options
 * @param {import('../../scripts/setup/progress.mjs').Progress} progress
 * @param {import('../cleanup.mjs').Cleanup} cleanup
 * @param {AbortSignal} signal
 */
async function compare(options, progress, cleanup, signal) {
  takeLock('npm run stored');
  return measureSides(await openSides(options, progress, cleanup, signal), options, progress, cleanup);
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export const runCompare = (args) =>
  runCommandWithCleanup(async ({ progress, cleanup, signal }) => {
    const options = readCompareOptions(args);
    const { pairs, violations } = await compare(options, progress, cleanup, signal);
    const rows = comparePairs(pairs);
    const verdict = judgePairs(pairs, violations);
    console.log(`\nc=${options.conc}, ${options.stored} payments stored; medians, ratios within pairs`);
    console.log(`${renderPairs(rows, ['empty', 'filled'])}\n`);
    console.log(
      violations.length === 0 ? 'every payment is accounted for' : violations.map((one) => `  - ${one}`).join('\n'),
    );
    console.log(verdict.text);
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ verdict, violations, rows, pairs }, null, 2)}\n`);
    return verdict.exitCode;
  });
