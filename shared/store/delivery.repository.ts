/**
 * Deliveries in MongoDB: found when due, claimed by a lease of the database's clock, recorded by the holder of the lease
 * (docs/reliability.md, "Claiming", "Callbacks").
 */
import { limits } from '../../config/limits.js';
import type { Delivery } from '../domain/callback/delivery.js';
import type { PlannedDelivery } from '../domain/callback/plan-fan-out.js';
import { eventIdOf, newToken } from '../ids.js';
import { coalesce } from './coalesce.js';
import type { Collection, Database, Filter } from './database.js';
import { DELIVERIES } from './delivery.model.js';
import { freeLease, notHeld, type RecordedTry, type Recording, recordBatch } from './delivery-records.js';

/** What the choice of deliveries looks at. */
export type DueDelivery = Pick<Delivery, '_id' | 'paymentId' | 'clientId' | 'seq' | 'host' | 'dueAt'>;

/** Who has no room for another one. */
export interface Busy {
  readonly hosts?: readonly string[];
  readonly clients?: readonly string[];
  /** Clients at single hosts. */
  readonly receivers?: readonly Pick<Delivery, 'host' | 'clientId'>[];
}

/** The deliveries of these clients at these hosts, host by host. */
function ofReceivers(receivers: NonNullable<Busy['receivers']>): Filter<Delivery>[] {
  const clientsAt = new Map<string, string[]>();
  for (const { host, clientId } of receivers) clientsAt.set(host, [...(clientsAt.get(host) ?? []), clientId]);
  return [...clientsAt].map(([host, clients]) => ({ host, clientId: { $in: clients } }));
}

export interface DeliveryRepository {
  /** Stores deliveries in the order given; those that are there already stay as they are. */
  insert(planned: readonly PlannedDelivery[], now: Date): Promise<void>;
  /** Due deliveries that nobody holds, oldest first, without those of the hosts, clients and receivers that are busy. */
  findDue(now: Date, limit: number, busy?: Busy): Promise<DueDelivery[]>;
  /** Those of `ids` that are due and not held. */
  findDueAmong(ids: readonly string[], now: Date): Promise<DueDelivery[]>;
  /** The first delivery that still waits, of each of these payments. */
  findFirstWaiting(paymentIds: readonly string[]): Promise<ReadonlyMap<string, DueDelivery>>;
  /** Claims those that nobody holds; what comes back is held for `limits.callbackLeaseMs`. */
  claim(ids: readonly string[]): Promise<Delivery[]>;
  /** Records a try of a claimed delivery and frees it. False: the lease had run out, the try goes unrecorded. */
  record(claimed: Delivery, tried: RecordedTry, now: Date): Promise<boolean>;
  /** Frees a claimed delivery without a try. */
  release(claimed: Delivery): Promise<void>;
  /** Moves a delivery that is still as it was seen to a later due date. */
  postpone(seen: DueDelivery, dueAt: Date): Promise<void>;
  /** Moves everything of a client at a host that would be due before `until` to then. */
  postponeReceiver(receiver: Pick<Delivery, 'host' | 'clientId'>, until: Date): Promise<void>;
  /** Makes the first waiting delivery of the payment due now and returns its id. */
  wakeNext(paymentId: string, now: Date): Promise<string | undefined>;
  /** All deliveries of a payment by seq, for the people who ask what was sent. */
  findByPayment(paymentId: string): Promise<Delivery[]>;
  /** Sends an ended delivery again from the start of the schedule. Returns its id; `undefined`: unknown or waiting. */
  replay(paymentId: string, eventId: string, now: Date): Promise<string | undefined>;
}

const seenFields = { paymentId: 1, clientId: 1, seq: 1, host: 1, dueAt: 1 } as const;
const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

function toDelivery({ _id, ...planned }: PlannedDelivery, now: Date): Omit<Delivery, '_id'> {
  return {
    ...planned,
    eventId: eventIdOf(_id),
    state: 'waiting',
    dueAt: now,
    tries: 0,
    leaseUntil: freeLease,
    attempts: [],
  };
}

