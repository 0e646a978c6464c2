/** Reads payments, and has the one loop in which a status changes: read, decide (pure), compare-and-set, repeat on a conflict. */
import { limits } from '../../config/limits.js';
import { deadlineKinds, type Payment, type WorkKind, type WorkQueue } from '../domain/payment/payment.js';
import type { ComparedPayment } from '../domain/reconcile/compare-books.js';
import { createAnswerMarks } from './answer-marks.js';
import { changeDue } from './change-due.js';
import { coalesce } from './coalesce.js';
import { type Collection, type Database, durable, type Where } from './database.js';
import { findOrphans } from './orphans.js';
import { createPaymentWrites, type PaymentWrites, type SaveResult } from './payment-writes.js';
import { findByIndex, findByReading } from './payments-by-key.js';
import { pagesMadeWithin } from './payments-made-within.js';
import { distrustUnsent, holdDueDeadlines } from './restored-payments.js';
import { isKnownVersion, isNewerVersion, refuseNewer } from './schema-version.js';

/** Other writers kept changing the payment; nothing was changed. */
export class SaveConflictError extends Error {
  constructor(readonly paymentId: string) {
    super(`payment ${paymentId} was written by others ${limits.saveTriesMax} times in a row`);
    this.name = 'SaveConflictError';
  }
}

/** Due work as the sweep sees it. */
export interface DueWork {
  readonly paymentId: string;
  readonly txId: string;
  readonly kind: WorkKind;
  readonly gen: number;
  readonly traceId: string;
  readonly dueAt: Date;
  /** The work was claimed before, so its nudge is used up. */
  readonly claimed: boolean;
}

export interface PaymentRepository extends PaymentWrites {
  readonly collection: Collection<Payment>;
  findById(id: string): Promise<Payment | undefined>;
  findByIds(ids: readonly string[]): Promise<Payment[]>;
  /** Finds the version alone, to see whether anything was written since. Calls of one tick are one read. */
  findVersion(id: string): Promise<number | undefined>;
  /** Finds a payment; `undefined` also when it belongs to another client. */
  findForClient(id: string, clientId: string): Promise<Payment | undefined>;
  findByRefKey(clientId: string, refKey: string): Promise<Payment | undefined>;
  /** Finds the oldest payments by which a saved card was charged, at most `limits.firstChargesRead`. */
  findChargesOf(clientId: string, token: string): Promise<Payment[]>;
  /** Finds the payment of a 3DS session. */
  findByThreeDsSession(sessionId: string): Promise<Payment | undefined>;
  /**
   * Applies `plan` to the newest state until the result is written or `plan` returns `undefined` (nothing to do any more).
   * @throws {SaveConflictError} after `limits.saveTriesMax` conflicts.
   * @throws {NewerDocumentError} when a newer release wrote the payment.
   */
  update(start: Payment, plan: (payment: Payment) => Payment | undefined): Promise<Payment | undefined>;
  /** Finds work of a queue that is due at `now` and free by the database's clock, oldest first. */
  findDueWork(queue: WorkQueue, kinds: readonly WorkKind[], now: Date, limit: number): Promise<DueWork[]>;
  /**
   * Counts due work of a queue of an unknown kind or a newer schema, which another release stored. Counted up to
   * `limits.queueDepthCountedMax`.
   */
  countUnknownWork(queue: WorkQueue, kinds: readonly WorkKind[], now: Date): Promise<number>;
  /** Counts the work of a queue that is due at `now` (up to `limits.queueDepthCountedMax`), and finds when the oldest became due. */
  measureQueue(queue: WorkQueue, now: Date): Promise<{ readonly depth: number; readonly oldest: Date | undefined }>;
  /** Extends the leases with these tokens on these payments. */
  renewLeases(paymentIds: readonly string[], tokens: readonly string[]): Promise<void>;
  /**
   * Records that the caller got the events from `first` to `last`: they are not announced. Batched.
   */
  markAnswered(id: string, first: number, last: number): Promise<void>;
  findDueDeadlines(now: Date, limit: number, skip?: number): Promise<Payment[]>;
  findToAnnounce(now: Date, limit: number, skip?: number): Promise<Payment[]>;
  /** Finds payments with approved refunds that are to be inquired again. */
  findRefundChecks(now: Date, limit: number, skip?: number): Promise<Payment[]>;
  /** Finds the payment of a code by its content. */
  findByCode(clientId: string, value: string): Promise<Payment | undefined>;
  /** Finds the payment that has a transaction under our key, or under the processor's reference, among payments that take updates. */
  findForUpdate(
    processor: string,
    by: { readonly key?: string; readonly processorReference?: string },
  ): Promise<Payment | undefined>;
  /**
   * Finds payments that have a transaction under one of these keys. An index finds those of processors that send updates.
   * @param where `scan`: all payments, by reading every one, a page at a time.
   */
  findByTransactions(keys: readonly string[], where: 'index' | 'scan'): Promise<Payment[]>;
  /** Reads payments of a client that were created in this time, oldest first, a page at a time. */
  pagesMadeWithin(clientId: string, from: Date, until: Date): AsyncIterable<ComparedPayment[]>;
  /**
   * Makes work that the backup holds as not sent be inquired first, because it may have been sent after the backup. No authorization is
   * sent any more. Returns how many payments were changed.
   */
  distrustUnsent(now: Date): Promise<number>;
  /**
   * After a restore: makes due captures and releases at other processors than `listed` wait for a person. Returns the ids of the
   * payments.
   */
  holdDueDeadlines(listed: readonly string[], now: Date): Promise<readonly string[]>;
  /**
   * Finds among the next `limit` payments behind `after` those that no process will continue (I2). `next`: where to continue; absent at
   * the end.
   */
  findOrphans(
    after: string | undefined,
    limit: number,
  ): Promise<{ readonly found: readonly string[]; readonly next?: string }>;
  /** Finds bank transfers about which the bank is to be asked again. */
  findTransferChecks(now: Date, limit: number, skip?: number): Promise<Payment[]>;
  /** Finds payments whose card is still to be saved, longest waiting first. */
  findToTokenize(before: Date, limit: number): Promise<Payment[]>;
  /** Destroys cvc and card envelopes that are due, up to `limits.dueChangedMax` of each; returns how many were destroyed. */
  destroyDueEnvelopes(now: Date): Promise<number>;
}

