/** Counts payments for which a processor is still needed. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { workQueues } from '../../shared/domain/payment/stored-work.js';
import type { Database } from '../../shared/store/database.js';

const inWork = { 'work.queue': { $in: [...workQueues] }, 'work.dueAt': { $exists: true } };

/** Builds filters for payments with something to send to a processor, or to inquire there, now or at a deadline. */
const openAt = (processor: string | { readonly $nin: readonly string[] }) => [
  { processor, ...inWork },
  { processor, 'deadline.at': { $exists: true } },
  { processor, refundCheckAt: { $exists: true } },
  { processor, transferCheckAt: { $exists: true } },
];

/**
 * Counts the payments of a merchant for which something is to be sent to a processor, or inquired there, now or at a deadline. Payments
 * with a refund or a transfer that may still change, or with work at a route that was left, are included. Counts up to
 * `limits.queueDepthCountedMax`, by the indexes of the sweeps.
 */
export function countOpenPayments(database: Database, merchantId: number, processor: string): Promise<number> {
  return database.collection<Payment>('payments').countDocuments(
    {
      merchantId,
      $or: [
        ...openAt(processor),
        // A late approval at a route that was left is reversed at that route.
        { 'transactions.leftRoute.processor': processor, 'work.kind': 'reverse', ...inWork },
      ],
    },
    { maxTimeMS: limits.mongoQueryMs, limit: limits.queueDepthCountedMax },
  );
}

/** Processor to which the work of a payment goes: its transaction may be an attempt at a route that was left. */
const workedAt = {
  $let: {
    vars: { tx: { $first: { $filter: { input: '$transactions', cond: { $eq: ['$$this.id', '$work.txId'] } } } } },
    in: { $ifNull: ['$$tx.leftRoute.processor', '$processor'] },
  },
};

/** Counts the same of all merchants, by processor, for processors that are not among `installed`. */
export async function countOpenElsewhere(
  database: Database,
  installed: ReadonlySet<string>,
): Promise<readonly { readonly processor: string; readonly count: number }[]> {
  const elsewhere = { $nin: [...installed] };
  const leftElsewhere = { $elemMatch: { 'leftRoute.processor': { $exists: true, ...elsewhere } } };
  const asWork = { $cond: [{ $gt: ['$work.dueAt', null] }, workedAt, null] };
  const otherAt = { $max: ['$deadline.at', '$refundCheckAt', '$transferCheckAt'] };
  const asOther = { $cond: [{ $gt: [otherAt, null] }, '$processor', null] };
  const found = await database
    .collection<Payment>('payments')
    .aggregate<{ _id: string; count: number }>(
      [
        { $match: { $or: [...openAt(elsewhere), { transactions: leftElsewhere, 'work.kind': 'reverse', ...inWork }] } },
        { $project: { needed: { $setUnion: [[asWork], [asOther]] } } },
        { $unwind: '$needed' },
        { $match: { needed: { $nin: [...installed, null] } } },
        { $group: { _id: '$needed', count: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ],
      { maxTimeMS: limits.mongoQueryMs },
    )
    .toArray();
  return found.map(({ _id: processor, count }) => ({ processor, count }));
}
