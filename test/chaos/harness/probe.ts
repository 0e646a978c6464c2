/** Examines the database during a run: invariants at every moment, and how soon interrupted work continues. */
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { Collection } from '../../../shared/store/database.js';
import { orphans } from '../../../shared/store/orphans.js';
import type { FaultRecord } from './fault-injector.js';

export interface Sample {
  readonly at: number;
  /** Payments stored so far. */
  readonly stored: number;
  /** Payments that are not settled yet. */
  readonly open: number;
  readonly orphans: number;
}

/** How soon the work that a fault interrupted was continued. */
export interface WorkRecovery {
  readonly fault: FaultRecord;
  /** Number of leases that the dead worker left, or of pieces of work that were due when the fault was injected. */
  readonly pieces: number;
  /** Time until none of them was left (ms). */
  readonly afterMs: number;
}

export interface Probe {
  readonly samples: readonly Sample[];
  readonly recoveries: readonly WorkRecovery[];
  /** Ids of payments that were ever seen as orphans. */
  readonly orphanIds: ReadonlySet<string>;
  /** To be called when a worker was killed. */
  watchLeftLeases(fault: FaultRecord): void;
  /** To be called after a FLUSHALL. */
  watchDueWork(fault: FaultRecord): void;
  stop(): Promise<void>;
}

/** A lease as it was right after a worker was killed. */
interface HeldLease {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
}

const SAMPLE_MS = 1_000;
const WATCH_MS = 200;
const WATCH_MAX_MS = 60_000;
/** Time within which a living worker renews its leases, even on a busy machine (ms). */
const RENEWED_MS = limits.leaseRenewMs + 1_000;

export function startProbe(payments: Collection<Payment>): Probe {
  const samples: Sample[] = [];
  const recoveries: WorkRecovery[] = [];
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
      // The database may be down at this moment.
      await sample().catch(() => undefined);
      await pause(SAMPLE_MS);
    }
  };
  const looping = loop();

  /** Waits until `count` returns 0. */
  const awaitNone = async (fault: FaultRecord, pieces: number, count: () => Promise<number>) => {
    if (pieces === 0) return;
    while (Date.now() - fault.at < WATCH_MAX_MS) {
      await pause(WATCH_MS);
      if ((await count().catch(() => 1)) === 0) break;
    }
    recoveries.push({ fault, pieces, afterMs: Date.now() - fault.at });
  };

  const leases = async (which: object): Promise<HeldLease[]> => {
    const found = (await payments.find(which as never, { projection: { work: 1 } }).toArray()) as Payment[];
    return found.flatMap(({ work }) =>
      work?.leaseToken ? [{ token: work.leaseToken, untilMs: work.leaseUntil.getTime() }] : [],
    );
  };

  /** Returns the leases that were neither ended, taken over nor renewed. A living worker renews its own. */
  const unchangedLeases = async (held: readonly HeldLease[]): Promise<HeldLease[]> => {
    const now = await leases({ 'work.leaseToken': { $in: held.map(({ token }) => token) } });
    return held.filter((one) => now.some(({ token, untilMs }) => token === one.token && untilMs === one.untilMs));
  };

  const trackWatch = (work: () => Promise<void>) => watches.push(work().catch(() => undefined));

  return {
    samples,
    recoveries,
    orphanIds,
    watchLeftLeases: (fault) =>
      trackWatch(async () => {
        const held = await leases({ 'work.leaseUntil': { $gt: new Date() } });
        await pause(RENEWED_MS);
        const left = await unchangedLeases(held);
        await awaitNone(fault, left.length, async () => (await unchangedLeases(left)).length);
      }),
    watchDueWork: (fault) =>
      trackWatch(async () => {
        const due = {
          'work.dueAt': { $lte: new Date(fault.at) },
          $expr: { $lt: ['$work.leaseUntil', '$$NOW'] },
        } as never;
        await awaitNone(fault, await payments.countDocuments(due), () => payments.countDocuments(due));
      }),
    stop: async () => {
      stopped = true;
      await Promise.all([looping, ...watches]);
    },
  };
}
