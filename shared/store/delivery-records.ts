/** Recording tries of claimed deliveries, many in one write. */
import { limits } from '../../config/limits.js';
import type { Delivery, DeliveryAttempt, DeliveryState } from '../domain/callback/delivery.js';
import type { Settled } from './coalesce.js';
import type { AnyBulkWriteOperation, Collection } from './database.js';

/** A try that was made: the delivery is over, or due again. */
export type RecordedTry =
  | { readonly attempt: DeliveryAttempt; readonly state: Exclude<DeliveryState, 'waiting'> }
  | { readonly attempt: DeliveryAttempt; readonly state: 'waiting'; readonly dueAt: Date };

export interface Recording {
  readonly claimed: Delivery;
  readonly tried: RecordedTry;
  readonly now: Date;
}

/** What a delivery that nobody holds carries: before every clock. */
export const freeLease = new Date(0);

function toUpdate({ claimed, tried, now }: Recording): AnyBulkWriteOperation<Delivery> {
  return {
    updateOne: {
      filter: { _id: claimed._id, leaseToken: claimed.leaseToken ?? '' },
      update: {
        $set: {
          state: tried.state,
          leaseUntil: freeLease,
          ...(tried.state === 'waiting'
            ? { dueAt: tried.dueAt }
            : { expireAt: new Date(now.getTime() + limits.deliveryRetentionMs) }),
        },
        $unset: { leaseToken: '' },
        $inc: { tries: 1 },
        $push: { attempts: { $each: [tried.attempt], $slice: -limits.callbackAttemptsKept } },
      },
    },
  };
}

const isSame = (one: DeliveryAttempt, other: DeliveryAttempt) =>
  one.at.getTime() === other.at.getTime() && one.ms === other.ms;

/** Answers for each whether it was recorded: not so when its lease had run out and another took the delivery. */
export async function recordBatch(
  deliveries: Collection<Delivery>,
  batch: readonly Recording[],
): Promise<Settled<boolean>[]> {
  const { matchedCount } = await deliveries.bulkWrite(batch.map(toUpdate), { ordered: false });
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
