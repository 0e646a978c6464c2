/** Payments for which a processor is still needed. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { workQueues } from '../../shared/domain/payment/stored-work.js';
import type { Database } from '../../shared/store/database.js';

/**
 * How many payments of a merchant have something to be sent to a processor, or asked there, now or at a deadline: also about a refund
 * or a transfer that may still change, and about a route that was left. Counted up to `limits.queueDepthCountedMax`, by the indexes of
 * the sweeps.
 */
export function countOpenPayments(database: Database, merchantId: number, processor: string): Promise<number> {
  const inWork = { 'work.queue': { $in: [...workQueues] }, 'work.dueAt': { $exists: true } };
  return database.collection<Payment>('payments').countDocuments(
    {
      merchantId,
      $or: [
        { processor, ...inWork },
        // What was approved late at a route that was left is taken back there.
        { 'transactions.leftRoute.processor': processor, 'work.kind': 'reverse', ...inWork },
        { processor, 'deadline.at': { $exists: true } },
        { processor, refundCheckAt: { $exists: true } },
        { processor, transferCheckAt: { $exists: true } },
      ],
    },
    { maxTimeMS: limits.mongoQueryMs, limit: limits.queueDepthCountedMax },
  );
}
