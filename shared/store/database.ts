/**
 * The connection to MongoDB. Mongoose owns schemas, indexes and the cold paths; hot paths use the driver's collections
 * through {@link Database.collection} (docs/performance.md). Writes are majority + journal everywhere.
 */
import { setMaxListeners } from 'node:events';
import mongoose from 'mongoose';
import { limits } from '../../config/limits.js';
import { isUnavailable } from './database-errors.js';

export type Document = mongoose.mongo.Document;
export type Collection<T extends Document> = mongoose.mongo.Collection<T>;
export type Filter<T extends Document> = mongoose.mongo.Filter<T>;
export type UpdateFilter<T extends Document> = mongoose.mongo.UpdateFilter<T>;
export type AnyBulkWriteOperation<T extends Document> = mongoose.mongo.AnyBulkWriteOperation<T>;

export interface Database {
  readonly connection: mongoose.Connection;
  /** A collection of the driver, without Mongoose's casting. */
  collection<T extends Document>(name: string): Collection<T>;
  /** A collection of `<db>_ephemeral`, which backups leave out (keys of cvc envelopes). */
  ephemeral<T extends Document>(name: string): Collection<T>;
  /** Throws when MongoDB does not answer in time. */
  ping(): Promise<void>;
  /** Release of the server, such as `8.0.4`. */
  serverVersion(): Promise<string>;
  /** The primary's clock (ms since the epoch) as it is when this answers, and by how much that may be wrong. */
  readClock(): Promise<{ readonly timeMs: number; readonly uncertainMs: number }>;
  close(): Promise<void>;
}

/** Durable on a majority, journaled, and never waited for longer than `limits.mongoWriteConcernMs`. */
export const durable = { w: 'majority', journal: true, wtimeoutMS: limits.mongoWriteConcernMs } as const;

/**
 * Gives up what MongoDB has not answered in time. `maxTimeMS` bounds what the server does; a server that hangs, or an answer that
 * is lost, is noticed here alone: the driver's `timeoutMS` has no effect.
 * @throws {MongoOperationTimeoutError} which is answered as `503 timeout`
 */
export async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  // Each statement of the work listens to it, however many there are.
  setMaxListeners(Number.POSITIVE_INFINITY, controller.signal);
  const giveUp = () =>
    controller.abort(new mongoose.mongo.MongoOperationTimeoutError(`MongoDB did not answer within ${ms} ms`));
  const timer = setTimeout(giveUp, ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** True for a unique-index violation: the document, or its reference, is there already. */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 11000;
}

/**
 * The message for an operator about a MongoDB that cannot be used; undefined when the error is of another kind. The driver's texts
 * name hosts and users, never passwords.
 */
export function databaseProblem(error: unknown): string | undefined {
  const { name = '', message = '' } = (error ?? {}) as Partial<Error>;
  const isRefusal = name === 'MongoServerError';
  if (name === 'MongooseServerSelectionError' || (isUnavailable(error) && !isRefusal)) {
    return (
      `MongoDB does not answer: ${message}. Start it, or correct MONGODB_URI. ` +
      'It has to be a replica set, under the name that replicaSet says.'
    );
  }
  // An address that cannot be parsed is not repeated: it may hold a password.
  if (/^Mongo.*Parse/.test(name)) return 'MONGODB_URI is no connection string of MongoDB.';
  if (isRefusal || /^Mongo.*(Auth|Invalid)/.test(name)) return `MongoDB refused: ${message}`;
  return undefined;
}

/**
 * Connects and returns once the primary answered.
 * @throws {Error} when no primary answers within `limits.mongoServerSelectionMs`.
 */
export async function openDatabase(uri: string): Promise<Database> {
  const connection = await mongoose
    .createConnection(uri, {
      maxPoolSize: limits.mongoPoolMax,
      minPoolSize: 4,
      serverSelectionTimeoutMS: limits.mongoServerSelectionMs,
      retryWrites: true,
      ignoreUndefined: true,
      writeConcern: durable,
      readConcern: { level: 'majority' },
      autoIndex: false,
      autoCreate: false,
    })
    .asPromise();
  const client = connection.getClient();
  const db = client.db(connection.name);
  const ephemeral = client.db(`${connection.name}_ephemeral`);
  const command = (document: Document) =>
    within(limits.mongoServerSelectionMs, (signal) => db.command(document, { signal }));
  return {
    connection,
    collection: (name) => db.collection(name, { promoteBuffers: true }),
    ephemeral: (name) => ephemeral.collection(name, { promoteBuffers: true }),
    ping: async () => {
      await command({ ping: 1 });
    },
    serverVersion: async () => {
      const { version } = await command({ buildInfo: 1 });
      return String(version);
    },
    readClock: async () => {
      const sentMs = performance.now();
      const { localTime } = await command({ hello: 1 });
      const halfMs = (performance.now() - sentMs) / 2;
      return { timeMs: (localTime as Date).getTime() + halfMs, uncertainMs: halfMs + 1 };
    },
    close: () => connection.close(),
  };
}
