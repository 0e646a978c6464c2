/** The methods of the driver's collection that the repositories use, as statements on a simulated collection. */
import mongoose from 'mongoose';
import type { Draft, FindOptions, SimulatedCollection } from './simulated-collection.js';
import type { Doc } from './stored-values.js';

type Filter = Readonly<Record<string, unknown>>;

/** Effect and answer of a statement. Nothing is stored yet. */
export interface StatementResult {
  /** The driver's answer. */
  readonly answer: unknown;
  /** Number of documents that were found, matched or inserted. */
  readonly count: number;
}

/** Prepares one method of the driver on a draft. */
type Statement = (draft: Draft, args: readonly unknown[]) => StatementResult;

const updateAnswer = ({ matched, modified, upsertedId }: ReturnType<Draft['update']>) => ({
  acknowledged: true,
  matchedCount: matched,
  modifiedCount: modified,
  upsertedCount: upsertedId === undefined ? 0 : 1,
  upsertedId: upsertedId ?? null,
});

const countOf = ({ matched, upsertedId }: ReturnType<Draft['update']>) => matched + (upsertedId === undefined ? 0 : 1);

function runUpdate(draft: Draft, [filter, update, options]: readonly unknown[], many: boolean): StatementResult {
  const { upsert = false } = (options ?? {}) as { upsert?: boolean };
  const result = draft.update(filter as Filter, update as Filter, { many, upsert });
  return { answer: updateAnswer(result), count: countOf(result) };
}

function findOneAndUpdate(draft: Draft, [filter, update, options]: readonly unknown[]): StatementResult {
  const {
    upsert = false,
    returnDocument = 'before',
    projection,
  } = (options ?? {}) as {
    upsert?: boolean;
    returnDocument?: 'before' | 'after';
    projection?: FindOptions['projection'];
  };
  const [before] = draft.find(filter as Filter, { limit: 1, ...(projection && { projection }) });
  const result = draft.update(before ? { _id: before._id } : (filter as Filter), update as Filter, { upsert });
  const id = before?._id ?? result.upsertedId;
  if (id === undefined) return { answer: null, count: 0 };
  const [after] = draft.find({ _id: id }, projection ? { projection } : {});
  return { answer: returnDocument === 'after' ? after : (before ?? null), count: 1 };
}

/** Makes the driver's error for several statements, each with the index of its statement. */
function bulkError(errors: readonly { readonly index: number; readonly code: unknown; readonly errmsg: string }[]) {
  const error = new mongoose.mongo.MongoServerError({ message: errors[0]?.errmsg ?? '' });
  return Object.assign(error, {
    code: errors[0]?.code,
    writeErrors: errors,
    result: { getWriteConcernError: () => undefined },
  });
}

type Bulk = Readonly<Record<string, { readonly filter: Filter; readonly update: Filter; readonly upsert?: boolean }>>;

function forEachStatement<T>(
  items: readonly T[],
  { ordered = true }: { ordered?: boolean },
  execute: (item: T, index: number) => void,
) {
  const errors: { index: number; code: unknown; errmsg: string }[] = [];
  for (const [index, item] of items.entries()) {
    try {
      execute(item, index);
    } catch (error) {
      const { code, message } = error as { code?: unknown; message: string };
      if (code !== 11_000) throw error;
      errors.push({ index, code, errmsg: message });
      if (ordered) break;
    }
  }
  if (errors.length > 0) throw bulkError(errors);
}

function bulkWrite(draft: Draft, [statements, options]: readonly unknown[]): StatementResult {
  const answer = { matchedCount: 0, modifiedCount: 0, upsertedCount: 0, upsertedIds: {} as Record<number, string> };
  forEachStatement(statements as readonly Bulk[], (options ?? {}) as { ordered?: boolean }, (statement, index) => {
    const [[name, { filter, update, upsert = false }]] = Object.entries(statement) as [[string, Bulk[string]]];
    if (name !== 'updateOne' && name !== 'updateMany') throw new Error(`the simulated database knows no bulk ${name}`);
    const result = draft.update(filter, update, { many: name === 'updateMany', upsert });
    answer.matchedCount += result.matched;
    answer.modifiedCount += result.modified;
    if (result.upsertedId !== undefined) answer.upsertedIds[index] = result.upsertedId;
  });
  answer.upsertedCount = Object.keys(answer.upsertedIds).length;
  return { answer, count: Number.POSITIVE_INFINITY };
}

function insertMany(draft: Draft, [documents, options]: readonly unknown[]): StatementResult {
  forEachStatement(documents as readonly Doc[], (options ?? {}) as { ordered?: boolean }, (document) =>
    draft.insert(document),
  );
  return { answer: { acknowledged: true }, count: Number.POSITIVE_INFINITY };
}

/** Statements that change nothing. */
export const reads: Readonly<Record<string, Statement>> = {
  find(draft, [filter, options]) {
    const answer = draft.find((filter ?? {}) as Filter, (options ?? {}) as FindOptions);
    return { answer, count: answer.length };
  },
  findOne(draft, [filter, options]) {
    const [found = null] = draft.find(filter as Filter, { ...(options as FindOptions), limit: 1 });
    return { answer: found, count: found ? 1 : 0 };
  },
  countDocuments(draft, [filter, options]) {
    const { limit } = (options ?? {}) as FindOptions;
    const count = draft.find(filter as Filter, limit === undefined ? {} : { limit }).length;
    return { answer: count, count };
  },
  distinct(draft, [field, filter]) {
    const answer = [...new Set(draft.find(filter as Filter).map((document) => document[field as string]))];
    return { answer, count: answer.length };
  },
};

export const writes: Readonly<Record<string, Statement>> = {
  insertOne(draft, [document]) {
    draft.insert(document as Doc);
    return { answer: { acknowledged: true, insertedId: (document as Doc)._id }, count: 1 };
  },
  insertMany,
  bulkWrite,
  findOneAndUpdate,
  updateOne: (draft, args) => runUpdate(draft, args, false),
  updateMany: (draft, args) => runUpdate(draft, args, true),
  replaceOne(draft, [filter, replacement]) {
    const matchedCount = draft.replace(filter as Filter, replacement as Filter);
    return { answer: { acknowledged: true, matchedCount, modifiedCount: matchedCount }, count: matchedCount };
  },
  deleteOne(draft, [filter]) {
    const deletedCount = draft.remove(filter as Filter, false);
    return { answer: { acknowledged: true, deletedCount }, count: deletedCount };
  },
  deleteMany(draft, [filter]) {
    const deletedCount = draft.remove(filter as Filter, true);
    return { answer: { acknowledged: true, deletedCount }, count: deletedCount };
  },
};

/** @throws when the simulated database does not support the method */
export function statementOf(method: string): Statement {
  const plan = reads[method] ?? writes[method];
  if (!plan) throw new Error(`the simulated database knows no ${method}`);
  return plan;
}

/** Executes one statement on a collection that no process uses, for the conformance test. */
export function execute(collection: SimulatedCollection, method: string, args: readonly unknown[], now: Date): unknown {
  const draft = collection.draft(now);
  try {
    return statementOf(method)(draft, args).answer;
  } finally {
    draft.commit();
  }
}
