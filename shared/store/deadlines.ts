/**
 * A deadline on every operation of a collection, whatever delays it: the choice of a server, its connection, the answer, a retry. The
 * driver's `timeoutMS` has no effect in the release that is used, and `maxTimeMS` bounds only the work of a server that responds. The
 * outcome of an operation that ends so is unknown: the write may have been made, or may still be.
 */
import { setMaxListeners } from 'node:events';
import mongoose from 'mongoose';
import { limits } from '../../config/limits.js';

const { MongoOperationTimeoutError } = mongoose.mongo;

const notAnswered = (ms: number) => new MongoOperationTimeoutError(`MongoDB did not answer within ${ms} ms`);

/**
 * Runs work and gives up when MongoDB has not answered in time.
 * @throws {MongoOperationTimeoutError} which is answered as `503 timeout`
 */
export async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  // Each statement of the work adds a listener to the signal, however many there are.
  setMaxListeners(Number.POSITIVE_INFINITY, controller.signal);
  const timer = setTimeout(() => controller.abort(notAnswered(ms)), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Makes signals that abort after `ms`, or a little later. Operations that begin in the same `limits.mongoDeadlineStepMs` share a signal,
 * because a separate signal and timer cost more than the rest of an operation's bookkeeping.
 */
function createDeadlines(ms: number): () => AbortSignal {
  let current: AbortSignal | undefined;
  return () => {
    if (current) return current;
    const controller = new AbortController();
    current = controller.signal;
    setMaxListeners(Number.POSITIVE_INFINITY, current);
    setTimeout(() => {
      current = undefined;
    }, limits.mongoDeadlineStepMs).unref();
    setTimeout(() => controller.abort(notAnswered(ms)), ms + limits.mongoDeadlineStepMs).unref();
    return current;
  };
}

/** Position of the options among the arguments of each operation. */
const READS = { aggregate: 1, countDocuments: 1, distinct: 2, estimatedDocumentCount: 0, find: 1, findOne: 1 } as const;
const WRITES = {
  bulkWrite: 1,
  deleteMany: 1,
  deleteOne: 1,
  findOneAndDelete: 1,
  findOneAndReplace: 2,
  findOneAndUpdate: 2,
  insertMany: 1,
  insertOne: 1,
  replaceOne: 2,
  updateMany: 2,
  updateOne: 2,
} as const;

type Operation = (...args: unknown[]) => unknown;

interface Bounded {
  readonly signal?: AbortSignal;
}

/** Several operations in a row under one deadline. */
export interface Span {
  /** Options for each operation. */
  readonly options: Bounded;
  /** Whether the deadline has passed, so that nothing more can be tried. */
  readonly over: boolean;
  /** Looks up what became of a write: within the remaining time, or for `limits.mongoReadBackMs` when the write used up all of it. */
  lookUp<T>(read: (options: Bounded) => Promise<T>): Promise<T>;
}

const deadlinesOf = new WeakMap<object, () => AbortSignal>();

/** Begins a span. It has no deadline when the operations of the collection have none. */
export function startSpan(collection: object): Span {
  const signal = deadlinesOf.get(collection)?.();
  const options = signal ? { signal } : {};
  return {
    options,
    get over() {
      return signal?.aborted === true;
    },
    lookUp: (read) =>
      signal?.aborted ? within(limits.mongoReadBackMs, (more) => read({ signal: more })) : read(options),
  };
}

/** Makes the function that gives the operations of a collection a deadline of `ms`, unless they bring their own. */
export function createBounds(ms: number): <C extends object>(collection: C) => C {
  const nextDeadline = createDeadlines(ms);
  const bind = (collection: object, places: Readonly<Record<string, number>>, defaults: object) => {
    const operations = collection as Record<string, Operation>;
    for (const [name, at] of Object.entries(places)) {
      const operation = operations[name]?.bind(collection);
      if (!operation) throw new Error(`the driver has no operation ${name}`);
      operations[name] = (...args) => {
        args[at] = { ...defaults, signal: nextDeadline(), ...(args[at] as object | undefined) };
        return operation(...args);
      };
    }
  };
  return (collection) => {
    bind(collection, READS, { socketTimeoutMS: limits.mongoReadSilentMs });
    // A write that waits for a majority is silent for as long as that takes.
    bind(collection, WRITES, {});
    deadlinesOf.set(collection, nextDeadline);
    return collection;
  };
}
