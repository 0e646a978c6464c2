/** Finds payments that no process will ever continue (docs/reliability.md, I2). */
import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import { openTransactionStatuses } from '../domain/payment/statuses.js';
import type { Collection, Where } from './database.js';

/** Query that finds payments violating I2: unsettled without work, or settled with work. Always empty in a healthy database. */
export const orphans = {
  $or: [
    // A payment that waits for the payer has a deadline instead of work.
    { status: { $in: ['created', 'pending'] }, work: { $exists: false }, 'deadline.kind': { $ne: 'challenge' } },
    { activeOp: { $exists: true }, work: { $exists: false } },
    {
      status: { $nin: ['created', 'pending'] },
      activeOp: { $exists: false },
      work: { $exists: true },
    },
    { status: 'authorized', deadline: { $exists: false } },
    {
      transactions: { $elemMatch: { status: { $in: openTransactionStatuses } } },
      work: { $exists: false },
      'deadline.kind': { $ne: 'challenge' },
    },
  ],
} as const;

/** Finds a page of ids by the index alone, then the orphans among these payments: each step reads `limit` documents at most. */
export async function findOrphans(payments: Collection<Payment>, from: string | undefined, limit: number) {
  const bounded = { maxTimeMS: limits.mongoQueryMs, projection: { _id: 1 } };
  const behind: Where<Payment> = from === undefined ? {} : { _id: { $gt: from } };
  const last = await payments
    .find(behind, bounded)
    .sort({ _id: 1 })
    .skip(limit - 1)
    .limit(1)
    .next();
  const range = { $gt: from ?? '', ...(last && { $lte: last._id }) };
  // A document without a merchant is no payment.
  const filter = { _id: range, merchantId: { $exists: true }, ...orphans };
  const found = await payments.find(filter, bounded).sort({ _id: 1 }).limit(limit).toArray();
  return { found: found.map(({ _id }) => _id), ...(last && { next: last._id }) };
}
