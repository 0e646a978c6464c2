/** Changes documents that are due by a date, the longest due first, in statements that stay small however many are due. */
import { limits } from '../../config/limits.js';
import { type Change, type Collection, type Document, durable } from './database.js';

/** The fields of a document that are used here. */
type Dated = Document & { readonly _id: string };

/**
 * Changes documents whose date has passed.
 * @param field the date, which has an index
 * @param change must remove the date, so that the next call finds the remaining documents
 * @returns how many were changed, `limits.dueChangedMax` at most
 */
export async function changeDue<T extends Dated>(
  collection: Collection<T>,
  field: keyof T & string,
  now: Date,
  change: Change<T>,
): Promise<number> {
  const dated = collection as unknown as Collection<Dated>;
  const due = { [field]: { $lte: now } };
  const found = await dated
    .find(due, { projection: { _id: 1 }, maxTimeMS: limits.mongoQueryMs })
    .sort({ [field]: 1 })
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
