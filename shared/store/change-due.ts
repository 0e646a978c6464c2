/** Changes what is due by a date, the longest due first, in statements that stay small however much is due. */
import { limits } from '../../config/limits.js';
import { type Change, type Collection, type Document, durable } from './database.js';

/** What every collection with a date has, as far as is asked here. */
type Dated = Document & { readonly _id: string };

/**
 * @param field the date, which has an index
 * @param change has to take the date away: the next call finds what is left
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
