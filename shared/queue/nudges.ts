/**
 * Puts nudges into queues, best effort: at once when Redis is available, not at all when it is not (the sweep finds the work in
 * MongoDB). Nudges of one event of the process are sent together, several in one job: most of BullMQ's cost is per job, and a worker
 * fetches its jobs one after another.
 */
import { Queue } from 'bullmq';
import { limits } from '../../config/limits.js';
import { within } from '../clock.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { JobDefinition } from './define-job.js';
import { isReady, type Redis } from './redis.js';

/** Returns the prefix of one queue's keys, which is also their hash tag: on a cluster each queue may be in its own slot. */
export const queuePrefix = (prefix: string, queue: string) => `{${prefix}-${queue}}`;

interface Nudge {
  readonly name: string;
  readonly data: object;
  readonly jobId: string;
  readonly delayMs: number;
  /** The nudge is from a sweep: its id matters, so it gets a separate job, and it waits behind the others. */
  readonly fromSweep: boolean;
}

/** Name of a job that carries several nudges. */
const BUNDLE = 'nudges';

/** Returns the nudges of a job, whether it carries one or several. The worker checks each. */
export function nudgesOf({ name, data }: { readonly name: string; readonly data: unknown }) {
  const carried = (data as { nudges?: unknown } | null)?.nudges;
  if (name !== BUNDLE || !Array.isArray(carried)) return [{ name, data }];
  return carried.map((nudge: { name?: unknown; data?: unknown } | null) => ({
    name: String(nudge?.name),
    data: nudge?.data as unknown,
  }));
}

const kept = { removeOnComplete: true, removeOnFail: true } as const;
/** Jobs without a priority are taken before those with one. */
const behindOthers = { priority: 1 } as const;

/**
 * Returns the jobs that carry these nudges. A job with several nudges has no id that a nudge could have, so that a nudge is not
 * ignored because of it.
 */
function toJobs(nudges: readonly Nudge[]) {
  const single = ({ name, data, jobId, delayMs, fromSweep }: Nudge) => ({
    name,
    data,
    opts: { ...kept, jobId, ...(delayMs > 0 && { delay: Math.ceil(delayMs) }), ...(fromSweep && behindOthers) },
  });
  const together = nudges.filter(({ fromSweep, delayMs }) => !fromSweep && delayMs <= 0);
  const jobs: { name: string; data: object; opts: object }[] = nudges
    .filter(({ fromSweep, delayMs }) => fromSweep || delayMs > 0)
    .map(single);
  for (let at = 0; at < together.length; at += limits.nudgesPerJobMax) {
    const [first, ...others] = together.slice(at, at + limits.nudgesPerJobMax) as [Nudge, ...Nudge[]];
    const carried = [first, ...others].map(({ name, data }) => ({ name, data }));
    jobs.push(others.length === 0 ? single(first) : { name: BUNDLE, data: { nudges: carried }, opts: kept });
  }
  return jobs;
}

export interface Nudges {
  /** Whether a nudge for this queue would be taken now, as far as is known: Redis is available, and took the last nudge. */
  ready(queue: JobDefinition<never>['queue']): boolean;
  /**
   * Resolves true when the nudge is in the queue, false when it was not taken; never rejects.
   * @throws {Error} at once, when the payload does not fit the job
   * @param delayMs for work that is due a little later. A sweep finds work that is due much later.
   */
  add<Payload extends object>(job: JobDefinition<Payload>, payload: Payload, delayMs?: number): Promise<boolean>;
  /**
   * Adds a nudge about work that a sweep found, as {@link add}. A sweep finds the same work repeatedly: a nudge that already waits under the
   * same id is not added again. It is taken when no other nudge waits, because a sweep may add a thousand at once while a payer waits for a
   * new payment.
   */
  addFromSweep<Payload extends object>(job: JobDefinition<Payload>, payload: Payload): Promise<boolean>;
  close(): Promise<void>;
}

/** Producer of one queue: collects the nudges of one event and adds them with one command. */
class NudgeQueue {
  #queue: Queue | undefined;
  #waiting: { nudge: Nudge; done: (added: boolean) => void }[] = [];
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #full = false;
  #apartUntilMs = Number.NEGATIVE_INFINITY;
  #refused = false;
  /** Nudges and jobs that were sent since the length of the queue was last read. */
  #sent = { nudges: 0, jobs: 0 };
  #nudgesPerJob = 1;
  readonly #flushing = new Set<Promise<void>>();
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  /** Nudges that were refused since the last log record. */
  #unlogged = 0;

  constructor(
    private readonly name: string,
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly log: Log,
    private readonly onFailure: (count: number) => void,
    private readonly waitingMax: number,
  ) {}

  /**
   * A recent failure counts, because one master of a cluster may be away while the others serve, and a server may hang. A server
   * whose disk or memory is full still answers, so the queue is ready again only after it took a nudge.
   */
  get ready(): boolean {
    return isReady(this.redis) && !this.#refused && performance.now() >= this.#apartUntilMs;
  }

