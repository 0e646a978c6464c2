/**
 * Takes the nudges of a pool from its queue with a BullMQ worker. A worker that no longer asks for jobs while Redis answers is replaced:
 * BullMQ closes and reopens the connection on which it waits, and ioredis never ends one to a cluster that gets a node meanwhile, as by
 * an answer that names another master (see also issue 4138 of BullMQ).
 */
import { type Job, Worker } from 'bullmq';
import { limits } from '../config/limits.js';
import { pause, within } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';
import { nudgesOf, queuePrefix } from '../shared/queue/nudges.js';
import { createPatientRedis, isRefusal, type Redis } from '../shared/queue/redis.js';
import { type Unbroken, watchUnbroken } from '../shared/queue/unbroken.js';
import type { Pool, PoolJob } from './pool.js';

export interface TakeOptions {
  readonly redisUrl: string;
  readonly redisPrefix: string;
  readonly concurrency: number;
  /** Whether the process may take work: not while the clock of its machine is off or its database looks restored. Absent: always. */
  readonly mayTakeWork?: () => boolean;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
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
  { log, metrics }: Pick<TakeOptions, 'log' | 'metrics'>,
): PoolJob | undefined {
  const known = jobs.get(nudge.name);
  if (known && !known.schema.validate(nudge.data, { convert: false }).error) return known;
  metrics.event('job-refused');
  log.error('job.refused', { job: nudge.name, reason: known ? 'its payload does not fit' : 'no such job' });
  return undefined;
}

export interface TakingJobs {
  /** Starts or stops taking jobs, and replaces a worker that no longer asks for any. Called with each sweep. */
  admit(jobs: boolean): void;
  /** Stops taking jobs and waits for the work in progress. */
  close(): Promise<void>;
}

/** A BullMQ worker that notes when it asks for a job: every few seconds while there is none. */
class AskingWorker extends Worker {
  /** When it last asked (ms of the monotonic clock). */
  askedAtMs = performance.now();

  /** Waits after a refusal, as of a Redis whose memory is full: BullMQ asks again at once, thousands of times a second. */
  protected override async moveToActive(token: string, name?: string): Promise<Job> {
    this.askedAtMs = performance.now();
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      if (isRefusal(error)) await pause(limits.nudgeApartMs);
      throw error;
    }
  }

  protected override getBlockTimeout(blockUntil: number): number {
    this.askedAtMs = performance.now();
    return super.getBlockTimeout(blockUntil);
  }
}

/** A worker with the connections on which it asks. */
interface OpenWorker {
  readonly worker: AskingWorker;
  readonly connection: Redis;
  readonly unbrokenMs: Unbroken;
  /** Waits until the worker takes no more jobs. Of a stuck worker this may never resolve. */
  close(): Promise<void>;
}

