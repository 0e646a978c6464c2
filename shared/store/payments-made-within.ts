import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import { type ComparedPayment, comparedFields } from '../domain/reconcile/compare-books.js';
import type { Collection, Where } from './database.js';

const projection = Object.fromEntries([...comparedFields, 'createdAt'].map((name) => [name, 1]));

/**
 * Reads payments of a client that were created in this time, oldest first. No more than a page is held in memory, and no statement reads
 * more.
 */
export async function* pagesMadeWithin(
  payments: Collection<Payment>,
  clientId: string,
  from: Date,
  until: Date,
  pageSize: number = limits.booksPage,
): AsyncGenerator<ComparedPayment[]> {
  let behind: Where<Payment> = { createdAt: { $gte: from, $lt: until } };
  for (;;) {
    const page = await payments
      .find({ clientId, ...behind }, { projection, maxTimeMS: limits.mongoQueryMs })
      .sort({ createdAt: 1, _id: 1 })
      .limit(pageSize)
      .toArray();
    yield page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    const { _id, createdAt } = last;
    // Among payments of the same millisecond, those that sort behind it.
    behind = {
      createdAt: { $gte: createdAt, $lt: until },
      $or: [{ createdAt: { $gt: createdAt } }, { _id: { $gt: _id } }],
    };
  }
}
