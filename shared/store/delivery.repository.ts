/**
 * Deliveries in MongoDB: found when due, claimed by a lease of the database's clock, recorded by the holder of the lease
 * (docs/reliability.md, "Claiming", "Callbacks").
 */
import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, Delivery, DueDelivery, Receiver } from '../domain/callback/delivery.js';
import type { PlannedDelivery } from '../domain/callback/plan-fan-out.js';
import { latest, noLease } from '../domain/time.js';
import { eventIdOf, newToken } from '../ids.js';
import { coalesce, type Settled } from './coalesce.js';
import type { Collection, Database, Where } from './database.js';
import { DELIVERIES } from './delivery.model.js';
import { notHeld, type RecordedTry, type Recording, recordBatch } from './delivery-records.js';
import { findWaiting, type Postponed, postpone, type Released, release, turnDueAt } from './delivery-turns.js';
import { createReceiverMoves } from './postpone-receiver.js';
import { isKnownVersion, written } from './schema-version.js';

/** Hosts, clients and receivers without room for another delivery. */
export interface Busy {
  readonly hosts?: readonly string[];
  readonly clients?: readonly string[];
  /** Clients at single hosts. */
  readonly receivers?: readonly Receiver[];
}

/** The deliveries of these clients at these hosts, host by host. */
function ofReceivers(receivers: readonly Receiver[]): Where<Delivery>[] {
  const clientsAt = new Map<string, string[]>();
  for (const { host, clientId } of receivers) clientsAt.set(host, [...(clientsAt.get(host) ?? []), clientId]);
  return [...clientsAt].map(([host, clients]) => ({ host, clientId: { $in: clients } }));
}

export interface DeliveryRepository {
  /**
   * Stores deliveries in the given order, and returns those that were stored. Deliveries that exist already stay as they are, unless they
   * are of another event, left by a restored database.
   */
  insert(planned: readonly PlannedDelivery[], now: Date): Promise<DueDelivery[]>;
  /**
   * Finds due deliveries that are not held, oldest first, except those of receivers that are being postponed and of the busy hosts,
   * clients and receivers.
   */
  findDue(now: Date, limit: number, busy?: Busy): Promise<DueDelivery[]>;
  /** Finds those of these receivers only, at the cost of what is found, however many are due for others. */
  findDueOf(receivers: readonly Receiver[], now: Date, limit: number): Promise<DueDelivery[]>;
  /** Finds those of `ids` that are due and not held. */
  findDueAmong(ids: readonly string[], now: Date): Promise<DueDelivery[]>;
  /**
   * Claims deliveries that are still due, not held, and before which no other delivery of their payment waits, except one that is claimed
   * with them. The returned ones are held for `limits.callbackLeaseMs`. The others of a payment wait until they are woken.
   */
  claim(due: readonly DueDelivery[], now: Date): Promise<ClaimedDelivery[]>;
  /** Records an attempt of a claimed delivery and frees it. False when the lease had run out: the attempt is not recorded. */
  record(claimed: ClaimedDelivery, tried: RecordedTry, now: Date): Promise<boolean>;
  /** Frees claimed deliveries without an attempt. */
  release(released: readonly Released[]): Promise<void>;
  /** Moves deliveries to a later due date, unless they changed since they were seen. */
  postpone(postponed: readonly Postponed[]): Promise<void>;
  /**
   * Moves all deliveries of a client at a host that are due before `until` to that time. Of several moves of one receiver at once the
   * latest end counts.
   */
  postponeReceiver(receiver: Receiver, until: Date): Promise<void>;
  /** Makes the first waiting delivery of the payment due now and returns it. */
  wakeNext(paymentId: string, now: Date): Promise<DueDelivery | undefined>;
  /** Finds all deliveries of a payment by seq, for people who ask what was sent. */
  findByPayment(paymentId: string): Promise<Delivery[]>;
  /** Sends an ended delivery again from the start of the schedule. Returns its id; `undefined` when it is unknown or waiting. */
  replay(paymentId: string, eventId: string, now: Date): Promise<string | undefined>;
}

