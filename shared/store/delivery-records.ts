/** Records attempts of claimed deliveries, many in one write. */
import { limits } from '../../config/limits.js';
import type { Delivery, DeliveryAttempt, DeliveryState } from '../domain/callback/delivery.js';
import { after, latest, noLease } from '../domain/time.js';
import type { Settled } from './coalesce.js';
import type { Collection, Where, Write } from './database.js';
import { isKnownVersion } from './schema-version.js';

/** An attempt that was made: the delivery is over, or due again. */
export type RecordedTry =
  | { readonly attempt: DeliveryAttempt; readonly state: Exclude<DeliveryState, 'waiting'> }
  | { readonly attempt: DeliveryAttempt; readonly state: 'waiting'; readonly dueAt: Date };

export interface Recording {
  readonly claimed: Pick<Delivery, '_id'> & { readonly leaseToken: string };
  readonly tried: RecordedTry;
  readonly now: Date;
}

/** Condition of deliveries that wait, are not under a lease by the clock of the database, and can be sent by this release. */
export const notHeld: Where<Delivery> = {
  state: 'waiting',
  ...isKnownVersion('deliveries'),
  $expr: { $lt: ['$leaseUntil', '$$NOW'] },
};

/** Builds the statement for a delivery that is due again, at its own time. */
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
 * Builds one statement for deliveries that are over in the same way, which costs the database half as much as one statement each. A token
 * belongs to one lease of one delivery, so it also says which attempt belongs to which delivery.
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

/** Returns for each attempt whether it was recorded: not when its lease had run out and another process took the delivery. */
export async function recordBatch(
  deliveries: Collection<Delivery>,
  batch: readonly Recording[],
): Promise<Settled<boolean>[]> {
  const write = () => deliveries.bulkWrite(toStatements(batch), { ordered: false });
  // The driver does not retry statements for many documents. What the first try wrote no longer carries its token.
  const { matchedCount } = await write().catch(write);
  if (matchedCount === batch.length) return batch.map(() => ({ ok: true }));
  // The matched count is only a sum, so each delivery is checked for its own attempt.
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
