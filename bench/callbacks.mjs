/**
 * Runs `npm run callbacks`: stores callbacks that are due and lets one process of the pool `callback` send them to receivers on
 * this machine. Then checks the result: each callback once, in order per payment, never more at once than the limits.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/setup/paths.mjs';
import { freePort } from '../scripts/setup/ports.mjs';
import { launch } from '../scripts/setup/program.mjs';
import { measureRound } from './callback-round.mjs';
import { readCallbackOptions } from './callbacks-options.mjs';
import { startChild } from './child.mjs';
import { runCommandWithCleanup, takeLock } from './cleanup.mjs';
import { clearFolders, folders, prepareEnvironment, withMongo } from './environment.mjs';
import { gatewayEnvironment, STOP_MS } from './gateway.mjs';
import { openServerWork } from './measure/server-work.mjs';
import { renderDead, renderMedians, renderRatio, renderRound } from './report-callbacks.mjs';
import { withDatabase } from './with-database.mjs';

/** @typedef {import('./callbacks-options.mjs').CallbackOptions} CallbackOptions */
/** @typedef {import('./callback-round.mjs').Round} Round */
/** @typedef {{ name: string, env: NodeJS.ProcessEnv, pid: number, rounds: Round[], deadRounds: Round[] }} Subject */

/** Rounds that only warm the process up. */
const WARM_UPS = 1;

/**
 * @param {CallbackOptions} options
 * @param {import('../scripts/setup/progress.mjs').Progress} progress
 * @param {import('./cleanup.mjs').Cleanup} cleanup
 * @param {AbortSignal} signal
 */
async function measure(options, progress, cleanup, signal) {
  takeLock('npm run callbacks');
  await clearFolders(folders);
  mkdirSync(folders.data, { recursive: true });
  const environment = await prepareEnvironment(progress, signal, cleanup.servers);
  cleanup.environment = environment;
  const env = await gatewayEnvironment(environment);
  const receivers = await startChild(new URL('./load/receivers.mjs', import.meta.url), {
    env,
    log: join(folders.logs, 'receivers.log'),
  });
  cleanup.children.push(receivers);
  const ports = await receivers.run({ open: { hosts: options.hosts, answerMs: options.answerMs } });

  /** Starts a process with its own database, so that it has nothing to do in the rounds of the others. @returns {Promise<Subject>} */
  const start = async (/** @type {string} */ name, /** @type {string} */ dist, /** @type {string} */ uri) => {
    const own = { ...env, MONGODB_URI: uri, REDIS_PREFIX: `${environment.prefix}-${name}` };
    const profile = options.profile
      ? ['--cpu-prof', '--cpu-prof-dir', folders.logs, '--cpu-prof-name', `${name}.cpuprofile`]
      : [];
    const process_ = launch(
      {
        name,
        command: process.execPath,
        args: [...profile, join(dist, 'workers/run.js'), 'callback'],
        env: { ...own, OPERATOR_PORT: String(await freePort()) },
        stopWithinMs: STOP_MS,
      },
      folders,
    );
    cleanup.gateway.push(process_);
    await process_.ready;
    return { name, env: own, pid: process_.pid, rounds: [], deadRounds: [] };
  };
  const subjects = [await start('here', join(root, 'dist'), environment.mongodbUri)];
  for (const [n, dist] of options.beside.entries()) {
    const own = withDatabase(environment.mongodbUri, `bench_${randomBytes(6).toString('hex')}`);
    subjects.push(await start(n === 0 ? 'beside' : `beside${n + 1}`, dist, own));
  }

  const serverWork = await openServerWork(environment);
  const context = { receivers, ports, pids: { ...environment.pids, receivers: receivers.pid }, serverWork };
  /** @type {string[]} */
  const violations = [];
  for (let repetition = -WARM_UPS; repetition < options.reps; repetition += 1) {
    const cells = subjects.flatMap((subject) =>
      (options.dead ? [undefined, options.dead] : [undefined]).map((dead) => ({ subject, dead })),
    );
    for (const { subject, dead } of repetition % 2 === 0 ? cells : cells.toReversed()) {
      const name = `${subject.name}${repetition + WARM_UPS}${dead ? 'd' : ''}`;
      const measured = await measureRound(subject, name, options, context, dead);
      violations.push(...measured.violations.map((text) => `${name}: ${text}`));
      if (repetition >= 0) (dead ? subject.deadRounds : subject.rounds).push(measured.round);
      const title = `${subject.name}${dead ? ' with a dead host' : ''}${repetition < 0 ? ' (warm-up)' : ''}`;
      progress.print(`  ${title}: ${renderRound(measured.round)}`);
    }
  }
  await serverWork.close();
  for (const { env: own } of subjects.slice(1)) {
    await withMongo(String(own.MONGODB_URI), (client) => client.db().dropDatabase());
  }
  return { subjects: subjects.map(({ name, rounds, deadRounds }) => ({ name, rounds, deadRounds })), violations };
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export const runCallbacks = (args) =>
  runCommandWithCleanup(async ({ progress, cleanup, signal }) => {
    const options = readCallbackOptions(args);
    const { subjects, violations } = await measure(options, progress, cleanup, signal);
    for (const { name, rounds, deadRounds } of subjects) {
      console.log(renderMedians(name, rounds, options.hosts));
      if (options.dead) console.log(renderDead(options.dead, rounds, deadRounds));
    }
    const [here, ...others] = subjects;
    for (const { name, rounds } of others) console.log(renderRatio(here?.rounds ?? [], name, rounds));
    console.log(violations.length === 0 ? 'each came once, in order, within the limits' : violations.join('\n'));
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ options, subjects, violations }, null, 2)}\n`);
    return violations.length === 0 ? 0 : 1;
  });
