/** Runs one pool: a BullMQ worker for its nudges and a plain timer for its sweep (docs/reliability.md, decisions 3 and 4). */
import { type Job, Worker } from 'bullmq';
import { limits } from '../config/limits.js';
import { within } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';
import { nudgesOf, queuePrefix } from '../shared/queue/nudges.js';
import { createPatientRedis } from '../shared/queue/redis.js';
import { watchUnbroken } from '../shared/queue/unbroken.js';
import type { Pool, PoolJob } from './pool.js';

interface RunOptions {
  readonly redisUrl: string;
  readonly redisPrefix: string;
  readonly concurrency: number;
  /** Whether the process may take work: not while the clock of its machine is off or its database looks restored. Absent: always. */
  readonly mayTakeWork?: () => boolean;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
}

export interface RunningPool {
  readonly name: string;
  /** Stops taking work and waits up to `limits.poolCloseMs` for the work in progress. */
  stop(): Promise<void>;
}

/** Counts the work that runs at once in this pool. Jobs cannot be counted instead: a job may carry several nudges. */
interface Slots {
  /** Resolves when a slot is free, and takes it. */
  take(): Promise<void>;
  give(): void;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
}

function createSlots(max: number): Slots {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const idle: (() => void)[] = [];
  return {
    take: () => {
      if (taken >= max) return new Promise((resolve) => waiting.push(resolve));
      taken += 1;
      return Promise.resolve();
    },
    give: () => {
      const next = waiting.shift();
      if (next) return next();
      taken -= 1;
      if (taken === 0) for (const done of idle.splice(0)) done();
    },
    idle: () => (taken === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}

type Nudge = ReturnType<typeof nudgesOf>[number];

/** Checks a payload again as when it was added: a job from elsewhere, or from another release, is refused. */
function accepted(
  jobs: ReadonlyMap<string, PoolJob>,
  nudge: Nudge,
  { log, metrics }: Pick<RunOptions, 'log' | 'metrics'>,
): PoolJob | undefined {
  const known = jobs.get(nudge.name);
  if (known && !known.schema.validate(nudge.data, { convert: false }).error) return known;
  metrics.event('job-refused');
  log.error('job.refused', { job: nudge.name, reason: known ? 'its payload does not fit' : 'no such job' });
  return undefined;
}

interface RunningWorker {
  /** Starts or stops taking jobs. */
  admit(jobs: boolean): void;
  close(): Promise<void>;
}

const always = () => true;

function startWorker(pool: Pool, options: RunOptions): RunningWorker {
  if (pool.jobs.length === 0) return { admit: () => undefined, close: async () => undefined };
  const { log, mayTakeWork = always } = options;
  const jobs = new Map(pool.jobs.map((job) => [job.name, job]));
  const connection = createPatientRedis(options.redisUrl, log);
  const slots = createSlots(options.concurrency);
  const unbrokenMs = watchUnbroken(connection);
  const start = async (nudge: Nudge) => {
    const known = accepted(jobs, nudge, options);
    if (!known) return;
    await slots.take();
    void known
      .handle(nudge.data, { handedOutOnce: unbrokenMs() > limits.storedClaimLeaseMs })
      .catch((error) => log.warn('job.failed', { pool: pool.name, job: nudge.name, error }))
      .finally(slots.give);
  };
  // A job ends when all its nudges have begun: one slow call must not hold the places of fifteen others. If the process is killed after
  // that, the sweep finds the work.
  let closing = false;
  const take = async (job: Job) => {
    for (const nudge of nudgesOf(job)) if (!closing && mayTakeWork()) await start(nudge);
  };
  const worker = new Worker(pool.name, take, {
    connection,
    prefix: queuePrefix(options.redisPrefix, pool.name),
    concurrency: Math.min(options.concurrency, limits.poolJobsHeldMax),
    lockDuration: limits.jobLockMs,
    stalledInterval: limits.jobStalledCheckMs,
    maxStalledCount: 1,
    // Commands that Redis refuses during a failover are sent again after this time.
    runRetryDelay: limits.redisReconnectMsMax,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', (error) => log.debug('worker.error', { pool: pool.name, error }));
  worker.on('failed', (job, error) => log.warn('job.failed', { pool: pool.name, job: job?.name ?? '', error }));
  return {
    admit(jobs) {
      if (jobs === !worker.isPaused() || closing) return;
      const changed = jobs ? worker.resume() : worker.pause(true);
      changed.catch((error: unknown) => log.warn('worker.not-paused', { pool: pool.name, error }));
    },
    close: async () => {
      // Nudges that were taken but have not begun are left to the sweep of another process.
      closing = true;
      // Without Redis, closing would wait for a connection. Work that has begun is awaited below.
      const isAway = connection.status !== 'ready';
      await worker.close(isAway).catch((error: unknown) => log.debug('worker.error', { pool: pool.name, error }));
      await slots.idle();
      connection.disconnect();
    },
  };
}

function startSweep(pool: Pool, worker: RunningWorker, options: RunOptions): { stop(): Promise<void> } {
  const { log, mayTakeWork = always } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const sweep = async () => {
    let more = false;
    const working = mayTakeWork();
    worker.admit(working);
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

export function runPool(pool: Pool, options: RunOptions): RunningPool {
  const worker = startWorker(pool, options);
  const sweep = startSweep(pool, worker, options);
  return {
    name: pool.name,
    stop: async () => {
      const ended = sweep.stop().then(() => pool.idle?.());
      const quiet = Promise.all([pool.quiesce?.(), worker.close(), ended]);
      await within(limits.poolCloseMs, quiet, () => undefined);
      await pool.close();
    },
  };
}
