/** Changes documents that are due, in statements that stay small however many are due. */
import { limits } from '../../config/limits.js';
import { type Change, type Collection, type Document, durable, type Where } from './database.js';

/** The fields of a document that are used here. */
type Dated = Document & { readonly _id: string };

/**
 * Changes documents that meet a condition.
 * @param change must end the condition, so that the next call finds the remaining documents
 * @param order in which they are changed; absent: that of the index
 * @returns how many were changed, `limits.dueChangedMax` at most
 */
export async function changeSome<T extends Dated>(
  collection: Collection<T>,
  condition: Where<T>,
  change: Change<T>,
  order: Readonly<Record<string, 1>> = {},
): Promise<number> {
  const dated = collection as unknown as Collection<Dated>;
  const due = condition as unknown as Where<Dated>;
  const found = await dated
    .find(due, { projection: { _id: 1 }, maxTimeMS: limits.mongoQueryMs })
    .sort(order)
    .limit(limits.dueChangedMax)
    .toArray();
  if (found.length === 0) return 0;
  const among = { ...due, _id: { $in: found.map(({ _id }) => _id) } };
  const { modifiedCount } = await dated.updateMany(among, change as unknown as Change<Dated>, {
    hint: { _id: 1 },
    writeConcern: durable,
  });
  return modifiedCount;
}

/**
 * Changes documents whose date has passed, the longest due first.
 * @param field the date, which has an index
 * @param change must remove the date
 * @returns how many were changed, `limits.dueChangedMax` at most
 */
export const changeDue = <T extends Dated>(
  collection: Collection<T>,
  field: keyof T & string,
  now: Date,
  change: Change<T>,
): Promise<number> => changeSome(collection, { [field]: { $lte: now } } as unknown as Where<T>, change, { [field]: 1 });
