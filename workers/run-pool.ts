/** Runs one pool: a worker that takes its nudges and a plain timer for its sweep (docs/reliability.md, decisions 3 and 4). */
import { limits } from '../config/limits.js';
import { within } from '../shared/clock.js';
import type { Pool } from './pool.js';
import { type TakeOptions, type TakingJobs, takeJobs } from './take-jobs.js';

export interface RunningPool {
  readonly name: string;
  /** Stops taking work and waits up to `limits.poolCloseMs` for the work in progress. */
  stop(): Promise<void>;
}

function startSweep(pool: Pool, taking: TakingJobs, options: TakeOptions): { stop(): Promise<void> } {
  const { log, mayTakeWork } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const sweep = async () => {
    let more = false;
    const working = mayTakeWork?.() ?? true;
    taking.admit(working);
    try {
      if (working) ({ more } = await pool.sweep());
    } catch (error) {
      log.error('sweep.failed', { pool: pool.name, error });
    }
    // Jitter keeps the processes of a pool from sweeping at the same time.
    if (!stopped) timer = setTimeout(start, more ? 0 : limits.sweepMs * (0.7 + 0.6 * Math.random()));
  };
  const start = () => {
    running = sweep();
  };
  start();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

export function runPool(pool: Pool, options: TakeOptions): RunningPool {
  const taking = takeJobs(pool, options);
  const sweep = startSweep(pool, taking, options);
  return {
    name: pool.name,
    stop: async () => {
      const ended = sweep.stop().then(() => pool.idle?.());
      const quiet = Promise.all([pool.quiesce?.(), taking.close(), ended]);
      await within(limits.poolCloseMs, quiet, () => undefined);
      await pool.close();
    },
  };
}
