/** Values as MongoDB stores them, and operations on documents that need no query language. */
export type Doc = { readonly _id: string } & Record<string, unknown>;

const isPlain = (value: object): value is Record<string, unknown> =>
  Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;

/** Copies a value as BSON would return it: no `undefined` in objects (`ignoreUndefined`), `null` for it in lists, bytes as `Buffer`. */
export function bsonCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return new Date(value) as T;
  if (value instanceof Uint8Array) return Buffer.from(value) as T;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : bsonCopy(item))) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key];
    if (field !== undefined) copy[key] = bsonCopy(field);
  }
  return copy as T;
}

/** Replaces `$$NOW` by the time of the statement. Literals stay unchanged. */
export function bindNow<T>(value: T, now: Date): T {
  if (value === '$$NOW') return now as T;
  if (typeof value !== 'object' || value === null || !(Array.isArray(value) || isPlain(value))) return value;
  if (Array.isArray(value)) return value.map((item) => bindNow(item, now)) as T;
  const bound: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) bound[key] = key === '$literal' ? field : bindNow(field, now);
  return bound as T;
}

/** Returns all values at a path, including those in lists on the way, as an index on the path would have them. */
export function valuesAt(value: unknown, path: string): unknown[] {
  let found = [value];
  for (const name of path.split('.')) {
    found = found.flatMap((one) => {
      const within = Array.isArray(one) ? one : [one];
      return within.flatMap((item) => {
        if (typeof item !== 'object' || item === null) return [];
        const field = (item as Record<string, unknown>)[name];
        return field === undefined ? [] : [field];
      });
    });
  }
  return found.flat();
}

const paths = new Map<string, readonly string[]>();

function segmentsOf(path: string): readonly string[] {
  const names = paths.get(path) ?? path.split('.');
  paths.set(path, names);
  return names;
}

const LIST_ON_PATH = Symbol('several');

/** Returns the single value at a path; `OF_SEVERAL` when there is a list on the way. */
function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const name of segmentsOf(path)) {
    if (Array.isArray(value)) return LIST_ON_PATH;
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return Array.isArray(value) ? LIST_ON_PATH : value;
}

/** Whether a value certainly does not match the operand of a filter: other texts, dates, and missing values that the filter requires. */
function cannotMatch(value: unknown, operand: unknown): boolean {
  if (operand === null || operand === undefined || value === LIST_ON_PATH) return false;
  if (typeof operand === 'string') return value === undefined || (typeof value === 'string' && value !== operand);
  if (typeof operand !== 'object' || operand instanceof Date) return value === undefined;
  const { $lte, $lt, $gte, $gt, $in } = operand as Record<string, unknown>;
  if (value === undefined) {
    if ([$lte, $lt, $gte, $gt].some((bound) => bound !== undefined && bound !== null)) return true;
    return Array.isArray($in) && !$in.includes(null);
  }
  return value instanceof Date && $lte instanceof Date && value > $lte;
}

/** Whether a cheap check shows that a filter does not match a document. That is so for most documents that sweeps look at. */
export function certainlyMismatches(document: Doc, filter: Readonly<Record<string, unknown>>): boolean {
  for (const path of Object.keys(filter)) {
    if (!path.startsWith('$') && cannotMatch(valueAt(document, path), filter[path])) return true;
  }
  return false;
}
