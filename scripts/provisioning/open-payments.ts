/** Payments for which a processor is still needed. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { workQueues } from '../../shared/domain/payment/stored-work.js';
import type { Database } from '../../shared/store/database.js';

/**
 * How many payments of a merchant at a processor have something to be sent or asked, now or at a deadline. Counted up to
 * `limits.queueDepthCountedMax`, by the indexes of the sweeps.
 */
export function countOpenPayments(database: Database, merchantId: number, processor: string): Promise<number> {
  return database.collection<Payment>('payments').countDocuments(
    {
      merchantId,
      processor,
      $or: [
        { 'work.queue': { $in: [...workQueues] }, 'work.dueAt': { $exists: true } },
        { 'deadline.at': { $exists: true } },
      ],
    },
    { maxTimeMS: limits.mongoQueryMs, limit: limits.queueDepthCountedMax },
  );
}
