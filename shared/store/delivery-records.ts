/** Recording tries of claimed deliveries, many in one write. */
import { limits } from '../../config/limits.js';
import type { Delivery, DeliveryAttempt, DeliveryState } from '../domain/callback/delivery.js';
import { after, latest, noLease } from '../domain/time.js';
import type { Settled } from './coalesce.js';
import type { Collection, Where, Write } from './database.js';
import { ofKnown } from './schema-version.js';

/** A try that was made: the delivery is over, or due again. */
export type RecordedTry =
  | { readonly attempt: DeliveryAttempt; readonly state: Exclude<DeliveryState, 'waiting'> }
  | { readonly attempt: DeliveryAttempt; readonly state: 'waiting'; readonly dueAt: Date };

export interface Recording {
  readonly claimed: Pick<Delivery, '_id'> & { readonly leaseToken: string };
  readonly tried: RecordedTry;
  readonly now: Date;
}

/** Waits and is not under a lease, by the clock of the database; this release can send it. */
export const notHeld: Where<Delivery> = {
  state: 'waiting',
  ...ofKnown('deliveries'),
  $expr: { $lt: ['$leaseUntil', '$$NOW'] },
};

/** A delivery that is due again: each at its own time. */
function toRetry({ claimed, tried, dueAt }: Recording & { readonly dueAt: Date }): Write<Delivery> {
  return {
    updateOne: {
      filter: { _id: claimed._id, leaseToken: claimed.leaseToken },
      update: {
        $set: { leaseUntil: noLease, dueAt },
        $unset: { leaseToken: '' },
        $inc: { tries: 1 },
        $push: { attempts: { $each: [tried.attempt], $slice: -limits.callbackAttemptsKept } },
      },
    },
  };
}

/**
 * Deliveries that are over in the same way, as one statement: it costs the database half of what one statement each does. A
 * token is that of one lease of one delivery, so it also says whose attempt is whose.
 */
function toEnds(state: RecordedTry['state'], ended: readonly Recording[]): Write<Delivery> {
  const tokens = ended.map(({ claimed }) => claimed.leaseToken);
  const attempts = ended.map(({ tried }) => tried.attempt);
  const own = { $arrayElemAt: [{ $literal: attempts }, { $indexOfArray: [{ $literal: tokens }, '$leaseToken'] }] };
  return {
    updateMany: {
      filter: { _id: { $in: ended.map(({ claimed }) => claimed._id) }, leaseToken: { $in: tokens } },
      update: [
        {
          $set: {
            state,
            leaseUntil: noLease,
            expireAt: after(latest(...ended.map(({ now }) => now)), limits.deliveryRetentionMs),
            tries: { $add: ['$tries', 1] },
            attempts: { $slice: [{ $concatArrays: ['$attempts', [own]] }, -limits.callbackAttemptsKept] },
          },
        },
        { $unset: 'leaseToken' },
      ],
    },
  };
}

function toStatements(batch: readonly Recording[]): Write<Delivery>[] {
  const retries: Write<Delivery>[] = [];
  const ends = new Map<RecordedTry['state'], Recording[]>();
  for (const recording of batch) {
    const { tried } = recording;
    if (tried.state === 'waiting') retries.push(toRetry({ ...recording, dueAt: tried.dueAt }));
    else ends.set(tried.state, [...(ends.get(tried.state) ?? []), recording]);
  }
  return [...retries, ...[...ends].map(([state, ended]) => toEnds(state, ended))];
}

const isSame = (one: DeliveryAttempt, other: DeliveryAttempt) =>
  one.at.getTime() === other.at.getTime() && one.ms === other.ms;

/** Returns for each whether it was recorded: not so when its lease had run out and another took the delivery. */
export async function recordBatch(
  deliveries: Collection<Delivery>,
  batch: readonly Recording[],
): Promise<Settled<boolean>[]> {
  const write = () => deliveries.bulkWrite(toStatements(batch), { ordered: false });
  // The driver does not repeat statements for many by itself. What the first one wrote carries its token no longer.
  const { matchedCount } = await write().catch(write);
  if (matchedCount === batch.length) return batch.map(() => ({ ok: true }));
  // What a batch matched is a sum: each looks for its own attempt.
  const found = await deliveries
    .find<Pick<Delivery, '_id' | 'attempts'>>(
      { _id: { $in: batch.map(({ claimed }) => claimed._id) } },
      { projection: { attempts: 1 }, maxTimeMS: limits.mongoQueryMs },
    )
    .toArray();
  const attemptsOf = new Map(found.map(({ _id, attempts }) => [_id, attempts]));
  return batch.map(({ claimed, tried }) => ({
    ok: attemptsOf.get(claimed._id)?.some((attempt) => isSame(attempt, tried.attempt)) ?? false,
  }));
}