function openWorker({ name }: Pool, take: (job: Job) => Promise<void>, options: TakeOptions): OpenWorker {
  const { log } = options;
  const connection = createPatientRedis(options.redisUrl, log);
  const worker = new AskingWorker(name, take, {
    connection,
    prefix: queuePrefix(options.redisPrefix, name),
    concurrency: Math.min(options.concurrency, limits.poolJobsHeldMax),
    lockDuration: limits.jobLockMs,
    stalledInterval: limits.jobStalledCheckMs,
    maxStalledCount: 1,
    // Commands that Redis refuses during a failover are sent again after this time.
    runRetryDelay: limits.redisReconnectMsMax,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  const note = (error: unknown) => log.debug('worker.error', { pool: name, error });
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  worker.on('error', (error) => {
    if (!isRefusal(error) || performance.now() - refusedAtMs < limits.logAgainMs) return note(error);
    refusedAtMs = performance.now();
    log.warn('jobs.not-taken', { pool: name, error });
  });
  worker.on('failed', (job, error) => log.warn('job.failed', { pool: name, job: job?.name ?? '', error }));
  return {
    worker,
    connection,
    unbrokenMs: watchUnbroken(connection),
    close: async () => {
      // Without Redis, closing would wait for a connection.
      const isAway = connection.status !== 'ready';
      await worker.close(isAway).catch(note);
    },
  };
}

/** The worker of one pool, and the slots of the work that it began. */
class Taking implements TakingJobs {
  readonly #jobs: ReadonlyMap<string, PoolJob>;
  readonly #slots: Slots;
  #open: OpenWorker;
  /** Jobs whose nudges wait for a slot or begin. */
  #begun = 0;
  /** When a worker was opened or resumed, or last began a job (ms of the monotonic clock). */
  #aliveAtMs = performance.now();
  #closing = false;

  constructor(
    private readonly pool: Pool,
    private readonly options: TakeOptions,
  ) {
    this.#jobs = new Map(pool.jobs.map((job) => [job.name, job]));
    this.#slots = createSlots(options.concurrency);
    this.#open = openWorker(pool, (job) => this.#take(job), options);
  }

  /**
   * Begins the work of a job. The job ends when all its nudges have begun: one slow call must not hold the places of fifteen others. If
   * the process is killed after that, the sweep finds the work.
   */
  async #take(job: Job): Promise<void> {
    this.#begun += 1;
    try {
      for (const nudge of nudgesOf(job)) {
        if (!this.#closing && (this.options.mayTakeWork?.() ?? true)) await this.#start(nudge);
      }
    } finally {
      this.#begun -= 1;
      this.#aliveAtMs = performance.now();
    }
  }

  async #start(nudge: Nudge): Promise<void> {
    const known = accepted(this.#jobs, nudge, this.options);
    if (!known) return;
    await this.#slots.take();
    void known
      .handle(nudge.data, { handedOutOnce: this.#open.unbrokenMs() > limits.storedClaimLeaseMs })
      .catch((error) => this.options.log.warn('job.failed', { pool: this.pool.name, job: nudge.name, error }))
      .finally(this.#slots.give);
  }

  admit(jobs: boolean): void {
    if (this.#closing) return;
    const { worker } = this.#open;
    if (jobs !== worker.isPaused()) {
      if (jobs && this.#isSilent()) this.#replace();
      return;
    }
    this.#aliveAtMs = performance.now();
    const changed = jobs ? worker.resume() : worker.pause(true);
    const { log } = this.options;
    changed.catch((error: unknown) => log.warn('worker.not-paused', { pool: this.pool.name, error }));
  }

  /** Whether the worker neither asked for a job nor began one for so long, although it could have reached Redis all this time. */
  #isSilent(): boolean {
    const { workerSilentMs: silentMs } = limits;
    const { worker, unbrokenMs } = this.#open;
    const aliveAtMs = Math.max(this.#aliveAtMs, worker.askedAtMs);
    return this.#begun === 0 && performance.now() - aliveAtMs > silentMs && unbrokenMs() > silentMs;
  }

  #replace(): void {
    const { log, metrics } = this.options;
    log.warn('worker.replaced', { pool: this.pool.name, reason: 'it no longer asks for jobs' });
    metrics.event('worker-replaced');
    const old = this.#open;
    void within(limits.poolCloseMs, old.close(), () => undefined).then(() => old.connection.disconnect());
    this.#aliveAtMs = performance.now();
    this.#open = openWorker(this.pool, (job) => this.#take(job), this.options);
  }

  async close(): Promise<void> {
    // Nudges that were taken but have not begun are left to the sweep of another process.
    this.#closing = true;
    await this.#open.close();
    await this.#slots.idle();
    this.#open.connection.disconnect();
  }
}

const noJobs: TakingJobs = { admit: () => undefined, close: async () => undefined };

/** Begins to take the jobs of a pool. A pool without jobs, which only time drives, connects to no queue. */
export const takeJobs = (pool: Pool, options: TakeOptions): TakingJobs =>
  pool.jobs.length === 0 ? noJobs : new Taking(pool, options);
