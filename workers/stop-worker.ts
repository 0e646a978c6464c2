/** Stops a worker process gracefully. */
import type { RestoreWatch } from '../shared/store/restore-watch.js';
import type { RunningPool } from './run-pool.js';

export interface WorkerParts {
  readonly clock: { stop(): void };
  readonly watch: Pick<RestoreWatch, 'stop'>;
  readonly pools: readonly Pick<RunningPool, 'stop'>[];
  /** Closes what pools need until they have stopped, in this order. */
  readonly rest: readonly (() => Promise<unknown>)[];
}

/**
 * Stops pools first: a look at the restore mark that MongoDB does not answer would use up the time that pools have for work in progress,
 * and the mark has to move as long as pools may send.
 */
export async function stopWorker({ clock, watch, pools, rest }: WorkerParts): Promise<void> {
  clock.stop();
  await Promise.all(pools.map((pool) => pool.stop()));
  await watch.stop();
  for (const close of rest) await close();
}