  add(nudge: Nudge): Promise<boolean> {
    // Checked first: BullMQ itself would wait for the connection, and the caller has to answer its request.
    if (!isReady(this.redis)) {
      this.onFailure(1);
      return Promise.resolve(false);
    }
    return new Promise((done) => {
      this.#waiting.push({ nudge, done });
      // All code that continues after one answer of MongoDB adds its nudges before this runs. Other events of the same turn may take
      // many milliseconds.
      if (this.#waiting.length === 1) process.nextTick(() => this.#beginFlush());
    });
  }

  #beginFlush(): void {
    const flush = this.#flush();
    this.#flushing.add(flush);
    void flush.then(() => this.#flushing.delete(flush));
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    let added = true;
    try {
      this.#queue ??= this.#open();
      added = await within(limits.nudgeAddMs, this.#send(this.#queue, batch), () => {
        throw new Error('the queue did not answer in time');
      });
      if (added) this.#refused = false;
      else this.onFailure(batch.length);
    } catch (error) {
      added = false;
      this.#refused = true;
      this.#apartUntilMs = performance.now() + limits.nudgeApartMs;
      this.onFailure(batch.length);
      this.#logFailure(batch.length, error);
    }
    for (const { done } of batch) done(added);
  }

  /** A full Redis refuses every nudge: one log record in ten seconds counts them. */
  #logFailure(count: number, error: unknown): void {
    this.#unlogged += count;
    const nowMs = performance.now();
    if (nowMs - this.#loggedAtMs < limits.logAgainMs) return;
    this.log.warn('nudge.not-added', { queue: this.name, count: this.#unlogged, error });
    this.#loggedAtMs = nowMs;
    this.#unlogged = 0;
  }

  /**
   * Sends nudges, unless too many wait already: while a pool is missing they would fill Redis. The work of the others is in MongoDB,
   * and the sweep of the pool finds it there. Redis says how many jobs wait; how many nudges a job carries is estimated from what
   * this process sent recently.
   */
  async #send(queue: Queue, batch: readonly { nudge: Nudge }[]): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs > limits.queueLookMs) {
      this.#lookedAtMs = nowMs;
      if (this.#sent.jobs > 0) this.#nudgesPerJob = this.#sent.nudges / this.#sent.jobs;
      this.#sent = { nudges: 0, jobs: 0 };
      this.#full =
        (await queue.getJobCountByTypes('wait', 'prioritized', 'delayed')) * this.#nudgesPerJob >= this.waitingMax;
      if (this.#full) this.log.warn('nudge.queue-full', { queue: this.name, count: this.waitingMax });
    }
    if (this.#full) return false;
    const jobs = toJobs(batch.map(({ nudge }) => nudge));
    this.#sent.nudges += batch.length;
    this.#sent.jobs += jobs.length;
    await queue.addBulk(jobs);
    return true;
  }

  #open(): Queue {
    const queue = new Queue(this.name, {
      connection: this.redis,
      prefix: queuePrefix(this.prefix, this.name),
      skipMetasUpdate: true,
    });
    queue.on('error', (error) => this.log.debug('queue.error', { queue: this.name, error }));
    // BullMQ asks the server for its version once, and keeps a failure for good. Therefore the next nudge opens another queue.
    queue.waitUntilReady().catch(() => {
      if (this.#queue === queue) this.#queue = undefined;
      return queue.close().catch(() => undefined);
    });
    return queue;
  }

  /** Waits for the nudges on their way, which no caller awaits: the last work before a stop may just have added one. */
  async close(): Promise<void> {
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => process.nextTick(resolve));
    await Promise.all(this.#flushing);
    await this.#queue?.close().catch(() => undefined);
  }
}

/** Creates the producer of nudges over one fail-fast connection; `metrics` counts the nudges that a queue did not take. */
export function createNudges(
  redis: Redis,
  prefix: string,
  log: Log,
  metrics: Pick<Metrics, 'event'>,
  waitingMax: number = limits.nudgesWaitingMax,
): Nudges {
  const queues = new Map<string, NudgeQueue>();
  const queueOf = (name: string) => {
    const known =
      queues.get(name) ??
      new NudgeQueue(name, redis, prefix, log, (count) => metrics.event('nudge-failed', count), waitingMax);
    queues.set(name, known);
    return known;
  };
  function add<Payload extends object>(
    job: JobDefinition<Payload>,
    data: Payload,
    delayMs: number,
    fromSweep: boolean,
  ) {
    const { error } = job.schema.validate(data, { convert: false });
    if (error) throw new Error(`a nudge of ${job.name} has fields that it must not have`);
    return queueOf(job.queue).add({ name: job.name, data, jobId: job.jobId(data), delayMs, fromSweep });
  }
  return {
    ready: (queue) => queueOf(queue).ready,
    add: (job, payload, delayMs = 0) => add(job, payload, delayMs, false),
    addFromSweep: (job, payload) => add(job, payload, 0, true),
    close: async () => {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
