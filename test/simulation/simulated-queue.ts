/**
 * Redis as the product uses it: jobs that go to one worker process each, ids that are ignored while their job is queued, and replies. It
 * may lose, duplicate and withhold anything.
 */

import type { Nudges } from '../../shared/queue/nudges.js';
import type { Reply, ReplySubscriber } from '../../shared/queue/reply-channel.js';
import type { JobDelivery, PoolJob } from '../../workers/pool.js';
import { nudgesTo } from '../support/nudges-to.js';
import type { Process } from './process.js';
import { bsonCopy } from './stored-values.js';
import type { World } from './world.js';

interface Job {
  readonly id: string;
  readonly queue: string;
  readonly name: string;
  readonly data: object;
  readonly delivery: JobDelivery;
}

/** A worker process, as seen by the queue. */
export interface QueueWorker {
  readonly process: Process;
  readonly queues: ReadonlyMap<string, ReadonlyMap<string, PoolJob>>;
}

const LATE_MS = 20_000;
/** Time after which a job whose worker died is given to another worker. */
const STALLED_MS = 20_000;
const RETRY_MS = 500;

export class SimulatedQueue {
  /** Workers in their order of preference. */
  workers: QueueWorker[] = [];
  readonly #pendingIds = new Set<string>();
  readonly #listeners = new Map<string, Map<string, Set<(reply: Reply) => void>>>();
  readonly #processOf = new Map<string, Process>();

  /** @param unreachable Redis is unreachable all the time */
  constructor(
    private readonly world: World,
    private readonly unreachable: boolean,
    private readonly onAdd: (data: object, by: Process) => void,
  ) {}

  /** Returns the producer of nudges of one process. */
  nudgesOf(process: Process): Nudges {
    return nudgesTo(
      async (job, data, delayMs = 0) => {
        if (this.unreachable) return false;
        return this.#add(
          process,
          { queue: job.queue, name: job.name, data: bsonCopy(data), id: job.jobId(data) },
          delayMs,
        );
      },
      () => !this.unreachable,
    );
  }

  publisherOf(process: Process): (channel: string, reply: Reply) => void {
    return (channel, reply) => {
      if (this.unreachable) return;
      const fault = this.world.passPoint(process, 'reply', 'reply');
      if (fault === 'dies-before') return this.world.kill(process);
      if (fault !== 'lost') this.#deliverReply(channel, bsonCopy(reply));
    };
  }

  subscriberOf(process: Process): ReplySubscriber {
    const channel = `reply:${process.name}`;
    const listeners = new Map<string, Set<(reply: Reply) => void>>();
    this.#listeners.set(channel, listeners);
    this.#processOf.set(channel, process);
    return {
      channel,
      connected: () => !this.unreachable,
      listen: (paymentId, listener) => {
        const ofPayment = listeners.get(paymentId) ?? new Set();
        listeners.set(paymentId, ofPayment.add(listener));
        return () => ofPayment.delete(listener);
      },
    };
  }

  #deliverReply(channel: string, reply: Reply): void {
    const process = this.#processOf.get(channel);
    if (!process) return;
    this.world.post(process, () => {
      for (const listener of this.#listeners.get(channel)?.get(reply.paymentId) ?? []) listener(reply);
    });
  }

  #add(process: Process, job: Omit<Job, 'delivery'>, delayMs: number): boolean {
    const { world } = this;
    this.onAdd(job.data, process);
    const fault = world.passPoint(process, 'nudge', `nudge ${job.name}`);
    if (fault === 'dies-before' || fault === 'refused') {
      if (fault === 'dies-before') world.kill(process);
      return false;
    }
    if (fault === 'dies-after') world.kill(process);
    if (fault === 'lost' || this.#pendingIds.has(job.id)) return true;
    this.#pendingIds.add(job.id);
    const extraMs = world.faultPlan.randomized && world.random() < 0.2 ? world.random() * LATE_MS : 0;
    const inMs = fault === 'stuck' ? STALLED_MS : delayMs + extraMs;
    const redelivered = { ...job, delivery: { handedOutOnce: false } };
    // Redis only hands a job out again after connections were lost. Such a delivery is not `handedOutOnce`.
    world.after(inMs, () => this.#deliver({ ...job, delivery: { handedOutOnce: fault !== 'stuck' } }));
    if (fault === 'twice') world.after(inMs, () => this.#deliver(redelivered, 1));
    return true;
  }

  /** @param preferred index of the worker among those that can take the job, when the choice is not random */
  #deliver(job: Job, preferred = 0): void {
    const { world } = this;
    this.workers = this.workers.filter(({ process }) => !process.dead);
    const candidates = this.workers.filter(
      ({ process, queues }) => process.asleepUntilMs <= world.nowMs && queues.has(job.queue),
    );
    const worker =
      world.faultPlan.randomized && candidates.length > 0
        ? world.pick(candidates)
        : (candidates[preferred] ?? candidates[0]);
    if (!worker) {
      world.after(RETRY_MS, () => this.#deliver(job));
      return;
    }
    this.#pendingIds.delete(job.id);
    const poolJob = worker.queues.get(job.queue)?.get(job.name);
    if (!poolJob) throw new Error(`no pool takes ${job.name}`);
    world.startTask(worker.process, () => poolJob.handle(job.data, job.delivery));
  }
}
