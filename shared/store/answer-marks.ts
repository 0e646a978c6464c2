/** Marks events that a caller got as its own HTTP answer, so that they are not announced as well. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import { coalesce, type Settled } from './coalesce.js';
import { type AnyBulkWriteOperation, type Collection, durable } from './database.js';

interface Mark {
  readonly id: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Where nothing else waits to be announced, all is told: the payment leaves the fan-out at once, bodies and all. Otherwise
 * the sequence numbers are noted and the fan-out skips them. Exactly one of the two matches. The first changes what other
 * writers set as well, so it counts as a write: whoever decided by the older state decides again.
 */
function marksOf({ id, first, last }: Mark): AnyBulkWriteOperation<Payment>[] {
  const told = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return [
    {
      updateOne: {
        filter: { _id: id, fannedOutSeq: { $lt: last }, $nor: [{ eventSeq: last, fannedOutSeq: first - 1 }] },
        update: { $addToSet: { answered: { $each: told } } },
      },
    },
    {
      updateOne: {
        filter: { _id: id, eventSeq: last, fannedOutSeq: first - 1 },
        update: {
          $set: { fannedOutSeq: last },
          $unset: { announceAt: '', 'events.$[].body': '' },
          $inc: { version: 1 },
        },
      },
    },
  ] as unknown as AnyBulkWriteOperation<Payment>[];
}

/** Batched; a failed batch rejects every mark of it, which costs a callback too many. */
export function createAnswerMarks(payments: Collection<Payment>, batched: boolean) {
  const bounds = { itemsMax: batched ? limits.batchItemsMax : 1, inFlightMax: limits.batchesInFlightMax };
  const mark = coalesce<Mark, undefined>(async (batch): Promise<Settled<undefined>[]> => {
    await payments.bulkWrite(batch.flatMap(marksOf), { ordered: true, writeConcern: durable });
    return batch.map(() => ({ ok: undefined }));
  }, bounds);
  return (id: string, first: number, last: number): Promise<void> => mark({ id, first, last });
}
