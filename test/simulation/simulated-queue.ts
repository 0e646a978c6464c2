/**
 * Redis as the product uses it: jobs that go to one worker process each, ids that are ignored while they are kept, and replies. It
 * may lose, duplicate and withhold anything.
 */

import type { Nudges } from '../../shared/queue/nudges.js';
import type { Reply, ReplySubscriber } from '../../shared/queue/reply-channel.js';
import type { JobDelivery, PoolJob } from '../../workers/pool.js';
import { nudgesTo } from '../support/nudges-to.js';
import type { Process } from './process.js';
import { copied } from './stored-values.js';
import type { World } from './world.js';

interface Job {
  readonly id: string;
  readonly queue: string;
  readonly name: string;
  readonly data: object;
  readonly delivery: JobDelivery;
}

/** A worker process, as seen by the queue. */
export interface Taker {
  readonly process: Process;
  readonly queues: ReadonlyMap<string, ReadonlyMap<string, PoolJob>>;
}

const LATE_MS = 20_000;
/** Time after which a job whose worker died is given to another worker. */
const STALLED_MS = 20_000;
const AGAIN_MS = 500;

export class SimulatedQueue {
  /** Workers in their order of preference. */
  takers: Taker[] = [];
  readonly #kept = new Set<string>();
  readonly #listeners = new Map<string, Map<string, Set<(reply: Reply) => void>>>();
  readonly #processOf = new Map<string, Process>();

  /** @param away Redis is unreachable all the time */
  constructor(
    private readonly world: World,
    private readonly away: boolean,
    private readonly added: (data: object, by: Process) => void,
  ) {}

  /** Returns the producer of nudges of one process. */
  nudgesOf(process: Process): Nudges {
    return nudgesTo(
      async (job, data, delayMs = 0) => {
        if (this.away) return false;
        return this.#add(
          process,
          { queue: job.queue, name: job.name, data: copied(data), id: job.jobId(data) },
          delayMs,
        );
      },
      () => !this.away,
    );
  }

  publisherOf(process: Process): (channel: string, reply: Reply) => void {
    return (channel, reply) => {
      if (this.away) return;
      const fault = this.world.strike(process, 'reply', 'reply');
      if (fault === 'dies-before') return this.world.kill(process);
      if (fault !== 'lost') this.#tell(channel, copied(reply));
    };
  }

  subscriberOf(process: Process): ReplySubscriber {
    const channel = `reply:${process.name}`;
    const listeners = new Map<string, Set<(reply: Reply) => void>>();
    this.#listeners.set(channel, listeners);
    this.#processOf.set(channel, process);
    return {
      channel,
      connected: () => !this.away,
      listen: (paymentId, listener) => {
        const own = listeners.get(paymentId) ?? new Set();
        listeners.set(paymentId, own.add(listener));
        return () => own.delete(listener);
      },
    };
  }

  #tell(channel: string, reply: Reply): void {
    const process = this.#processOf.get(channel);
    if (!process) return;
    this.world.post(process, () => {
      for (const listener of this.#listeners.get(channel)?.get(reply.paymentId) ?? []) listener(reply);
    });
  }

  #add(process: Process, job: Omit<Job, 'delivery'>, delayMs: number): boolean {
    const { world } = this;
    this.added(job.data, process);
    const fault = world.strike(process, 'nudge', `nudge ${job.name}`);
    if (fault === 'dies-before' || fault === 'refused') {
      if (fault === 'dies-before') world.kill(process);
      return false;
    }
    if (fault === 'dies-after') world.kill(process);
    if (fault === 'lost' || this.#kept.has(job.id)) return true;
    this.#kept.add(job.id);
    const late = world.fate.shuffles && world.random() < 0.2 ? world.random() * LATE_MS : 0;
    const inMs = fault === 'stuck' ? STALLED_MS : delayMs + late;
    const again = { ...job, delivery: { handedOutOnce: false } };
    // Redis only hands a job out again after connections were lost. Such a delivery is not `handedOutOnce`.
    world.after(inMs, () => this.#deliver({ ...job, delivery: { handedOutOnce: fault !== 'stuck' } }));
    if (fault === 'twice') world.after(inMs, () => this.#deliver(again, 1));
    return true;
  }

  /** @param place index of the worker among those that can take the job, when the choice is not random */
  #deliver(job: Job, place = 0): void {
    const { world } = this;
    this.takers = this.takers.filter(({ process }) => !process.dead);
    const able = this.takers.filter(
      ({ process, queues }) => process.asleepUntilMs <= world.nowMs && queues.has(job.queue),
    );
    const taker = world.fate.shuffles && able.length > 0 ? world.pick(able) : (able[place] ?? able[0]);
    if (!taker) {
      world.after(AGAIN_MS, () => this.#deliver(job));
      return;
    }
    this.#kept.delete(job.id);
    const known = taker.queues.get(job.queue)?.get(job.name);
    if (!known) throw new Error(`no pool takes ${job.name}`);
    world.begin(taker.process, () => known.handle(job.data, job.delivery));
  }
}
