/** Runs one pool: a BullMQ worker for its hints and a plain timer for its sweep (docs/reliability.md, decisions 3 and 4). */
import { type Job, Worker } from 'bullmq';
import { limits } from '../config/limits.js';
import { queuePrefix } from '../shared/jobs/hints.js';
import type { Log } from '../shared/log.js';
import { createPatientRedis } from '../shared/queue/redis.js';
import type { Pool, PoolJob } from './define-worker.js';

interface RunOptions {
  readonly redisUrl: string;
  readonly redisPrefix: string;
  readonly concurrency: number;
  readonly log: Log;
}

export interface RunningPool {
  readonly name: string;
  /** Stops taking work, waits up to `limits.poolCloseMs` for what runs. */
  stop(): Promise<void>;
}

/** Checks a payload as it was checked when it was added: a job from elsewhere, or of another release, is refused. */
async function handleJob(jobs: ReadonlyMap<string, PoolJob>, job: Job, log: Log): Promise<void> {
  const known = jobs.get(job.name);
  const error = known ? known.schema.validate(job.data, { convert: false }).error : undefined;
  if (!known || error) {
    log.error('job.refused', { job: job.name, reason: known ? 'its payload does not fit' : 'no such job' });
    return;
  }
  await known.handle(job.data);
}

function startWorker(pool: Pool, options: RunOptions): { close(): Promise<void> } {
  if (pool.jobs.length === 0) return { close: async () => undefined };
  const { log } = options;
  const jobs = new Map(pool.jobs.map((job) => [job.name, job]));
  const connection = createPatientRedis(options.redisUrl, log);
  const worker = new Worker(pool.name, (job) => handleJob(jobs, job, log), {
    connection,
    prefix: queuePrefix(options.redisPrefix, pool.name),
    concurrency: options.concurrency,
    lockDuration: limits.jobLockMs,
    stalledInterval: limits.jobStalledCheckMs,
    maxStalledCount: 1,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', (error) => log.debug('worker.error', { pool: pool.name, error }));
  worker.on('failed', (job, error) => log.warn('job.failed', { pool: pool.name, job: job?.name ?? '', error }));
  return {
    close: async () => {
      await worker.close().catch(() => undefined);
      connection.disconnect();
    },
  };
}

function startSweep(pool: Pool, log: Log): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const sweep = async () => {
    let more = false;
    try {
      ({ more } = await pool.sweep());
    } catch (error) {
      log.error('sweep.failed', { pool: pool.name, error });
    }
    // Jitter keeps several processes of a pool from sweeping in step.
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

export function runPool(pool: Pool, options: RunOptions): RunningPool {
  const worker = startWorker(pool, options);
  const sweep = startSweep(pool, options.log);
  return {
    name: pool.name,
    stop: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limits.poolCloseMs);
      });
      await Promise.race([Promise.all([worker.close(), sweep.stop()]), late]);
      clearTimeout(timer);
      await pool.close();
    },
  };
}
