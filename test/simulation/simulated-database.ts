/**
 * The database of a story: one store that all processes share, and the driver's collections as each process uses them. Every
 * operation is a point at which a fault can strike its process. An operation that finds nothing, or the same as an earlier read of the
 * process, is not a point: dying there equals dying at the point before.
 */
import mongoose from 'mongoose';
import { storedModels } from '../../shared/store/collections.js';
import type { Collection, Database, Document } from '../../shared/store/database.js';
import type { Process } from './process.js';
import { type Draft, type FindOptions, type Index, SimulatedCollection } from './simulated-collection.js';
import { execute, reads, type StatementResult, statementOf, writes } from './statements.js';
import { bsonCopy, type Doc, valuesAt } from './stored-values.js';
import type { World } from './world.js';

const { MongoNetworkError } = mongoose.mongo;

type Filter = Readonly<Record<string, unknown>>;

const indexesByCollection = new Map<string, readonly Index[]>();

/** Returns the indexes of a collection according to the product's own schemas. */
export function indexesOf(collectionName: string): readonly Index[] {
  const indexes = indexesByCollection.get(collectionName) ?? readIndexes(collectionName);
  indexesByCollection.set(collectionName, indexes);
  return indexes;
}

function readIndexes(collectionName: string): Index[] {
  const found = storedModels.find(({ schema }) => schema.get('collection') === collectionName);
  if (!found) throw new Error(`there is no model of ${collectionName}`);
  return found.schema.indexes().map(([keys, options]) => {
    const {
      unique,
      partialFilterExpression: partialFilter,
      expireAfterSeconds,
    } = options as unknown as {
      readonly unique?: boolean;
      readonly partialFilterExpression?: Filter;
      readonly expireAfterSeconds?: number;
    };
    return {
      keys: Object.keys(keys),
      unique: unique === true,
      ...(partialFilter && { partialFilter }),
      ...(expireAfterSeconds !== undefined && { expireAfterMs: expireAfterSeconds * 1000 }),
    };
  });
}

/** A statement as a process sent it, and its result. */
export interface SentStatement {
  readonly collection: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly now: Date;
  /** The driver's answer, or the error. */
  readonly answer: unknown;
  /** Whether the statement was executed; `half` for a part of it. */
  readonly executed: boolean | 'half';
}

export interface StoreHooks {
  /** Called after each change with the process that made it; without a process when the database itself removed something. */
  onWrite?(collection: string, before: Doc | undefined, after: Doc | undefined, by: Process | undefined): void;
  /** Called after each read that found something. */
  onRead?(collection: string, found: readonly Doc[], by: Process): void;
  onStatement?(statement: SentStatement): void;
  /** A planted bug: other indexes than the product's. */
  indexes?(collection: string, indexes: readonly Index[]): readonly Index[];
  /** A planted bug: replaces a statement that was sent. */
  rewriteStatement?(collection: string, method: string, args: readonly unknown[]): readonly unknown[];
}

const connectionLost = () => new MongoNetworkError('the connection was lost');

export class SimulatedStore {
  readonly #collections = new Map<string, SimulatedCollection>();
  /** Version of the collection at the last read of a process, by process and statement. */
  readonly #readAt = new Map<string, number>();
  #writer: Process | undefined;

