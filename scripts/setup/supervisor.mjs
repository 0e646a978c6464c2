/** Keeps processes running as a Procfile supervisor does: a process that ends is started again, unless it keeps ending at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, Stopped } from './problem.mjs';
import { describeExit, launch, withLog } from './program.mjs';

const QUICK_MS = 5_000;
const QUICK_DEATHS_MAX = 3;
const BACKOFF_MS = [500, 1_000, 2_000, 5_000, 10_000];

/**
 * Decides what to do about a process that ended by itself.
 * @param {readonly number[]} livesMs how long it ran each time, the latest last
 * @returns {{ startAfterMs: number } | { giveUp: true }}
 */
export function planRestart(livesMs) {
  const long = livesMs.findLastIndex((lived) => lived >= QUICK_MS);
  const quickDeaths = livesMs.length - 1 - long;
  if (quickDeaths >= QUICK_DEATHS_MAX) return { giveUp: true };
  return { startAfterMs: BACKOFF_MS[Math.min(quickDeaths, BACKOFF_MS.length - 1)] ?? 0 };
}

/**
 * @typedef {object} Supervisor
 * @property {(program: Program) => Promise<void>} start resolves when the process is ready the first time; rejects with a
 *   {@link Problem} when it keeps ending or does not become ready
 * @property {Promise<never>} failed rejects when a process that was started keeps ending
 * @property {() => void} nextGroup begins a new group: its processes are stopped before those started until now
 * @property {() => Promise<void>} stop ends all processes, the latest group first
 * @property {() => void} kill ends all processes at once, without waiting
 */

/** @typedef {import('./program.mjs').Program} Program */
/** @typedef {import('./program.mjs').Running} Running */
/** @typedef {import('./paths.mjs').Folders} Folders */

/** A process under supervision: its current launch, and the loop that replaces it. */
class SupervisedProcess {
  /** @type {Running} */
  #running;
  /** @type {number[]} */
  #livesMs = [];
  #stopping = new AbortController();
  #served = false;
  /** @type {(problem: unknown) => void} */
  #notReady = () => {};
  /** @type {Promise<void>} */
  #loop = Promise.resolve();
  /** Resolves when the process serves for the first time. @type {Promise<void>} */
  ready;

  /** @param {Program} program @param {Folders} folders @param {(text: string) => void} onRestart */
  constructor(program, folders, onRestart) {
    this.program = program;
    this.folders = folders;
    this.onRestart = onRestart;
    this.#running = launch(program, folders);
    /** @type {(problem: unknown) => void} */
    let fail = () => {};
    /** Rejects when the process is given up. @type {Promise<never>} */
    this.failed = new Promise((_, reject) => {
      fail = reject;
    });
    this.failed.catch(() => {});
    this.ready = new Promise((resolve, reject) => {
      this.failed.catch(reject);
      this.#notReady = reject;
      this.#loop = this.#supervise(resolve).catch(fail);
    });
    this.ready.catch(() => {});
  }

  /** @param {() => void} onReady */
  async #supervise(onReady) {
    for (;;) {
      const running = this.#running;
      const neverReady = running.ready.then(onReady).then(() => {
        this.#served = true;
        return running.exited;
      });
      // The loop continues when the process ends, ready or not. A process that runs but is not ready in time is a failure by itself.
      const exit = await Promise.race([running.exited, neverReady]);
      if (this.#stopping.signal.aborted) return;
      const other = this.#served ? undefined : await this.program.nextProgram?.();
      if (other) this.program = other;
      else await this.#backOff(exit);
      if (this.#stopping.signal.aborted) return;
      this.#running = launch(this.program, this.folders);
    }
  }

  /** @param {import('./program.mjs').Exit} exit */
  async #backOff(exit) {
    const { name } = this.program;
    const known = this.program.explainExit?.(exit);
    if (known) throw new Problem(known);
    this.#livesMs.push(exit.livedMs);
    const plan = planRestart(this.#livesMs);
    if ('giveUp' in plan) {
      const sentence = `${name} ended ${QUICK_DEATHS_MAX} times in a row (${describeExit(exit)}).`;
      throw new Problem(withLog(sentence, this.folders.logs, name));
    }
    this.onRestart(`${name} ended (${describeExit(exit)}) and is started again`);
    await sleep(plan.startAfterMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  async stop() {
    this.#stopping.abort();
    this.#notReady(new Stopped());
    await this.#running.stop();
    await this.#loop;
  }

  kill() {
    this.#stopping.abort();
    this.#running.kill('SIGKILL');
  }
}

/**
 * @param {Folders} folders
 * @param {(text: string) => void} onRestart called at every restart
 * @returns {Supervisor}
 */
export function createSupervisor(folders, onRestart) {
  /** @type {SupervisedProcess[][]} */
  const groups = [[]];
  let ending = false;
  /** @type {(problem: unknown) => void} */
  let fail = () => {};
  /** @type {Promise<never>} */
  const failed = new Promise((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  return {
    failed,
    start: async (program) => {
      if (ending) throw new Stopped();
      const supervised = new SupervisedProcess(program, folders, onRestart);
      groups.at(-1)?.push(supervised);
      supervised.failed.catch(fail);
      await supervised.ready;
    },
    nextGroup: () => {
      groups.push([]);
    },
    stop: async () => {
      ending = true;
      for (const group of groups.toReversed()) await Promise.all(group.map((kept) => kept.stop()));
    },
    kill: () => {
      ending = true;
      for (const kept of groups.flat()) kept.kill();
    },
  };
}
