/** Marks events that a caller got as its own HTTP answer, so that they are not announced as well. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import { coalesce, type Settled } from './coalesce.js';
import { type Collection, durable, type Write } from './database.js';
import { among } from './typed-collection.js';

interface Mark {
  readonly id: string;
  readonly first: number;
  readonly last: number;
}

/** Groups marks of the same events: mostly one group, since most callers get the first events of their payment. */
function groupByEvents(marks: readonly Mark[]): Mark[][] {
  const groups = new Map<string, Mark[]>();
  // The earlier events of a payment come first.
  for (const mark of marks.toSorted((one, other) => one.first - other.first)) {
    const key = `${mark.first} to ${mark.last}`;
    const group = groups.get(key);
    if (group) group.push(mark);
    else groups.set(key, [mark]);
  }
  return [...groups.values()];
}

/**
 * Builds the two statements for one group of marks; exactly one of them matches a payment. When nothing else waits to be announced, every
 * event is answered: the payment leaves the fan-out at once, and the bodies are removed. Otherwise the sequence numbers are noted and the
 * fan-out skips them. Leaving the fan-out changes what other writers set as well, so it raises the version: a writer that decided by the
 * older state decides again.
 */
function statementsOf({ first, last }: Mark, ids: readonly string[]): Write<Payment>[] {
  const answered = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const _id = among(ids);
  return [
    {
      updateMany: {
        filter: { _id, fannedOutSeq: { $lt: last }, $nor: [{ eventSeq: last, fannedOutSeq: first - 1 }] },
        update: { $addToSet: { answered: { $each: answered } } },
      },
    },
    {
      updateMany: {
        filter: { _id, eventSeq: last, fannedOutSeq: first - 1 },
        update: {
          $set: { fannedOutSeq: last },
          $unset: { announceAt: '', 'events.$[].body': '' },
          $inc: { version: 1 },
        },
      },
    },
  ];
}

/** Creates the function that marks events, batched. A failed batch rejects every mark of it, which costs a callback too many. */
export function createAnswerMarks(payments: Collection<Payment>, batched: boolean) {
  const { batchItemsMax, batchesInFlightMax: inFlightMax, markGatherMs: gapMs } = limits;
  const bounds = batched ? { itemsMax: batchItemsMax, inFlightMax, gapMs } : { itemsMax: 1, inFlightMax };
  const mark = coalesce<Mark, undefined>(async (batch): Promise<Settled<undefined>[]> => {
    const statements = groupByEvents(batch).flatMap((group) =>
      group[0] ? statementsOf(group[0], [...new Set(group.map(({ id }) => id))]) : [],
    );
    await payments.bulkWrite(statements, { ordered: true, writeConcern: durable });
    return batch.map(() => ({ ok: undefined }));
  }, bounds);
  return (id: string, first: number, last: number): Promise<void> => mark({ id, first, last });
}