export function createPaymentRepository(database: Database, batched: boolean): PaymentRepository {
  const payments = database.collection<Payment>('payments');
  const writes = createPaymentWrites(payments, batched);
  const one = async (filter: Where<Payment>) =>
    (await payments.findOne(filter, { maxTimeMS: limits.mongoQueryMs })) ?? undefined;
  /** Finds payments that are due for a sweep. */
  const due = (filter: Where<Payment>, field: string, limit: number, skip?: number) =>
    page({ ...filter, ...isKnownVersion('payments') }, { [field]: 1 }, limit, skip);
  const page = (filter: Where<Payment>, sort: Record<string, 1>, limit: number, skip = 0) =>
    payments.find(filter, { maxTimeMS: limits.mongoQueryMs }).sort(sort).skip(skip).limit(limit).toArray();

  return {
    ...writes,
    collection: payments,
    markAnswered: createAnswerMarks(payments, batched),
    findById: (id) => one({ _id: id }),
    findByIds: (ids) => page({ _id: { $in: [...ids] } }, { _id: 1 }, ids.length),
    findVersion: createVersionReader(payments),
    // A reservation of a session has the client and an id, but no merchant.
    findForClient: (id, clientId) => one({ _id: id, clientId, merchantId: { $exists: true } }),
    findChargesOf: (clientId, token) =>
      page({ clientId, instrument: token }, { createdAt: 1 }, limits.firstChargesRead),
    findByThreeDsSession: (sessionId) => one({ 'threeDs.sessionId': sessionId }),
    findByRefKey: (clientId, refKey) => one({ clientId, refKeys: refKey }),
    update: (start, plan) => updateLoop(start, plan, writes.save, (id) => one({ _id: id })),
    findDueWork: (queue, kinds, now, limit) => findDueWork(payments, queue, kinds, now, limit),
    countUnknownWork: (queue, kinds, now) =>
      payments.countDocuments(
        {
          'work.queue': queue,
          'work.dueAt': { $lte: now },
          $or: [{ 'work.kind': { $nin: [...kinds] } }, isNewerVersion('payments')],
        },
        { maxTimeMS: limits.mongoQueryMs, limit: limits.queueDepthCountedMax },
      ),
    measureQueue: (queue, now) => measureQueue(payments, queue, now),
    renewLeases: async (paymentIds, tokens) => {
      await payments.updateMany(
        { _id: { $in: [...paymentIds] }, 'work.leaseToken': { $in: [...tokens] } },
        [{ $set: { 'work.leaseUntil': { $add: ['$$NOW', limits.leaseMs] } } }],
        { writeConcern: durable },
      );
    },
    findDueDeadlines: (now, limit, skip) =>
      due(
        { 'deadline.at': { $lte: now }, 'deadline.kind': { $in: deadlineKinds }, activeOp: { $exists: false } },
        'deadline.at',
        limit,
        skip,
      ),
    findRefundChecks: (now, limit, skip) => due({ refundCheckAt: { $lte: now } }, 'refundCheckAt', limit, skip),
    findByCode: (clientId, value) => one({ clientId, 'code.value': value }),
    findForUpdate: async (processor, { key, processorReference: reference }) => {
      // Also those with an attempt after which the payment changed to another route.
      const ofProcessor = {
        takesUpdates: true as const,
        $or: [{ processor }, { 'transactions.leftRoute.processor': processor }],
      };
      const byKey = key === undefined ? undefined : await one({ ...ofProcessor, 'transactions.id': key });
      if (byKey || reference === undefined) return byKey;
      return one({ ...ofProcessor, 'transactions.processorReference': reference });
    },
    findByTransactions: (keys, where) => (where === 'index' ? findByIndex : findByReading)(payments, keys),
    pagesMadeWithin: (clientId, from, until) => pagesMadeWithin(payments, clientId, from, until),
    findOrphans: (from, limit) => findOrphans(payments, from, limit),
    distrustUnsent: (now) => distrustUnsent(payments, now),
    holdDueDeadlines: (listed, now) => holdDueDeadlines(payments, listed, now),
    findTransferChecks: (now, limit, skip) => due({ transferCheckAt: { $lte: now } }, 'transferCheckAt', limit, skip),
    findToTokenize: (before, limit) => due({ tokenizeAt: { $lte: before } }, 'tokenizeAt', limit),
    findToAnnounce: (now, limit, skip) => due({ announceAt: { $lte: now } }, 'announceAt', limit, skip),
    destroyDueEnvelopes: (now) => destroyDueEnvelopes(payments, now),
  };
}

