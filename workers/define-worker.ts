/**
 * A pool: one folder, one queue, one Procfile line. Hints make it fast, its sweep over MongoDB makes it certain: whatever a
 * hint would have started is found and done without one, slower.
 */
import type { JobDefinition } from '../shared/queue/define-job.js';

/** A job name with what handles it; the payload was checked against the job's schema. */
export interface PoolJob {
  readonly name: string;
  readonly schema: JobDefinition<unknown>['schema'];
  handle(payload: unknown, delivery: Delivery): Promise<void>;
}

/** How a hint came. */
export interface Delivery {
  /**
   * No other process can have been given the same job: the connection to Redis was not lost during the lease of a first hint. A
   * Redis that lost its last second, or failed over, hands jobs out again, and breaks every connection when it does.
   */
  readonly alone: boolean;
}

/** Types the handler by its job. */
export function onJob<Payload>(
  job: JobDefinition<Payload>,
  handle: (payload: Payload, delivery: Delivery) => Promise<void>,
): PoolJob {
  return { name: job.name, schema: job.schema as PoolJob['schema'], handle: handle as PoolJob['handle'] };
}

export interface Pool {
  readonly name: string;
  /** Empty for a pool that time alone drives. */
  readonly jobs: readonly PoolJob[];
  /** Finds due work and does it or hints at it; `more` asks for the next sweep at once. */
  sweep(): Promise<{ readonly found: number; readonly more: boolean }>;
  /** Stops taking work and gives back what was not started. */
  close(): Promise<void>;
}
