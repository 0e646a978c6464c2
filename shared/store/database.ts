/**
 * The connection to MongoDB. Mongoose owns schemas, indexes and the cold paths; hot paths use the driver's collections
 * through {@link Database.collection} (docs/performance.md). Writes are majority + journal everywhere.
 */
import mongoose from 'mongoose';
import { limits } from '../../config/limits.js';
import { isUnavailable } from './database-errors.js';
import { createBounds, within } from './deadlines.js';
import type { Collection } from './typed-collection.js';

export type Document = mongoose.mongo.Document;
export type { Change, Collection, Where, Write } from './typed-collection.js';

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
  /** Reads the primary's clock (ms since the epoch) as it is when this returns, and by how much that may be wrong (ms). */
  readClock(): Promise<{ readonly timeMs: number; readonly uncertainMs: number }>;
  close(): Promise<void>;
}

/** Write concern: durable on a majority, journaled. No write waits longer for it than `limits.mongoWriteConcernMs`. */
export const durable = { w: 'majority', journal: true, wtimeoutMS: limits.mongoWriteConcernMs } as const;
/** For settings that a process caches for seconds anyway: while there is no primary, a secondary answers. */
export const alsoFromSecondary = { readPreference: 'primaryPreferred' } as const;

/** Whether the error is a unique-index violation: the document, or its reference, exists already. */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 11000;
}

/** The connection string cannot be used, whatever state MongoDB is in. The message does not repeat it, because it may hold a password. */
class AddressError extends Error {
  constructor(reason: string) {
    super(`MONGODB_URI ${reason}.`);
    this.name = 'AddressError';
  }
}

/** Errors of the driver about options that cannot be used. Their texts name the options. */
const OF_OPTIONS = /^Mongo(API|InvalidArgument|MissingCredentials|MissingDependency)Error$/;

/** Turns the error of a failed first connection into one about the address. @returns any other error as it is. */
function connectError(error: unknown): unknown {
  const { name = '', message = '', code = '', syscall = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  // `MongoRuntimeError`: an invalid host, which may be the first half of a password with a slash.
  if (/^Mongo(Parse|Runtime)Error$/.test(name)) {
    return new AddressError('is no connection string of MongoDB; percent-encode user and password');
  }
  if (OF_OPTIONS.test(name)) return new AddressError(`cannot be used: ${message}`);
  if (syscall.startsWith('query')) return new AddressError(`names a host that DNS does not answer for: ${message}`);
  if (syscall === 'open' || syscall === 'read') return new AddressError(`names a file that cannot be read: ${code}`);
  return error;
}

/** MongoDB's code for a command that its user may not run, or that needs a user. */
const UNAUTHORIZED = 13;
const RIGHTS =
  'MONGODB_URI has to name a user with readWrite on its database and on <database>_ephemeral (docs/production.md#mongodb).';

/** MongoDB's code for a wrong user or password. */
const AUTHENTICATION_FAILED = 18;
const CREDENTIALS =
  'Correct user and password in MONGODB_URI. A user that was made in another database than the one in the path needs its name: authSource=admin.';

const NOT_SERVED = 'Start it, or correct MONGODB_URI. It has to be a replica set, under the name that replicaSet says.';
const NOT_TRUSTED =
  'If the certificate authority is your own, name its file in NODE_EXTRA_CA_CERTS; otherwise correct the certificate or MONGODB_URI.';

/** Whether the text of a failed connection says that this side refused the certificate of the other. An alert is the other's own refusal. */
export const refusesCertificate = (text: string): boolean => /\bcertificate\b/i.test(text) && !/\balert\b/i.test(text);

/** Returns MongoDB's refusal without the command, whose values are of no use to an operator. */
function refusalOf(message: string, code: unknown): string {
  const refused = message.replace(/ to execute command \{.*$/s, '').replace(/\.$/, '');
  if (code === AUTHENTICATION_FAILED) return `MongoDB refused: ${refused}. ${CREDENTIALS}`;
  return `MongoDB refused: ${refused}.${code === UNAUTHORIZED ? ` ${RIGHTS}` : ''}`;
}

/**
 * Returns the message for an operator when MongoDB cannot be used; undefined for an error of another kind. The driver's texts name hosts
 * and users, never passwords.
 */
export function databaseProblem(error: unknown): string | undefined {
  const { name = '', message = '', code } = (error ?? {}) as Partial<Error> & { readonly code?: unknown };
  if (error instanceof AddressError) return message;
  const isRefusal = name === 'MongoServerError';
  if (name === 'MongooseServerSelectionError' || (isUnavailable(error) && !isRefusal)) {
    return `MongoDB does not answer: ${message.replace(/\.$/, '')}. ${refusesCertificate(message) ? NOT_TRUSTED : NOT_SERVED}`;
  }
  if (isRefusal || /^Mongo.*(Auth|Invalid)/.test(name)) return refusalOf(message, code);
  return undefined;
}

/** Returns how long a process whose callers wait `waitMs` waits for one operation of MongoDB (ms). */
export const operationMsFor = (waitMs: number): number =>
  Math.min(limits.mongoOperationMs, Math.max(limits.mongoOperationMsMin, waitMs));

const optionsOf = (operationMs: number | undefined) =>
  ({
    maxPoolSize: limits.mongoPoolMax,
    minPoolSize: 4,
    serverSelectionTimeoutMS:
      operationMs === undefined ? limits.mongoServerSelectionMs : operationMs - limits.mongoSelectionMarginMs,
    // The heartbeat notices a silent primary whose connections are open before the others have elected a new one. Then the driver ends
    // the commands that wait for the old primary, and retries them at the new one.
    heartbeatFrequencyMS: limits.mongoHeartbeatMs,
    connectTimeoutMS: limits.mongoConnectMs,
    retryWrites: true,
    ignoreUndefined: true,
    writeConcern: durable,
    readConcern: { level: 'majority' },
    autoIndex: false,
    autoCreate: false,
  }) as const;

const unbounded = <C extends object>(collection: C) => collection;

/**
 * Connects, and returns when the primary has answered.
 * @param operationMs deadline of each operation on a collection, in a process that serves; an operator's command has none.
 * @throws {Error} when no primary answers in time.
 */
export async function openDatabase(uri: string, operationMs?: number): Promise<Database> {
  const connection = await mongoose
    .createConnection(uri, optionsOf(operationMs))
    .asPromise()
    .catch((error: unknown) => {
      throw connectError(error);
    });
  const bound = operationMs === undefined ? unbounded : createBounds(operationMs);
  const client = connection.getClient();
  const db = client.db(connection.name);
  const ephemeral = client.db(`${connection.name}_ephemeral`);
  // The only cast: the driver's object is used as the collection whose statements know the document.
  const open = <T extends Document>(of: mongoose.mongo.Db, name: string) =>
    bound(of.collection<T>(name, { promoteBuffers: true })) as unknown as Collection<T>;
  const command = (document: Document) =>
    within(limits.mongoServerSelectionMs, (signal) => db.command(document, { signal }));
  return {
    connection,
    collection: <T extends Document>(name: string) => open<T>(db, name),
    ephemeral: <T extends Document>(name: string) => open<T>(ephemeral, name),
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