const seenFields = { schemaVersion: 0, state: 0, leaseToken: 0, leaseUntil: 0, attempts: 0, expireAt: 0 } as const;
const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

/** Further fields of a new delivery. */
const untried = { ...written('deliveries'), state: 'waiting', leaseUntil: noLease, attempts: [] } as const;

const toDue = (planned: PlannedDelivery, now: Date): DueDelivery => ({
  ...planned,
  eventId: eventIdOf(planned._id, planned.createdAt),
  dueAt: now,
  tries: 0,
});

/** Upserts, because an ordered insertMany would stop at the first delivery that exists already. @returns those that were new */
async function upsert(deliveries: Collection<Delivery>, due: readonly DueDelivery[]): Promise<DueDelivery[]> {
  const { upsertedIds } = await deliveries.bulkWrite(
    due.map(({ _id, ...delivery }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { ...delivery, ...untried } }, upsert: true },
    })),
    { ordered: true },
  );
  return due.filter((_, index) => index in upsertedIds);
}

/**
 * Inserts deliveries. A backup of a running gateway may hold a delivery of an event that its payment lacks. Its sequence number is then
 * given to another event, at another time, and the current event replaces the old delivery.
 */
async function insert(deliveries: Collection<Delivery>, due: readonly DueDelivery[]): Promise<DueDelivery[]> {
  if (due.length === 0) return [];
  const stored = await upsert(deliveries, due);
  const there = due.filter((delivery) => !stored.includes(delivery));
  if (there.length === 0) return stored;
  const { deletedCount } = await deliveries.deleteMany({
    $or: there.map(({ _id, createdAt }) => ({ _id, createdAt: { $ne: createdAt } })),
  });
  return deletedCount === 0 ? stored : [...stored, ...(await upsert(deliveries, there))];
}

/**
 * Claims many at once: one update with a token for each, and at the same time a look at the order of the payment. Either may finish
 * first: an ended delivery does not wait again, and a delivery that is not sent because of this is found again.
 */
async function claim(deliveries: Collection<Delivery>, due: readonly DueDelivery[], now: Date) {
  if (due.length === 0) return [];
  const token = newToken();
  const leaseToken = { $concat: [token, ':', '$_id'] };
  const leaseUntil = { $add: ['$$NOW', limits.callbackLeaseMs] };
  const among = { _id: { $in: due.map(({ _id }) => _id) } };
  const [{ matchedCount }, waiting] = await Promise.all([
    deliveries.updateMany({ ...notHeld, ...among, dueAt: { $lte: now } }, [{ $set: { leaseToken, leaseUntil } }]),
    findWaiting(deliveries, [...new Set(due.map(({ paymentId }) => paymentId))]),
  ]);
  const all = due.map((delivery) => ({ ...delivery, leaseToken: `${token}:${delivery._id}` }));
  const ours = matchedCount === due.length ? all : await stillHeld(deliveries, all);
  const ids = new Set(ours.map(({ _id }) => _id));
  const turns = ours.map((claimed) => {
    const before = waiting.get(claimed.paymentId)?.find(({ _id, seq }) => seq < claimed.seq && !ids.has(_id));
    return { claimed, before };
  });
  await release(
    deliveries,
    turns.flatMap(({ claimed, before }) => (before ? [{ claimed, dueAt: turnDueAt(before, now) }] : [])),
  );
  return turns.flatMap(({ claimed, before }) => (before ? [] : [claimed]));
}

async function stillHeld(deliveries: Collection<Delivery>, claimed: readonly ClaimedDelivery[]) {
  const held = await deliveries
    .find<Pick<Delivery, '_id'>>(
      { _id: { $in: claimed.map(({ _id }) => _id) }, leaseToken: { $in: claimed.map(({ leaseToken }) => leaseToken) } },
      { ...bounded, projection: { _id: 1 } },
    )
    .toArray();
  const ids = new Set(held.map(({ _id }) => _id));
  return claimed.filter(({ _id }) => ids.has(_id));
}

