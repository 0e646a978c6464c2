/**
 * The database of a story: one store that all processes share, and the driver's collections as each process uses them. Every
 * operation is a point at which its process can be struck. An operation that finds nothing, or the same as an earlier read of the
 * process, is not a point: dying there equals dying at the point before.
 */
import mongoose from 'mongoose';
import { storedModels } from '../../shared/store/collections.js';
import type { Collection, Database, Document } from '../../shared/store/database.js';
import type { Process } from './process.js';
import { type Draft, type FindOptions, type Index, SimulatedCollection } from './simulated-collection.js';
import { execute, type Planned, planOf, reads, writes } from './statements.js';
import { copied, type Doc, eachDate } from './stored-values.js';
import type { World } from './world.js';

const { MongoNetworkError } = mongoose.mongo;

type Filter = Readonly<Record<string, unknown>>;

const known = new Map<string, readonly Index[]>();

/** Returns the indexes of a collection according to the product's own schemas. */
export function indexesOf(collectionName: string): readonly Index[] {
  const indexes = known.get(collectionName) ?? readIndexes(collectionName);
  known.set(collectionName, indexes);
  return indexes;
}

function readIndexes(collectionName: string): Index[] {
  const found = storedModels.find(({ schema }) => schema.get('collection') === collectionName);
  if (!found) throw new Error(`there is no model of ${collectionName}`);
  return found.schema.indexes().map(([keys, options]) => {
    const {
      unique,
      partialFilterExpression: only,
      expireAfterSeconds,
    } = options as unknown as {
      readonly unique?: boolean;
      readonly partialFilterExpression?: Filter;
      readonly expireAfterSeconds?: number;
    };
    return {
      keys: Object.keys(keys),
      unique: unique === true,
      ...(only && { only }),
      ...(expireAfterSeconds !== undefined && { expireAfterMs: expireAfterSeconds * 1000 }),
    };
  });
}

/** A statement as a process sent it, and its result. */
export interface Sent {
  readonly collection: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly now: Date;
  /** The driver's answer, or the error. */
  readonly answer: unknown;
  /** Whether the statement was executed; `half` for a part of it. */
  readonly made: boolean | 'half';
}

export interface StoreHooks {
  /** Called after each change with the process that made it; without a process when the database itself removed something. */
  written?(collection: string, before: Doc | undefined, after: Doc | undefined, by: Process | undefined): void;
  /** Called after each read that found something. */
  read?(collection: string, found: readonly Doc[], by: Process): void;
  sent?(statement: Sent): void;
  /** A planted bug: other indexes than the product's. */
  indexes?(collection: string, indexes: readonly Index[]): readonly Index[];
  /** A planted bug: replaces a statement that was sent. */
  bend?(collection: string, method: string, args: readonly unknown[]): readonly unknown[];
}

const unanswered = () => new MongoNetworkError('the connection was lost');

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
    const known = this.#collections.get(name);
    if (known) return known;
    const indexes = indexesOf(name);
    const made = new SimulatedCollection(name, this.hooks.indexes?.(name, indexes) ?? indexes, (before, after) =>
      this.hooks.written?.(name, before, after, this.#writer),
    );
    this.#collections.set(name, made);
    return made;
  }

  /** Stores a document that exists from the beginning. */
  put(name: string, document: Doc): void {
    const now = this.world.now();
    const answer = execute(this.collection(name), 'insertOne', [document], now);
    this.hooks.sent?.({ collection: name, method: 'insertOne', args: [document], now, answer, made: true });
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

  eachDate(visit: (date: Date) => void): void {
    for (const collection of this.#collections.values())
      for (const document of collection.documents.values()) eachDate(document, visit);
  }

  /** Returns the store as one process uses it. */
  usedBy(process: Process): Database {
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
  send(process: Process, collection: string, method: string, sent: readonly unknown[]): Promise<unknown> {
    const args = this.hooks.bend?.(collection, method, sent) ?? sent;
    return new Promise((resolve, reject) => {
      this.world.post(process, () => this.#make(process, { collection, method, args }, resolve, reject));
    });
  }

  #make(
    process: Process,
    { collection: name, method, args }: Pick<Sent, 'collection' | 'method' | 'args'>,
    resolve: (answer: unknown) => void,
    reject: (error: unknown) => void,
  ): void {
    const { world } = this;
    const draft = this.collection(name).draft(world.now());
    let planned: Planned = { answer: undefined, count: Number.POSITIVE_INFINITY };
    let refusal: unknown;
    try {
      planned = planOf(method)(draft, args);
    } catch (error) {
      refusal = error;
    }
    const isPoint = planned.count > 0 && !this.#isRepeated(process, name, method, args);
    const fault = isPoint ? this.#strike(process, `${name}.${method}`, method, draft) : undefined;
    const notMade = fault === 'dies-before' || fault === 'fails';
    if (!notMade) this.#commit(process, draft, fault === 'half' ? 0.5 : 1);
    const made = fault === 'half' ? fault : !notMade;
    // The reader owns the answer and may change it, so a copy is recorded.
    const answered = () => refusal ?? copied(planned.answer);
    this.hooks.sent?.({ collection: name, method, args, now: world.now(), answer: answered(), made });
    if (method in reads && planned.count > 0) this.hooks.read?.(name, [planned.answer].flat() as Doc[], process);
    const answer = () => (refusal === undefined ? resolve(planned.answer) : reject(refusal));
    if (fault === 'dies-before' || fault === 'dies-after') world.kill(process);
    else if (fault === 'fails' || fault === 'ack-lost' || fault === 'half') reject(unanswered());
    else if (fault === 'sleeps') {
      world.sleep(process);
      world.post(process, answer);
    } else answer();
  }

  /** Whether a read finds what the same process found before, as when it polls. */
  #isRepeated(process: Process, name: string, method: string, [filter]: readonly unknown[]): boolean {
    if (!(method in reads)) return false;
    const key = `${process.name} ${name} ${method} ${JSON.stringify(filter)}`;
    const { version } = this.collection(name);
    const isSame = this.#readAt.get(key) === version;
    this.#readAt.set(key, version);
    return isSame;
  }

  #strike(process: Process, label: string, method: string, draft: Draft) {
    if (method in reads) return this.world.strike(process, 'read', label);
    return this.world.strike(process, draft.changes.size > 1 ? 'batch' : 'write', label);
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
  const with_ = (name: string) => (value: unknown) => {
    more[name] = value;
    return made;
  };
  const toArray = () => find(more) as Promise<Doc[]>;
  const made = {
    sort: with_('sort'),
    skip: with_('skip'),
    limit: with_('limit'),
    hint: with_('hint'),
    project: with_('projection'),
    toArray,
    next: async () => (await toArray())[0] ?? null,
  };
  return made;
}