/** Reads versions in batches: many callers that wait and look repeatedly must not multiply the load that makes them wait. */
function createVersionReader(payments: Collection<Payment>): (id: string) => Promise<number | undefined> {
  return coalesce<string, number | undefined>(
    async (ids) => {
      const found = await payments
        .find({ _id: { $in: [...new Set(ids)] } }, { projection: { version: 1 }, maxTimeMS: limits.mongoQueryMs })
        .toArray();
      const versions = new Map(found.map(({ _id, version }) => [_id, version]));
      return ids.map((id) => ({ ok: versions.get(id) }));
    },
    { itemsMax: limits.batchItemsMax, inFlightMax: limits.batchesInFlightMax },
  );
}

async function updateLoop(
  start: Payment,
  plan: (payment: Payment) => Payment | undefined,
  save: (before: Payment, after: Payment) => Promise<SaveResult>,
  read: (id: string) => Promise<Payment | undefined>,
): Promise<Payment | undefined> {
  let current: Payment | undefined = start;
  for (let tries = 0; tries < limits.saveTriesMax && current; tries += 1) {
    refuseNewer('payments', current);
    const next = plan(current);
    if (!next) return undefined;
    const result = await save(current, next);
    if (result === 'duplicate') throw new Error(`payment ${current._id}: an own operation met a used reference`);
    if (result !== 'conflict') return result;
    current = await read(start._id);
  }
  if (!current) throw new Error(`payment ${start._id} is gone`);
  throw new SaveConflictError(start._id);
}

async function findDueWork(
  payments: Collection<Payment>,
  queue: WorkQueue,
  kinds: readonly WorkKind[],
  now: Date,
  limit: number,
): Promise<DueWork[]> {
  const due = await payments
    .find(
      {
        'work.queue': queue,
        'work.dueAt': { $lte: now },
        'work.kind': { $in: [...kinds] },
        ...isKnownVersion('payments'),
        $expr: { $lt: ['$work.leaseUntil', '$$NOW'] },
      },
      { projection: { work: 1, traceId: 1 }, maxTimeMS: limits.mongoQueryMs },
    )
    .sort({ 'work.dueAt': 1 })
    .limit(limit)
    .toArray();
  return due.flatMap(({ _id, work, traceId }) =>
    work
      ? [
          {
            paymentId: _id,
            txId: work.txId,
            kind: work.kind,
            gen: work.gen,
            traceId,
            dueAt: work.dueAt,
            claimed: work.leaseToken !== undefined,
          },
        ]
      : [],
  );
}

async function measureQueue(payments: Collection<Payment>, queue: WorkQueue, now: Date) {
  const due = { 'work.queue': queue, 'work.dueAt': { $lte: now } };
  const bounded = { maxTimeMS: limits.mongoQueryMs };
  const [depth, oldest] = await Promise.all([
    payments.countDocuments(due, { ...bounded, limit: limits.queueDepthCountedMax }),
    payments.findOne(due, { ...bounded, sort: { 'work.dueAt': 1 }, projection: { work: 1 } }),
  ]);
  return { depth, oldest: oldest?.work?.dueAt };
}

/** Destroys envelopes of newer releases too: what is to be destroyed by a time must not wait for a process of that release. */
async function destroyDueEnvelopes(payments: Collection<Payment>, now: Date): Promise<number> {
  // A payment of an earlier release has its card's fingerprint beside the envelope.
  const cardOf: Collection<Payment & { readonly cardFingerprint?: string }> = payments;
  const [cvc, card] = await Promise.all([
    changeDue(payments, 'cvcDestroyAt', now, { $unset: { cvc: '', cvcDestroyAt: '' }, $inc: { version: 1 } }),
    changeDue(cardOf, 'cardDestroyAt', now, {
      $unset: { card: '', cardDestroyAt: '', cardFingerprint: '' },
      $inc: { version: 1 },
    }),
  ]);
  return cvc + card;
}
