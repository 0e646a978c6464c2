/**
 * Puts hints into queues, best effort: at once when Redis is there, not at all when it is not (the sweep finds the work in
 * MongoDB). Hints of one tick travel together, several as one job: most of what BullMQ costs, it costs per job, and a worker
 * fetches its jobs one after another.
 */
import { Queue } from 'bullmq';
import { limits } from '../../config/limits.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { JobDefinition } from './define-job.js';
import { isReady, type Redis } from './redis.js';

/** Name of the hash tag and prefix of one queue's keys: each queue may live in a slot of its own on a cluster. */
export const queuePrefix = (prefix: string, queue: string) => `{${prefix}-${queue}}`;

interface Hint {
  readonly name: string;
  readonly data: object;
  readonly jobId: string;
  readonly delayMs: number;
  /** Its id matters, so it is a job of its own. */
  readonly alone: boolean;
}

/** Name of a job that carries several hints. */
const BUNDLE = 'hints';

/** What a job says, whether it carries one hint or several: the worker checks each. */
export function hintsOf({ name, data }: { readonly name: string; readonly data: unknown }) {
  const carried = (data as { hints?: unknown } | null)?.hints;
  if (name !== BUNDLE || !Array.isArray(carried)) return [{ name, data }];
  return carried.map((hint: { name?: unknown; data?: unknown } | null) => ({
    name: String(hint?.name),
    data: hint?.data as unknown,
  }));
}

const kept = { removeOnComplete: true, removeOnFail: true } as const;

/** The jobs that carry these hints. One that carries several has no id that a hint could have: it must not be ignored for it. */
function toJobs(hints: readonly Hint[]) {
  const single = ({ name, data, jobId, delayMs }: Hint) => ({
    name,
    data,
    opts: { ...kept, jobId, ...(delayMs > 0 && { delay: Math.ceil(delayMs) }) },
  });
  const together = hints.filter(({ alone, delayMs }) => !alone && delayMs <= 0);
  const jobs: { name: string; data: object; opts: object }[] = hints
    .filter(({ alone, delayMs }) => alone || delayMs > 0)
    .map(single);
  for (let at = 0; at < together.length; at += limits.hintsPerJobMax) {
    const [first, ...others] = together.slice(at, at + limits.hintsPerJobMax) as [Hint, ...Hint[]];
    const carried = [first, ...others].map(({ name, data }) => ({ name, data }));
    jobs.push(others.length === 0 ? single(first) : { name: BUNDLE, data: { hints: carried }, opts: kept });
  }
  return jobs;
}

export interface Hints {
  /** Whether a hint would be taken now. */
  ready(): boolean;
  /**
   * Resolves true when the hint is in the queue, false when it was not taken; never rejects.
   * @param delayMs for work that is due a little later. What is due much later is found by a sweep.
   * @param again for sweeps, which look again and again: what waits under the same id already is not added once more.
   */
  add<Payload extends object>(
    job: JobDefinition<Payload>,
    payload: Payload,
    delayMs?: number,
    again?: boolean,
  ): Promise<boolean>;
  close(): Promise<void>;
}

/** One queue's producer: collects the hints of a tick and adds them by one command. */
class HintQueue {
  #queue: Queue | undefined;
  #waiting: { hint: Hint; done: (added: boolean) => void }[] = [];
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #full = false;
  /** Since the last look. */
  #sent = { hints: 0, jobs: 0 };
  #hintsPerJob = 1;

  constructor(
    private readonly name: string,
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly log: Log,
    private readonly onFailure: (count: number) => void,
    private readonly waitingMax: number,
  ) {}

  add(hint: Hint): Promise<boolean> {
    // Checked first: BullMQ itself would wait for the connection, and the caller has an answer to give.
    if (!isReady(this.redis)) return Promise.resolve(false);
    return new Promise((done) => {
      this.#waiting.push({ hint, done });
      if (this.#waiting.length === 1) setImmediate(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    let added = true;
    let timer: NodeJS.Timeout | undefined;
    try {
      this.#queue ??= this.#open();
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error('the queue did not answer in time')), limits.hintAddMs);
      });
      added = await Promise.race([this.#send(this.#queue, batch), late]);
      if (!added) this.onFailure(batch.length);
    } catch (error) {
      added = false;
      this.onFailure(batch.length);
      this.log.warn('hint.not-added', { queue: this.name, count: batch.length, error });
    } finally {
      clearTimeout(timer);
    }
    for (const { done } of batch) done(added);
  }

  /**
   * Hints that no worker takes would fill Redis while a pool is missing. They are given up where so many wait already: the work
   * is in MongoDB, and the sweep of the pool finds it there. Redis tells how many jobs wait; how many hints a job carries
   * is taken from what this process sent lately.
   */
  async #send(queue: Queue, batch: readonly { hint: Hint }[]): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs > limits.queueLookMs) {
      this.#lookedAtMs = nowMs;
      if (this.#sent.jobs > 0) this.#hintsPerJob = this.#sent.hints / this.#sent.jobs;
      this.#sent = { hints: 0, jobs: 0 };
      this.#full = (await queue.getJobCountByTypes('wait', 'delayed')) * this.#hintsPerJob >= this.waitingMax;
      if (this.#full) this.log.warn('hint.queue-full', { queue: this.name, count: this.waitingMax });
    }
    if (this.#full) return false;
    const jobs = toJobs(batch.map(({ hint }) => hint));
    this.#sent.hints += batch.length;
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
    return queue;
  }

  async close(): Promise<void> {
    await this.#queue?.close().catch(() => undefined);
  }
}

/** Producer of hints over one fail-fast connection; `metrics` counts what the queue did not take. */
export function createHints(
  redis: Redis,
  prefix: string,
  log: Log,
  metrics: Pick<Metrics, 'event'>,
  waitingMax: number = limits.hintsWaitingMax,
): Hints {
  const queues = new Map<string, HintQueue>();
  const queueOf = (name: string) => {
    const known =
      queues.get(name) ??
      new HintQueue(name, redis, prefix, log, (count) => metrics.event('hint-failed', count), waitingMax);
    queues.set(name, known);
    return known;
  };
  return {
    ready: () => isReady(redis),
    add: (job, data, delayMs = 0, again = false) => {
      const { error } = job.schema.validate(data, { convert: false });
      if (error) throw new Error(`a hint of ${job.name} has fields that it must not have`);
      return queueOf(job.queue).add({ name: job.name, data, jobId: job.jobId(data), delayMs, alone: again });
    },
    close: async () => {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