/** Makes the first waiting delivery of each payment due. */
async function wakeBatch(
  deliveries: Collection<Delivery>,
  batch: readonly { readonly paymentId: string; readonly now: Date }[],
): Promise<Settled<DueDelivery | undefined>[]> {
  const waiting = await findWaiting(deliveries, [...new Set(batch.map(({ paymentId }) => paymentId))]);
  const next = {
    _id: { $in: [...waiting.values()].flatMap(([first]) => first?._id ?? []) },
    state: 'waiting',
    ...isKnownVersion('deliveries'),
  } as const;
  const dueAt = latest(...batch.map(({ now }) => now));
  const [found] = await Promise.all([
    waiting.size === 0 ? [] : deliveries.find<DueDelivery>(next, { ...bounded, projection: seenFields }).toArray(),
    waiting.size === 0 ? undefined : deliveries.updateMany(next, { $set: { dueAt } }),
  ]);
  const byPayment = new Map(found.map((delivery) => [delivery.paymentId, delivery]));
  return batch.map(({ paymentId }) => {
    const woken = byPayment.get(paymentId);
    return { ok: woken && { ...woken, dueAt } };
  });
}

export function createDeliveryRepository(database: Database): DeliveryRepository {
  const deliveries = database.collection<Delivery>(DELIVERIES);
  const moves = createReceiverMoves(deliveries);
  const findSeen = (filter: Where<Delivery>, options: { limit: number; hint?: string }) =>
    deliveries
      .find<DueDelivery>(
        { ...notHeld, ...filter },
        { ...bounded, projection: seenFields, sort: { dueAt: 1 }, ...options },
      )
      .toArray();
  // Every attempt ends with these two, and neither is urgent, because the slot at the host is free before. So they gather, with one batch
  // of each at a time: the larger the batch, the less each costs.
  const bounds = { itemsMax: limits.batchItemsMax, inFlightMax: 1 };
  const record = coalesce<Recording, boolean>((batch) => recordBatch(deliveries, batch), {
    ...bounds,
    gapMs: limits.callbackGatherMs,
  });
  const wakeNext = coalesce<{ paymentId: string; now: Date }, DueDelivery | undefined>(
    (batch) => wakeBatch(deliveries, batch),
    bounds,
  );

  return {
    insert: (planned, now) =>
      insert(
        deliveries,
        planned.map((delivery) => toDue(delivery, now)),
      ),

    findDue(now, limit, { hosts = [], clients = [], receivers = [] } = {}) {
      const without = [...receivers, ...moves.underWay()];
      return findSeen(
        {
          dueAt: { $lte: now },
          ...(hosts.length > 0 && { host: { $nin: [...hosts] } }),
          ...(clients.length > 0 && { clientId: { $nin: [...clients] } }),
          ...(without.length > 0 && { $nor: ofReceivers(without) }),
        },
        { limit },
      );
    },

    // One branch per receiver, so that the index merges them in the order of their due dates. Otherwise MongoDB would sort all of them.
    findDueOf: (receivers, now, limit) =>
      findSeen(
        { dueAt: { $lte: now }, $or: receivers.map(({ host, clientId }) => ({ host, clientId })) },
        { limit, hint: 'of_receiver' },
      ),

    findDueAmong: (ids, now) => findSeen({ _id: { $in: [...ids] }, dueAt: { $lte: now } }, { limit: ids.length }),

    claim: (due, now) => claim(deliveries, due, now),

    record: (claimed, tried, now) => record({ claimed, tried, now }),

    release: (released) => release(deliveries, released),

    postpone: (postponed) => postpone(deliveries, postponed),

    postponeReceiver: (receiver, until) => moves.move(receiver, until),

    wakeNext: (paymentId, now) => wakeNext({ paymentId, now }),

    findByPayment: (paymentId) => deliveries.find({ paymentId }, { ...bounded, sort: { seq: 1 } }).toArray(),

    async replay(paymentId, eventId, now) {
      const replayed = await deliveries.findOneAndUpdate(
        { paymentId, eventId, state: { $ne: 'waiting' }, ...isKnownVersion('deliveries') },
        { $set: { state: 'waiting', dueAt: now, tries: 0, leaseUntil: noLease }, $unset: { expireAt: '' } },
        { projection: { _id: 1 } },
      );
      return replayed?._id;
    },
  };
}
