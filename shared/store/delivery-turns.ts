/** Decides which delivery may be sent: only one before which no other delivery of its payment waits (docs/reliability.md, "Callbacks"). */
import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, Delivery } from '../domain/callback/delivery.js';
import { after, latest, noLease } from '../domain/time.js';
import type { Collection, Write } from './database.js';
import { notHeld } from './delivery-records.js';

/** The fields of a waiting delivery that decide the order. */
export type WaitingDelivery = Pick<Delivery, '_id' | 'paymentId' | 'seq' | 'dueAt'>;

/** A delivery that was found, and when to look at it again. */
export interface Postponed {
  readonly seen: Pick<Delivery, '_id' | 'dueAt'>;
  readonly dueAt: Date;
}

/** A claim that is given up; without `dueAt` the delivery is due as before. */
export interface Released {
  readonly claimed: ClaimedDelivery;
  readonly dueAt?: Date;
}

/** Finds the waiting deliveries of these payments, in order. */
export async function findWaiting(
  deliveries: Collection<Delivery>,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, WaitingDelivery[]>> {
  const found = await deliveries
    .find<WaitingDelivery>(
      { paymentId: { $in: [...paymentIds] }, state: 'waiting' },
      { maxTimeMS: limits.mongoQueryMs, projection: { paymentId: 1, seq: 1, dueAt: 1 } },
    )
    .toArray();
  const waiting = new Map<string, WaitingDelivery[]>();
  for (const turn of found) waiting.set(turn.paymentId, [...(waiting.get(turn.paymentId) ?? []), turn]);
  for (const turns of waiting.values()) turns.sort((one, other) => one.seq - other.seq);
  return waiting;
}

/**
 * Returns when to look again at a delivery that waits for `before`, in case it is not woken when that one ends: not before that one can
 * be sent, nor before the lease of its current sender has run out.
 */
export const turnDueAt = (before: Pick<Delivery, 'dueAt'>, now: Date): Date =>
  latest(before.dueAt, after(now, limits.callbackLeaseMs));

/** Moves deliveries to a later due date, unless they changed since they were seen. */
export async function postpone(deliveries: Collection<Delivery>, postponed: readonly Postponed[]): Promise<void> {
  if (postponed.length === 0) return;
  await deliveries.bulkWrite(
    postponed.map(({ seen, dueAt }) => ({
      updateOne: { filter: { ...notHeld, _id: seen._id, dueAt: seen.dueAt }, update: { $set: { dueAt } } },
    })),
    { ordered: false },
  );
}

/** Frees claimed deliveries, and moves them to `dueAt` unless their due date changed meanwhile. */
export async function release(deliveries: Collection<Delivery>, released: readonly Released[]): Promise<void> {
  if (released.length === 0) return;
  const free = { $set: { leaseUntil: noLease }, $unset: { leaseToken: '' } } as const;
  const statements = released.flatMap(({ claimed, dueAt }): Write<Delivery>[] => {
    const ours = { _id: claimed._id, leaseToken: claimed.leaseToken };
    const move = dueAt && {
      updateOne: { filter: { ...ours, dueAt: claimed.dueAt }, update: { ...free, $set: { ...free.$set, dueAt } } },
    };
    // The second statement matches only when the first did not: after the first, the delivery no longer carries the token.
    return [...(move ? [move] : []), { updateOne: { filter: ours, update: free } }];
  });
  await deliveries.bulkWrite(statements, { ordered: true });
}
