import { createHash } from 'node:crypto';
import { limits } from '../../config/limits.js';
import { after, noLease } from '../domain/time.js';
import { type ProcessorUpdate, updateKinds } from '../processors/updates.js';
import { type Database, durable, isDuplicateKey } from './database.js';
import { PROCESSOR_UPDATES, type ProcessorUpdateRow } from './processor-update.model.js';
import { isKnownVersion, isNewerVersion, written } from './schema-version.js';

export interface ReceivedUpdate extends Pick<ProcessorUpdateRow, 'processor' | 'traceId' | 'receivedAt'> {
  readonly merchantId?: number | undefined;
  readonly update: ProcessorUpdate;
}

export interface Settled extends Pick<ProcessorUpdateRow, 'status'> {
  readonly reason: string;
  readonly paymentId?: string | undefined;
}

/** A claimed update. Each claim has another end of its lease, which tells it from later claims. */
type HeldUpdate = Pick<ProcessorUpdateRow, '_id' | 'leaseUntil'>;

export interface ProcessorUpdateRepository {
  /** Stores the updates that are not stored yet; returns the ids of all. Durable when the promise resolves. */
  store(updates: readonly ReceivedUpdate[]): Promise<readonly string[]>;
  /** Claims the update; undefined when it is done, not due, gone or claimed by another process. */
  claim(id: string, now: Date): Promise<ProcessorUpdateRow | undefined>;
  /** Stores the end of the update; false when another process claimed it meanwhile. */
  settle(held: HeldUpdate, settled: Settled, now: Date): Promise<boolean>;
  /** Makes the update due again at `dueAt`, unless another process claimed it meanwhile. */
  postpone(held: HeldUpdate, reason: string, dueAt: Date): Promise<void>;
  /** Finds due updates that are not claimed, oldest first. */
  findDue(now: Date, limit: number, skip?: number): Promise<readonly string[]>;
  /** Newest first. @param after id of an update: only those behind it; the result is undefined when there is no such update. */
  list(
    status: ProcessorUpdateRow['status'],
    limit: number,
    after?: string,
  ): Promise<readonly ProcessorUpdateRow[] | undefined>;
  /** Makes a flagged update wait again; false when there is none. */
  retry(id: string, now: Date): Promise<boolean>;
}

/**
 * Returns the id of an update. It depends on the merchant, so that a merchant that signs with its own secret cannot use up the ids of
 * others.
 */
export function updateId(processor: string, merchantId: number | undefined, eventId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([processor, merchantId ?? null, eventId]))
    .digest('hex');
  return `upd_${digest.slice(0, 40)}`;
}

/** Condition of updates that this release can apply. Updates of another kind wait for a process of the release that stored them. */
const known = { ...isKnownVersion('processor_updates'), 'update.kind': { $in: [...updateKinds] } } as object;
/** Condition of updates that wait for a process of another release. */
export const unknownUpdates = {
  $or: [isNewerVersion('processor_updates'), { status: 'waiting', 'update.kind': { $nin: [...updateKinds] } }],
};
const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

const heldBy = ({ _id, leaseUntil }: HeldUpdate) => ({ _id, status: 'waiting' as const, leaseUntil });

function toRow({ processor, merchantId, update, traceId, receivedAt }: ReceivedUpdate): ProcessorUpdateRow {
  return {
    _id: updateId(processor, merchantId, update.eventId),
    ...written('processor_updates'),
    processor,
    ...(merchantId !== undefined && { merchantId }),
    update,
    traceId,
    status: 'waiting',
    tries: 0,
    receivedAt,
    dueAt: receivedAt,
    leaseUntil: noLease,
    expireAt: after(receivedAt, limits.updatesFlaggedKeptMs),
  };
}

export function createProcessorUpdateRepository(database: Database): ProcessorUpdateRepository {
  const rows = database.collection<ProcessorUpdateRow>(PROCESSOR_UPDATES);
  return {
    async store(updates) {
      const wanted = [...new Map(updates.map(toRow).map((row) => [row._id, row])).values()];
      if (wanted.length === 0) return [];
      const upserts = wanted.map((row) => {
        const { _id, ...$setOnInsert } = row;
        return { updateOne: { filter: { _id }, update: { $setOnInsert }, upsert: true } };
      });
      // A majority may not have the stored update yet: a write that changes nothing waits for the majority all the same.
      const write = () => rows.bulkWrite(upserts, { ordered: false, writeConcern: durable, ignoreUndefined: true });
      await write().catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return write();
      });
      return wanted.map(({ _id }) => _id);
    },
    async claim(id, now) {
      const free = { _id: id, ...known, status: 'waiting' as const, dueAt: { $lte: now }, leaseUntil: { $lte: now } };
      const lease = { leaseUntil: after(now, limits.updateLeaseMs) };
      return (await rows.findOneAndUpdate(free, { $set: lease }, { returnDocument: 'after' })) ?? undefined;
    },
    async settle(held, { status, reason, paymentId }, now) {
      const keptMs = status === 'flagged' ? limits.updatesFlaggedKeptMs : limits.updatesKeptMs;
      const $set = { status, reason, ...(paymentId !== undefined && { paymentId }), expireAt: after(now, keptMs) };
      return (await rows.updateOne(heldBy(held), { $set }, { writeConcern: durable })).matchedCount === 1;
    },
    async postpone(held, reason, dueAt) {
      const change = { $set: { reason, dueAt, leaseUntil: noLease }, $inc: { tries: 1 } };
      await rows.updateOne(heldBy(held), change);
    },
    async findDue(now, limit, skip = 0) {
      const due = { ...known, status: 'waiting' as const, dueAt: { $lte: now }, leaseUntil: { $lte: now } };
      const found = await rows
        .find(due, { ...bounded, projection: { _id: 1 } })
        .sort({ dueAt: 1 })
        .skip(skip)
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },
    async list(status, limit, afterId) {
      const last = afterId === undefined ? undefined : await rows.findOne({ _id: afterId }, bounded);
      if (last === null) return undefined;
      const behind = last && { $or: [{ dueAt: { $lt: last.dueAt } }, { dueAt: last.dueAt, _id: { $lt: last._id } }] };
      return rows
        .find({ status, ...behind }, bounded)
        .sort({ dueAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
    },
    async retry(id, now) {
      const $set = { status: 'waiting' as const, tries: 0, dueAt: now, leaseUntil: noLease };
      return (
        (await rows.updateOne({ _id: id, status: 'flagged' }, { $set }, { writeConcern: durable })).matchedCount === 1
      );
    },
  };
}
