/**
 * Finds audit entries, newest first: batches by their times, because the indexes have only those, and within a batch the last entry
 * first. Batches of two processes overlap by the time in which entries gather (`limits.auditGatherMs`).
 */
import { limits } from '../../config/limits.js';
import { defined } from '../domain/defined.js';
import { msBetween } from '../domain/time.js';
import type { AuditRow, StoredEntry } from './audit.model.js';
import type { Collection } from './database.js';

/** Conditions of a search for entries; all of them have to hold. */
export type AuditFilter = Partial<Pick<StoredEntry, 'clientId' | 'actor' | 'action' | 'paymentId' | 'outcome'>> & {
  readonly since?: Date | undefined;
};
export type AuditRecord = StoredEntry & { readonly id: string };

/** Returns the entries of a row, newest first. */
function recordsOf(row: AuditRow): AuditRecord[] {
  if ('entries' in row) return row.entries.map((entry, at) => ({ id: `${row._id}.${at}`, ...entry })).reverse();
  const { _id: id, link: _link, ...entry } = row;
  return [{ id, ...entry }];
}

/** Returns the id of the row that holds an entry. */
const rowIdOf = (id: string) => id.replace(/\.\d+$/, '');

/** Orders rows newest first: rows of the same time by their numbers, those of several chains by their ids. */
const newestFirst = (a: AuditRow, b: AuditRow): number =>
  msBetween(a.at, b.at) || (b.link?.seq ?? 0) - (a.link?.seq ?? 0) || b._id.localeCompare(a._id);

/** Builds the query. Both kinds of rows hold client and payment under the same names, by which indexes find them. */
function whereOf({ since, ...fields }: AuditFilter): object {
  const wanted = defined(fields);
  const { clientId, paymentId } = fields;
  return {
    ...defined({ clientId, paymentId }),
    ...(since && { at: { $gte: since } }),
    ...(Object.keys(wanted).length > 0 && {
      $or: [{ entries: { $elemMatch: wanted } }, { entries: { $exists: false }, ...wanted }],
    }),
  };
}

function fits({ since, ...fields }: AuditFilter): (entry: AuditRecord) => boolean {
  const wanted = Object.entries(defined(fields));
  return (entry) =>
    (!since || entry.at >= since) && wanted.every(([field, value]) => entry[field as keyof AuditRecord] === value);
}

export interface AuditLookup {
  /** Finds the newest entries, at most `max`. */
  newest(filter: AuditFilter, max: number): Promise<readonly AuditRecord[]>;
  /** Finds the entries behind an entry in the order of `newest`; undefined when there is no such entry. */
  after(id: string, filter: AuditFilter, max: number): Promise<readonly AuditRecord[] | undefined>;
}

export function createAuditLookup(rows: Collection<AuditRow>): AuditLookup {
  const options = { maxTimeMS: limits.mongoQueryMs, batchSize: limits.auditRowsRead };
  const readMoment = async (where: object, at: Date) =>
    (await rows.find({ $and: [where, { at }] }, options).toArray()).sort(newestFirst);

  async function newest(where: object, filter: AuditFilter, max: number): Promise<readonly AuditRecord[]> {
    const entriesOf = (row: AuditRow) => recordsOf(row).filter(fits(filter));
    const found: AuditRow[] = [];
    let count = 0;
    for await (const row of rows.find(where, options).sort({ at: -1 })) {
      found.push(row);
      count += entriesOf(row).length;
      if (count >= max) break;
    }
    const last = found.at(-1);
    if (!last || count < max) return found.sort(newestFirst).flatMap(entriesOf);
    // The page may end among rows of the same time, whose order no index knows: all rows of that time are read.
    const before = found.filter(({ at }) => at > last.at).sort(newestFirst);
    return [...before, ...(await readMoment(where, last.at))].flatMap(entriesOf).slice(0, max);
  }

  return {
    newest: (filter, max) => newest(whereOf(filter), filter, max),
    async after(id, filter, max) {
      const row = await rows.findOne({ _id: rowIdOf(id) }, { maxTimeMS: limits.mongoQueryMs });
      const own = row ? recordsOf(row) : [];
      const place = own.findIndex((entry) => entry.id === id);
      if (!row || place < 0) return undefined;
      const where = whereOf(filter);
      const moment = (await readMoment(where, row.at)).filter((other) => newestFirst(row, other) < 0);
      const near = [...own.slice(place + 1), ...moment.flatMap(recordsOf)].filter(fits(filter));
      if (near.length >= max) return near.slice(0, max);
      const earlier = { $and: [where, { at: { $lt: row.at } }] };
      return [...near, ...(await newest(earlier, filter, max - near.length))];
    },
  };
}
