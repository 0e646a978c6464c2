/**
 * A collection in memory. It evaluates the very filters, updates, pipelines, indexes and projections that the repositories send, with
 * `mingo`, and refuses what it does not know. `conformance.test.ts` sends the same statements to MongoDB and compares.
 */
import { isDeepStrictEqual } from 'node:util';
import { Aggregator } from 'mingo/aggregator';
import { Context, ProcessingMode } from 'mingo/core';
import * as expressions from 'mingo/operators/expression';
import * as stages from 'mingo/operators/pipeline';
import * as conditions from 'mingo/operators/query';
import * as updates from 'mingo/operators/update';
import { Query } from 'mingo/query';
import { compare } from 'mingo/util';
import mongoose from 'mongoose';
import { bindNow, bsonCopy, certainlyMismatches, type Doc, valuesAt } from './stored-values.js';

const { MongoServerError } = mongoose.mongo;

type Filter = Readonly<Record<string, unknown>>;
type Update = Filter | readonly Filter[];

export interface FindOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly skip?: number;
  readonly limit?: number;
  readonly projection?: Readonly<Record<string, 0 | 1>>;
}

export interface Index {
  readonly keys: readonly string[];
  readonly unique: boolean;
  readonly partialFilter?: Filter;
  /** How long after the time in the field the database removes a document. */
  readonly expireAfterMs?: number;
}

const { $lt, $gt, $lte, $add, $ifNull, $eq, $switch, $literal, $mergeObjects, $concatArrays, $slice } = expressions;
const { $arrayElemAt, $indexOfArray, $concat, $cond, $and, $type, $in } = expressions;
const comparisonOperators = { $lt, $gt, $lte, $add };
const queryContext = Context.init({
  query: {
    ...{ $eq: conditions.$eq, $ne: conditions.$ne, $in: conditions.$in, $nin: conditions.$nin },
    ...{ $lt: conditions.$lt, $lte: conditions.$lte, $gt: conditions.$gt, $gte: conditions.$gte },
    ...{ $and: conditions.$and, $or: conditions.$or, $nor: conditions.$nor, $not: conditions.$not },
    ...{ $exists: conditions.$exists, $elemMatch: conditions.$elemMatch, $expr: conditions.$expr },
  },
  expression: comparisonOperators,
});
const pipelineContext = Context.init({
  pipeline: { $set: stages.$set, $unset: stages.$unset, $replaceWith: stages.$replaceWith },
  expression: {
    ...comparisonOperators,
    ...{ $ifNull, $eq, $switch, $literal, $mergeObjects, $concatArrays, $slice },
    ...{ $arrayElemAt, $indexOfArray, $concat, $cond, $and, $type, $in },
  },
});
const { $set, $unset, $inc, $push, $addToSet } = updates;
const operators = { $set, $unset, $inc, $push, $addToSet } as unknown as Readonly<Record<string, typeof $set>>;

function applyPipeline(document: Doc, pipeline: readonly Filter[]): Doc {
  const options = { context: pipelineContext, processingMode: ProcessingMode.CLONE_OFF };
  const [result] = new Aggregator(pipeline as never, options).run([bsonCopy(document)]) as unknown as [Doc];
  return bsonCopy(result);
}

function applyUpdate(document: Doc, update: Update, isNew: boolean): Doc {
  if (Array.isArray(update)) return applyPipeline(document, update);
  const next = bsonCopy(document);
  for (const [name, operand] of Object.entries(update as Filter)) {
    const operator = name === '$setOnInsert' ? $set : operators[name];
    if (!operator) throw new Error(`the simulated collection knows no ${name}`);
    if (name !== '$setOnInsert' || isNew) operator(bsonCopy(operand) as never, [])(next);
  }
  return next;
}

function applyProjection(document: Doc, projection: FindOptions['projection']): Doc {
  if (!projection) return bsonCopy(document);
  const names = Object.keys(projection);
  if (names.some((name) => name.includes('.'))) throw new Error('the simulated collection projects whole fields only');
  const isKept = names.some((name) => name !== '_id' && projection[name] === 0)
    ? (name: string) => projection[name] !== 0
    : (name: string) => projection[name] === 1 || (name === '_id' && projection['_id'] !== 0);
  return bsonCopy(Object.fromEntries(Object.entries(document).filter(([name]) => isKept(name)))) as Doc;
}

const duplicateKeyError = (collection: string, { keys }: Index) =>
  Object.assign(new MongoServerError({ message: `E11000 duplicate key: ${collection} ${keys.join()}` }), {
    code: 11_000,
  });

/** Returns the entries of a document in an index: one for each value when a field holds a list. */
function entriesOf(document: Doc, { keys }: Index): string[] {
  let entries = [''];
  for (const key of keys) {
    const values = valuesAt(document, key);
    const texts = (values.length > 0 ? values : [null]).map((value) => JSON.stringify(value));
    entries = entries.flatMap((entry) => texts.map((text) => `${entry}\n${text}`));
  }
  return entries;
}

/** The view and the changes of one statement. Nothing is stored before `commit`. */
export class Draft {
  /** Changed documents by id, in the order in which they were written. `undefined`: removed. */
  readonly changes = new Map<string, Doc | undefined>();

  constructor(
    private readonly collection: SimulatedCollection,
    private readonly now: Date,
  ) {}

  find(filter: Filter, { sort, skip = 0, limit, projection }: FindOptions = {}): Doc[] {
    let found = this.#matching(filter);
    if (sort) {
      const order = Object.entries(sort);
      const by = (one: Doc, other: Doc) => {
        for (const [path, direction] of order) {
          const sign = compare(valuesAt(one, path)[0] as never, valuesAt(other, path)[0] as never);
          if (sign !== 0) return sign * direction;
        }
        return 0;
      };
      found = [...found].sort(by);
    }
    if (skip || limit) found = found.slice(skip, limit ? skip + limit : undefined);
    return found.map((document) => applyProjection(document, projection));
  }

