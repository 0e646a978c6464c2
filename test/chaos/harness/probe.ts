/** Looks at the database while a run goes on: invariants at every moment, and how soon broken-off work goes on. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { Collection } from '../../../shared/store/database.js';
import { orphans } from '../../../shared/store/payment.repository.js';
import type { Deed } from './breaker.js';

export interface Sample {
  readonly at: number;
  /** Payments stored so far. */
  readonly stored: number;
  /** Not settled yet. */
  readonly open: number;
  readonly orphans: number;
}

export interface Resumed {
  readonly deed: Deed;
  /** Leases that were held when the blow landed. */
  readonly held: number;
  /** Until none of them was held any more (ms). */
  readonly afterMs: number;
}

export interface Probe {
  readonly samples: readonly Sample[];
  readonly resumed: readonly Resumed[];
  /** Ids of payments that were ever seen as orphans. */
  readonly orphanIds: ReadonlySet<string>;
  /** Call it when a worker was killed. */
  watchLeases(deed: Deed): void;
  /** Call it after a FLUSHALL. */
  watchDueWork(deed: Deed): void;
  stop(): Promise<void>;
}

const SAMPLE_MS = 1_000;
const WATCH_MS = 200;
const WATCH_MAX_MS = 60_000;

export function startProbe(payments: Collection<Payment>): Probe {
  const samples: Sample[] = [];
  const resumed: Resumed[] = [];
  const orphanIds = new Set<string>();
  const watches: Promise<void>[] = [];
  let stopped = false;

  const sample = async () => {
    const at = Date.now();
    const [stored, open, found] = await Promise.all([
      payments.estimatedDocumentCount(),
      payments.countDocuments({ 'work.dueAt': { $exists: true } } as never),
      payments.find(orphans as never, { projection: { _id: 1 } }).toArray(),
    ]);
    for (const { _id } of found) orphanIds.add(_id);
    samples.push({ at, stored, open, orphans: found.length });
  };

  const loop = async () => {
    while (!stopped) {
      // The database may just be down: then there is nothing to see.
      await sample().catch(() => undefined);
      await pause(SAMPLE_MS);
    }
  };
  const looping = loop();

  /** Waits until `count` answers 0. */
  const watch = async (deed: Deed, held: number, count: () => Promise<number>) => {
    if (held === 0) return;
    while (Date.now() - deed.at < WATCH_MAX_MS) {
      await pause(WATCH_MS);
      if ((await count().catch(() => 1)) === 0) break;
    }
    resumed.push({ deed, held, afterMs: Date.now() - deed.at });
  };

  const guarded = (work: () => Promise<void>) => watches.push(work().catch(() => undefined));

  return {
    samples,
    resumed,
    orphanIds,
    watchLeases: (deed) =>
      guarded(async () => {
        const tokens = (await payments
          .find({ 'work.leaseUntil': { $gt: new Date() } } as never, { projection: { work: 1 } })
          .toArray()) as Payment[];
        const held = tokens.flatMap(({ work }) => work?.leaseToken ?? []);
        await watch(deed, held.length, () => payments.countDocuments({ 'work.leaseToken': { $in: held } } as never));
      }),
    watchDueWork: (deed) =>
      guarded(async () => {
        const due = {
          'work.dueAt': { $lte: new Date(deed.at) },
          $expr: { $lt: ['$work.leaseUntil', '$$NOW'] },
        } as never;
        await watch(deed, await payments.countDocuments(due), () => payments.countDocuments(due));
      }),
    stop: async () => {
      stopped = true;
      await Promise.all([looping, ...watches]);
    },
  };
}