  constructor(
    private readonly world: World,
    private readonly hooks: StoreHooks,
  ) {
    world.onTime.push(() => this.#expire());
  }

  collection(name: string): SimulatedCollection {
    const existing = this.#collections.get(name);
    if (existing) return existing;
    const indexes = indexesOf(name);
    const created = new SimulatedCollection(name, this.hooks.indexes?.(name, indexes) ?? indexes, (before, after) =>
      this.hooks.onWrite?.(name, before, after, this.#writer),
    );
    this.#collections.set(name, created);
    return created;
  }

  /** Stores a document that exists from the beginning. */
  put(name: string, document: Doc): void {
    const now = this.world.now();
    const answer = execute(this.collection(name), 'insertOne', [document], now);
    this.hooks.onStatement?.({ collection: name, method: 'insertOne', args: [document], now, answer, executed: true });
  }

  all<T>(name: string): T[] {
    return [...this.collection(name).documents.values()] as T[];
  }

  /** Incremented with every change of any collection. */
  get version(): number {
    let version = 0;
    for (const collection of this.#collections.values()) version += collection.version;
    return version;
  }

  /** Calls `visit` with every date by which a sweep may find a document: those of its indexes, which are of no one client, and leases. */
  forEachSweptDate(visit: (date: Date) => void): void {
    for (const { documents, sweptPaths } of this.#collections.values()) {
      for (const document of documents.values())
        for (const path of sweptPaths)
          for (const value of valuesAt(document, path)) if (value instanceof Date) visit(value);
    }
  }

  /** Returns the store as one process uses it. */
  databaseFor(process: Process): Database {
    const collection = <T extends Document>(name: string) =>
      new DriverCollection(this, process, name) as unknown as Collection<T>;
    return {
      collection,
      ephemeral: collection,
      connection: {} as Database['connection'],
      ping: async () => undefined,
      serverVersion: async () => '8.0.0',
      readClock: async () => ({ timeMs: this.world.nowMs, uncertainMs: 1 }),
      close: async () => undefined,
    };
  }

  /** Sends a statement of a process. */
  send(process: Process, collection: string, method: string, originalArgs: readonly unknown[]): Promise<unknown> {
    const args = this.hooks.rewriteStatement?.(collection, method, originalArgs) ?? originalArgs;
    return new Promise((resolve, reject) => {
      this.world.post(process, () => this.#execute(process, { collection, method, args }, resolve, reject));
    });
  }

  #execute(
    process: Process,
    { collection: name, method, args }: Pick<SentStatement, 'collection' | 'method' | 'args'>,
    resolve: (respond: unknown) => void,
    reject: (error: unknown) => void,
  ): void {
    const { world } = this;
    const draft = this.collection(name).draft(world.now());
    let result: StatementResult = { answer: undefined, count: Number.POSITIVE_INFINITY };
    let statementError: unknown;
    try {
      result = statementOf(method)(draft, args);
    } catch (error) {
      statementError = error;
    }
    const isPoint = result.count > 0 && !this.#isRepeatedRead(process, name, method, args);
    const fault = isPoint ? this.#passPoint(process, `${name}.${method}`, method, draft) : undefined;
    const skipped = fault === 'dies-before' || fault === 'fails';
    if (!skipped) this.#commit(process, draft, fault === 'half' ? 0.5 : 1);
    const executed = fault === 'half' ? fault : !skipped;
    // The reader owns the answer and may change it, so a copy is recorded.
    const recordedAnswer = () => statementError ?? bsonCopy(result.answer);
    this.hooks.onStatement?.({ collection: name, method, args, now: world.now(), answer: recordedAnswer(), executed });
    if (method in reads && result.count > 0) this.hooks.onRead?.(name, [result.answer].flat() as Doc[], process);
    const answer = () => (statementError === undefined ? resolve(result.answer) : reject(statementError));
    if (fault === 'dies-before' || fault === 'dies-after') world.kill(process);
    else if (fault === 'fails' || fault === 'ack-lost' || fault === 'half') reject(connectionLost());
    else if (fault === 'sleeps') {
      world.sleep(process);
      world.post(process, answer);
    } else answer();
  }

  /** Whether a read finds what the same process found before, as when it polls. */
  #isRepeatedRead(process: Process, name: string, method: string, [filter]: readonly unknown[]): boolean {
    if (!(method in reads)) return false;
    const key = `${process.name} ${name} ${method} ${JSON.stringify(filter)}`;
    const { version } = this.collection(name);
    const isSame = this.#readAt.get(key) === version;
    this.#readAt.set(key, version);
    return isSame;
  }

  #passPoint(process: Process, label: string, method: string, draft: Draft) {
    if (method in reads) return this.world.passPoint(process, 'read', label);
    return this.world.passPoint(process, draft.changes.size > 1 ? 'batch' : 'write', label);
  }

  #commit(process: Process, draft: Draft, part: number): void {
    this.#writer = process;
    draft.commit(part);
    this.#writer = undefined;
  }

  #expire(): void {
    for (const collection of this.#collections.values()) collection.expire(this.world.now());
  }
}

/** A collection of the driver as one process uses it. */
class DriverCollection {
  constructor(
    readonly store: SimulatedStore,
    readonly process: Process,
    readonly collectionName: string,
  ) {}

  find(filter: unknown, options: object = {}) {
    return cursor((more) =>
      this.store.send(this.process, this.collectionName, 'find', [filter, { ...options, ...more }]),
    );
  }
}

for (const method of Object.keys({ ...reads, ...writes })) {
  if (method === 'find') continue;
  Object.defineProperty(DriverCollection.prototype, method, {
    value(this: DriverCollection, ...args: unknown[]) {
      return this.store.send(this.process, this.collectionName, method, args);
    },
  });
}

/** A cursor of the driver, limited to what the repositories use. */
function cursor(find: (more: FindOptions) => Promise<unknown>) {
  const more: Record<string, unknown> = {};
  const setOption = (name: string) => (value: unknown) => {
    more[name] = value;
    return self;
  };
  const toArray = () => find(more) as Promise<Doc[]>;
  const self = {
    sort: setOption('sort'),
    skip: setOption('skip'),
    limit: setOption('limit'),
    hint: setOption('hint'),
    project: setOption('projection'),
    toArray,
    next: async () => (await toArray())[0] ?? null,
  };
  return self;
}
