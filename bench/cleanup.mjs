/** Ends everything that a run has started, however the run ends. */
import { join } from 'node:path';
import { tryLock } from '../scripts/setup/lock.mjs';
import { local, root } from '../scripts/setup/paths.mjs';
import { explain, Problem, Stopped } from '../scripts/setup/problem.mjs';
import { createProgress } from '../scripts/setup/progress.mjs';
import { aborted, stopSignals } from '../scripts/setup/stop-signals.mjs';

/** @typedef {import('../scripts/setup/program.mjs').Running} Running */

/** The processes and data of a run that have to be ended and removed. */
export class Cleanup {
  /** @type {Running[]} */ servers = [];
  /** @type {Running[]} */ gateway = [];
  /** @type {import('./child.mjs').Child[]} */ children = [];
  /** @type {import('./environment.mjs').Environment | undefined} */ environment;

  async gracefully() {
    for (const child of this.children) child.end();
    await Promise.all(this.gateway.map((process) => process.stop()));
    await this.environment?.drop().catch((error) => console.error(`What was stored is left behind: ${error.message}`));
    await this.environment?.stop();
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  atOnce() {
    for (const child of this.children) child.end();
    for (const process of [...this.gateway, ...this.servers]) process.kill('SIGKILL');
  }
}

/** Allows one run at a time in this folder. @param {string} commandLine the command as it is typed @throws {Problem} when another one runs */
export function takeLock(commandLine) {
  const lock = tryLock(join(local, 'bench.lock'));
  if (lock.held) return;
  throw new Problem(`\`${commandLine}\` cannot run beside process ${lock.by.pid}: two would measure one another.`);
}

/**
 * Runs a benchmark command from start to end. Ctrl-C or an error ends everything that it has started. An error is explained.
 * @param {(given: { progress: import('../scripts/setup/progress.mjs').Progress, cleanup: Cleanup, signal: AbortSignal }) => Promise<number>} command
 *   returns its exit code
 * @returns {Promise<number>} exit code
 */
export async function runCommandWithCleanup(command) {
  const progress = createProgress();
  const cleanup = new Cleanup();
  const signal = stopSignals(() => cleanup.atOnce());
  process.once('exit', () => cleanup.atOnce());
  let exitCode = 1;
  try {
    const stopped = aborted(signal).then(() => Promise.reject(new Stopped()));
    exitCode = await Promise.race([command({ progress, cleanup, signal }), stopped]);
  } catch (error) {
    if (!signal.aborted && !(error instanceof Stopped)) console.error(`\n${explain(error, root)}`);
  }
  await cleanup.gracefully();
  return signal.aborted ? 130 : exitCode;
}