  insert(document: Doc): void {
    const stored = bsonCopy(document);
    if (this.#get(stored._id)) throw duplicateKeyError(this.collection.name, { keys: ['_id'], unique: true });
    this.#put(stored);
  }

  /** Returns how many documents matched, and how many really changed. */
  update(filter: Filter, update: Update, { many = false, upsert = false } = {}) {
    const bound = bindNow(update, this.now);
    const found = this.#matching(filter, many ? undefined : 1);
    let modified = 0;
    for (const document of found) {
      const next = applyUpdate(document, bound, false);
      if (isDeepStrictEqual(next, document)) continue;
      this.#put(next);
      modified += 1;
    }
    if (found.length > 0 || !upsert) return { matched: found.length, modified };
    const equal = Object.entries(filter).filter(([, value]) => typeof value !== 'object' || value instanceof Date);
    const created = applyUpdate(Object.fromEntries(equal) as Doc, bound, true);
    this.insert(created);
    return { matched: 0, modified: 0, upsertedId: created._id };
  }

  replace(filter: Filter, replacement: Readonly<Record<string, unknown>>): number {
    const [document] = this.#matching(filter, 1);
    if (document) this.#put(bsonCopy({ ...replacement, _id: document._id }) as Doc);
    return document ? 1 : 0;
  }

  remove(filter: Filter, many: boolean): number {
    const found = this.#matching(filter, many ? undefined : 1);
    for (const { _id } of found) this.changes.set(_id, undefined);
    return found.length;
  }

  /** @param part share of the changed documents that is stored, beginning with the first; 1 stores all */
  commit(part = 1): number {
    const count = Math.ceil(this.changes.size * part);
    for (const [id, document] of [...this.changes].slice(0, count)) this.collection.store(id, document);
    return count;
  }

  #get(id: string): Doc | undefined {
    return this.changes.has(id) ? this.changes.get(id) : this.collection.documents.get(id);
  }

  #all(): Doc[] {
    if (this.changes.size === 0) return [...this.collection.documents.values()];
    const ids = new Set([...this.collection.documents.keys(), ...this.changes.keys()]);
    return [...ids].flatMap((id) => this.#get(id) ?? []);
  }

  #candidates({ _id }: Filter): Doc[] {
    if (typeof _id === 'string') return [this.#get(_id)].flatMap((one) => one ?? []);
    const wantedIds = (_id as { $in?: unknown } | undefined)?.$in;
    return Array.isArray(wantedIds) ? this.#all().filter((document) => wantedIds.includes(document._id)) : this.#all();
  }

  #matching(filter: Filter, limit?: number): Doc[] {
    const possible = this.#candidates(filter).filter((document) => !certainlyMismatches(document, filter));
    if (possible.length === 0) return [];
    // The candidates were chosen by `_id` already.
    const { _id, ...rest } = filter;
    const isById = typeof _id === 'string' || Array.isArray((_id as { $in?: unknown } | undefined)?.$in);
    const remainingFilter = isById ? rest : filter;
    const query =
      Object.keys(remainingFilter).length > 0 &&
      new Query(bindNow(remainingFilter, this.now) as never, { context: queryContext });
    const found = query ? possible.filter((document) => query.test(document)) : possible;
    return limit === undefined ? found : found.slice(0, limit);
  }

  #put(document: Doc): void {
    for (const index of this.collection.indexes) if (index.unique) this.#refuseDuplicate(document, index);
    this.changes.set(document._id, document);
  }

  #refuseDuplicate(document: Doc, index: Index): void {
    const isIn = (one: Doc) =>
      !index.partialFilter || new Query(index.partialFilter as never, { context: queryContext }).test(one);
    if (!isIn(document)) return;
    const entries = new Set(entriesOf(document, index));
    for (const other of this.#all()) {
      if (other._id === document._id || !entriesOf(other, index).some((entry) => entries.has(entry))) continue;
      if (isIn(other)) throw duplicateKeyError(this.collection.name, index);
    }
  }
}

type OnWrite = (before: Doc | undefined, after: Doc | undefined) => void;

export class SimulatedCollection {
  readonly documents = new Map<string, Doc>();
  /** Incremented with every change. */
  version = 0;
  /** Fields by which sweeps find documents. */
  readonly sweptPaths: readonly string[];

  constructor(
    readonly name: string,
    readonly indexes: readonly Index[],
    private readonly onWrite: OnWrite = () => undefined,
  ) {
    const swept = indexes.filter(({ keys }) => keys[0] !== 'clientId').flatMap(({ keys }) => keys);
    this.sweptPaths = [...new Set([...swept, 'leaseUntil', 'work.leaseUntil'])];
  }

  draft(now: Date): Draft {
    return new Draft(this, now);
  }

  store(id: string, document: Doc | undefined): void {
    const before = this.documents.get(id);
    if (document) this.documents.set(id, document);
    else this.documents.delete(id);
    this.version += 1;
    this.onWrite(before, document);
  }

  /** Removes what the database would remove by its TTL indexes. */
  expire(now: Date): void {
    for (const { keys, expireAfterMs } of this.indexes) {
      if (expireAfterMs === undefined) continue;
      for (const document of this.documents.values()) {
        const at = document[keys[0] ?? ''];
        if (at instanceof Date && at.getTime() + expireAfterMs <= now.getTime()) this.store(document._id, undefined);
      }
    }
  }
}
