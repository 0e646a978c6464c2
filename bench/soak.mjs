/** Runs `npm run soak`: makes payments for many minutes, reads memory meanwhile, looks for lost payments, judges. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { audit } from './audit.mjs';
import { startChild } from './child.mjs';
import { runCommandWithCleanup, takeLock } from './cleanup.mjs';
import { createFindingsReader } from './collect-findings.mjs';
import { clearFolders, folders, prepareEnvironment } from './environment.mjs';
import { startGateway } from './gateway.mjs';
import { limitsOf, watchMemory } from './measure/memory.mjs';
import { readSoakOptions } from './soak-options.mjs';
import { judgeSoak, renderSample, renderSoak } from './soak-verdict.mjs';

/** Number of memory samples and of printed lines. Shorter runs have as many. */
const SAMPLES = 60;
/** One payment in this many is declined. */
const DECLINE_EVERY = 20;

const memoryMb = limitsOf(JSON.parse(readFileSync(new URL('baseline.json', import.meta.url), 'utf8')).memoryMb);

/** @typedef {import('./soak-options.mjs').SoakOptions} SoakOptions */
/** @typedef {import('./soak-verdict.mjs').Sample} Sample */

/**
 * @param {SoakOptions} options
 * @param {import('../scripts/setup/progress.mjs').Progress} progress
 * @param {import('./cleanup.mjs').Cleanup} cleanup
 * @param {AbortSignal} signal
 */
async function soak({ secs, conc }, progress, cleanup, signal) {
  takeLock('npm run soak');
  await clearFolders(folders);
  const environment = await prepareEnvironment(progress, signal, cleanup.servers);
  cleanup.environment = environment;
  const started = { signal, profile: false, running: cleanup.gateway };
  const gateway = await progress.step('Starting the gateway', () => startGateway(environment, started));
  const load = await startChild(new URL('./load/load-client.mjs', import.meta.url), {
    env: gateway.env,
    log: join(folders.logs, 'load-client.log'),
  });
  cleanup.children.push(load);

  progress.print(`${secs} s of payments, ${conc} in flight`);
  const { port, authorization, pids } = gateway;
  const { simulator: _shared, ...watchedPids } = pids;
  const ms = (secs * 1_000) / SAMPLES;
  /** @type {Record<string, number>} */
  const answers = {};
  /** @type {Sample[]} */
  const samples = [];
  for (let at = 1; at <= SAMPLES; at += 1) {
    const memory = watchMemory(watchedPids);
    const order = { port, authorization, conc, ms, declineEvery: DECLINE_EVERY, run: `soak${at}` };
    const report = /** @type {import('./load/load-client.mjs').LoadReport} */ (await load.run(order));
    for (const [status, count] of Object.entries(report.answers)) answers[status] = (answers[status] ?? 0) + count;
    const sample = { atS: (at * ms) / 1_000, rate: report.rate, p99: report.p99, rssMb: memory.stop() };
    samples.push(sample);
    progress.print(`  ${renderSample(sample)}`);
  }
  const readFindings = createFindingsReader(environment, gateway, answers);
  const violations = await progress.step('Looking for lost payments', () => audit(readFindings));
  return { samples, answers, violations };
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export const runSoak = (args) =>
  runCommandWithCleanup(async ({ progress, cleanup, signal }) => {
    const options = readSoakOptions(args);
    const result = await soak(options, progress, cleanup, signal);
    const verdict = judgeSoak(result, memoryMb);
    console.log(`\n${renderSoak(result, memoryMb)}\n${verdict.text}`);
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ verdict, ...result }, null, 2)}\n`);
    return verdict.exitCode;
  });
