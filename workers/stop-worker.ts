/** The graceful end of a worker process. */
import type { RestoreWatch } from '../shared/store/restore-watch.js';
import type { RunningPool } from './run-pool.js';

export interface WorkerParts {
  readonly clock: { stop(): void };
  readonly watch: Pick<RestoreWatch, 'stop'>;
  readonly pools: readonly Pick<RunningPool, 'stop'>[];
  /** What pools need until they have stopped, in the order in which it is closed. */
  readonly rest: readonly (() => Promise<unknown>)[];
}

/**
 * Pools stop first: a look that MongoDB does not answer would take the time that they have for what runs, and the mark moves as long as
 * they may send.
 */
export async function stopWorker({ clock, watch, pools, rest }: WorkerParts): Promise<void> {
  clock.stop();
  await Promise.all(pools.map((pool) => pool.stop()));
  await watch.stop();
  for (const close of rest) await close();
}
