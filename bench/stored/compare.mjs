/** `npm run stored`: the same gateway over an empty and over a filled database, each with servers of its own, in turns. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { audit } from '../audit.mjs';
import { createMeasurer } from '../cells.mjs';
import { startChild } from '../child.mjs';
import { takeLock, tell } from '../ending.mjs';
import { clearFolders, folders, prepareEnvironment } from '../environment.mjs';
import { startGateway } from '../gateway.mjs';
import { createLookup } from '../look-around.mjs';
import { openServerWork } from '../measure/server-work.mjs';
import { renderCell } from '../report.mjs';
import { warmUp } from '../warm-up.mjs';
import { readCompareOptions } from './compare-options.mjs';
import { openStored, STORED_CACHE_GB } from './open-stored.mjs';
import { comparePairs, judgePairs, renderPairs } from './pairs.mjs';

/** Longest that one side is warmed up, in measurements. */
const WARM_UP_CELLS = 6;
/** Noisy cells are measured again as long as the run is no longer than so many times its pairs. */
const AGAIN_FACTOR = 5;

/**
 * @typedef {object} Side
 * @property {'empty' | 'filled'} name
 * @property {import('../environment.mjs').Environment} environment
 * @property {import('../gateway.mjs').Gateway} gateway
 * @property {Record<string, number>} answers for the audit
 */

/**
 * @param {import('./compare-options.mjs').CompareOptions} options
 * @param {import('../../scripts/setup/progress.mjs').Progress} progress
 * @param {import('../ending.mjs').Ending} ending
 * @param {AbortSignal} signal
 * @returns {Promise<Side[]>}
 */
async function openSides(options, progress, ending, signal) {
  const filled = await openStored(options, progress, ending, signal);
  await clearFolders(folders);
  const environment = await prepareEnvironment(progress, signal, ending.servers, {
    folders,
    cacheGb: STORED_CACHE_GB,
  });
  // Both are left as they were found, and only then the servers end.
  ending.environment = {
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
    startGateway(environment, { signal, running: ending.gateway }),
  );
  return [
    { name: 'empty', environment, gateway, answers: {} },
    { name: 'filled', ...filled, answers: filled.paid > 0 ? { 200: filled.paid } : {} },
  ];
}

/** Pids of everything: those of a side by their names, those of the others so that they are not foreign. */
function pidsFor(
  /** @type {Side} */ side,
  /** @type {readonly Side[]} */ sides,
  /** @type {Record<string, number>} */ more,
) {
  const all = (/** @type {Side} */ { environment, gateway }) => ({ ...environment.pids, ...gateway.pids });
  const others = sides
    .filter((one) => one !== side)
    .flatMap((one) => Object.entries(all(one)).map(([name, pid]) => [`${one.name} ${name}`, pid]));
  return { ...all(side), ...Object.fromEntries(others), ...more };
}

/**
 * @param {import('./compare-options.mjs').CompareOptions} options
 * @param {import('../../scripts/setup/progress.mjs').Progress} progress
 * @param {import('../ending.mjs').Ending} ending
 * @param {AbortSignal} signal
 */
async function compare(options, progress, ending, signal) {
  const { secs, reps, conc } = options;
  takeLock('npm run stored');
  const sides = await openSides(options, progress, ending, signal);
  const load = await startChild(new URL('../load/load-client.mjs', import.meta.url), {
    env: sides[0]?.gateway.env ?? {},
    log: join(folders.logs, 'load-client.log'),
  });
  ending.children.push(load);
  const startedAt = performance.now();
  const subjects = [];
  for (const side of sides) {
    const { port, authorization, pids } = side.gateway;
    const { simulator: _notOurs, ...gateway } = pids;
    let runs = 0;
    const pay = async (/** @type {object} */ order) => {
      runs += 1;
      const report = await load.run({ conc, port, authorization, run: `${side.name}${runs}`, ...order });
      for (const [status, count] of Object.entries(report.answers)) {
        side.answers[status] = (side.answers[status] ?? 0) + Number(count);
      }
      return report;
    };
    await progress.step(`Warming up: ${side.name}`, () =>
      warmUp({ pids: { api: pids.api ?? 0, worker: pids.worker ?? 0 }, ms: WARM_UP_CELLS * secs * 1_000, run: pay }),
    );
    const work = await openServerWork(side.environment);
    const measure = createMeasurer({
      pids: pidsFor(side, sides, { bench: process.pid, load: load.pid }),
      gateway,
      load: (_subject, order) => pay(order),
      readWork: work.read,
      ms: secs * 1_000,
      giveUpAt: startedAt + AGAIN_FACTOR * reps * secs * 1_000,
    });
    subjects.push({ name: side.name, measure, close: work.close });
  }

  /** @type {import('./pairs.mjs').Pair[]} */
  const pairs = [];
  for (let repetition = 0; repetition < reps; repetition += 1) {
    /** @type {Partial<import('./pairs.mjs').Pair>} */
    const pair = {};
    for (const { name, measure } of repetition % 2 === 0 ? subjects : subjects.toReversed()) {
      const measured = await measure({ subject: 'gateway', conc }, repetition);
      pair[name] = measured;
      progress.say(`  ${renderCell(measured, name)}`);
    }
    pairs.push(/** @type {import('./pairs.mjs').Pair} */ (pair));
  }
  await Promise.all(subjects.map(({ close }) => close()));
  const violations = [];
  for (const { name, environment, gateway, answers } of sides) {
    const look = createLookup(environment, gateway, answers);
    const found = await progress.step(`Looking for lost payments: ${name}`, () => audit(look));
    violations.push(...found.map((text) => `${name}: ${text}`));
  }
  return { pairs, violations };
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export const runCompare = (args) =>
  tell(async ({ progress, ending, signal }) => {
    const options = readCompareOptions(args);
    const { pairs, violations } = await compare(options, progress, ending, signal);
    const rows = comparePairs(pairs);
    const verdict = judgePairs(pairs, violations);
    console.log(`\nc=${options.conc}, ${options.stored} payments stored; medians, ratios within pairs`);
    console.log(`${renderPairs(rows)}\n`);
    console.log(
      violations.length === 0 ? 'every payment is accounted for' : violations.map((one) => `  - ${one}`).join('\n'),
    );
    console.log(verdict.text);
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ verdict, violations, rows, pairs }, null, 2)}\n`);
    return verdict.exitCode;
  });
