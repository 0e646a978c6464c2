/** Finds payments by the keys that they have at processors. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import type { Collection, Where } from './database.js';

/** Finds payments that take updates, by an index. */
export const findByIndex = (payments: Collection<Payment>, keys: readonly string[]): Promise<Payment[]> =>
  payments
    .find({ takesUpdates: true, 'transactions.id': { $in: [...keys] } }, { maxTimeMS: limits.mongoQueryMs })
    .toArray();

/**
 * Finds payments without an index: `page` documents are read at a time, so that no statement takes longer the more is stored. A statement
 * that does not end in time would never succeed.
 */
export async function findByReading(
  payments: Collection<Payment>,
  keys: readonly string[],
  page: number = limits.booksScanPage,
): Promise<Payment[]> {
  const bounded = { maxTimeMS: limits.booksScanMs };
  const found: Payment[] = [];
  for (let from = ''; ; ) {
    const behind: Where<Payment> = { _id: { $gt: from } };
    const ids = payments.find(behind, { ...bounded, projection: { _id: 1 } }).sort({ _id: 1 });
    const last = await ids
      .skip(page - 1)
      .limit(1)
      .next();
    const range = { $gt: from, ...(last && { $lte: last._id }) };
    found.push(...(await payments.find({ _id: range, 'transactions.id': { $in: [...keys] } }, bounded).toArray()));
    if (!last) return found;
    from = last._id;
  }
}