async function findFirstWaiting(
  deliveries: Collection<Delivery>,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, DueDelivery>> {
  const waiting = await deliveries
    .find<DueDelivery>(
      { paymentId: { $in: [...paymentIds] }, state: 'waiting' },
      { ...bounded, projection: seenFields, sort: { seq: -1 } },
    )
    .toArray();
  // Descending, so that the lowest seq of a payment is the one that stays in the map.
  return new Map(waiting.map((delivery) => [delivery.paymentId, delivery]));
}

export function createDeliveryRepository(database: Database): DeliveryRepository {
  const deliveries = database.collection<Delivery>(DELIVERIES);
  const findSeen = (filter: Filter<Delivery>, limit: number) =>
    deliveries
      .find<DueDelivery>({ ...notHeld, ...filter }, { ...bounded, projection: seenFields, sort: { dueAt: 1 }, limit })
      .toArray();
  // Every try ends with these two: senders that end together share one write and one read. One at a time of each: what ends
  // meanwhile is the next batch, and the larger it is the less each costs. The place at the host is free before.
  const bounds = { itemsMax: limits.batchItemsMax, inFlightMax: 1 };
  const record = coalesce<Recording, boolean>((batch) => recordBatch(deliveries, batch), bounds);
  const firstWaiting = coalesce<string, DueDelivery | undefined>(async (paymentIds) => {
    const first = await findFirstWaiting(deliveries, paymentIds);
    return paymentIds.map((paymentId) => ({ ok: first.get(paymentId) }));
  }, bounds);

  return {
    async insert(planned, now) {
      if (planned.length === 0) return;
      // Upserts, because an ordered insertMany would stop at the first one that is there already.
      await deliveries.bulkWrite(
        planned.map((delivery) => ({
          updateOne: {
            filter: { _id: delivery._id },
            update: { $setOnInsert: toDelivery(delivery, now) },
            upsert: true,
          },
        })),
        { ordered: true },
      );
    },

    findDue: (now, limit, { hosts = [], clients = [], receivers = [] } = {}) =>
      findSeen(
        {
          dueAt: { $lte: now },
          ...(hosts.length > 0 && { host: { $nin: [...hosts] } }),
          ...(clients.length > 0 && { clientId: { $nin: [...clients] } }),
          ...(receivers.length > 0 && { $nor: ofReceivers(receivers) }),
        },
        limit,
      ),

    findDueAmong: (ids, now) => findSeen({ _id: { $in: [...ids] }, dueAt: { $lte: now } }, ids.length),

    findFirstWaiting: (paymentIds) => findFirstWaiting(deliveries, paymentIds),

    async claim(ids) {
      if (ids.length === 0) return [];
      const token = newToken();
      const among = { _id: { $in: [...ids] } };
      // A token of its own for each: what is recorded later is found by it.
      const leaseToken = { $concat: [token, ':', '$_id'] };
      await deliveries.updateMany({ ...notHeld, ...among }, [
        { $set: { leaseToken, leaseUntil: { $add: ['$$NOW', limits.callbackLeaseMs] } } },
      ]);
      return deliveries.find({ ...among, leaseToken: { $in: ids.map((id) => `${token}:${id}`) } }, bounded).toArray();
    },

    record: (claimed, tried, now) => record({ claimed, tried, now }),

    async release(claimed) {
      await deliveries.updateOne(
        { _id: claimed._id, leaseToken: claimed.leaseToken ?? '' },
        { $set: { leaseUntil: freeLease }, $unset: { leaseToken: '' } },
      );
    },

    async postpone(seen, dueAt) {
      await deliveries.updateOne({ ...notHeld, _id: seen._id, dueAt: seen.dueAt }, { $set: { dueAt } });
    },

    async postponeReceiver({ host, clientId }, until) {
      await deliveries.updateMany({ ...notHeld, host, clientId, dueAt: { $lt: until } }, { $set: { dueAt: until } });
    },

    async wakeNext(paymentId, now) {
      const next = await firstWaiting(paymentId);
      if (next) await deliveries.updateOne({ _id: next._id, state: 'waiting' }, { $set: { dueAt: now } });
      return next?._id;
    },

    findByPayment: (paymentId) => deliveries.find({ paymentId }, { ...bounded, sort: { seq: 1 } }).toArray(),

    async replay(paymentId, eventId, now) {
      const replayed = await deliveries.findOneAndUpdate(
        { paymentId, eventId, state: { $ne: 'waiting' } },
        { $set: { state: 'waiting', dueAt: now, tries: 0, leaseUntil: freeLease }, $unset: { expireAt: '' } },
        { projection: { _id: 1 } },
      );
      return replayed?._id;
    },
  };
}
