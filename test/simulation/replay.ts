/** Sends statements of the simulated database to MongoDB, and compares every answer, and the documents in the end. */
import { isDeepStrictEqual } from 'node:util';
import type mongoose from 'mongoose';
import { createIndexes, storedModels } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { modelOn } from '../../shared/store/model-on.js';
import { SimulatedCollection } from './simulated-collection.js';
import { indexesOf, type SentStatement } from './simulated-database.js';
import { execute, reads } from './statements.js';
import { bindNow, bsonCopy, type Doc, valuesAt } from './stored-values.js';

/** Collections of the product that stories use. */
export const collectionNames = [
  'payments',
  'deliveries',
  'sessions',
  'payment_links',
  'payment_instruments',
  'idempotency_rows',
  'processor_updates',
  'reference_probes',
] as const;

type Driver = Record<string, (...args: unknown[]) => unknown>;

/**
 * MongoDB's answers and documents do not depend on replication or on the disk, so the replay does not wait for either with each
 * statement.
 */
const atOnce = { writeConcern: { w: 1, j: false }, readConcern: { level: 'local' } } as const;

/** Removes the concerns from a statement's options. */
function withoutConcerns(arg: unknown): unknown {
  if (arg === null || typeof arg !== 'object' || !('writeConcern' in arg || 'readConcern' in arg)) return arg;
  const { writeConcern: _write, readConcern: _read, ...options } = arg as Record<string, unknown>;
  return options;
}

/** Returns the parts of an answer on which a repository may rely. */
function comparableAnswer(method: string, answer: unknown): unknown {
  if (answer === null || answer === undefined || typeof answer !== 'object') return answer;
  if (method in reads || method === 'findOneAndUpdate') return answer;
  const {
    matchedCount = 0,
    modifiedCount = 0,
    deletedCount = 0,
    upsertedIds = {},
    upsertedId = null,
  } = answer as Record<string, unknown>;
  return { matchedCount, modifiedCount, deletedCount, upsertedId, upsertedIds: JSON.stringify(upsertedIds) };
}

/** Returns the code of an error and, for a batch, which statements failed. */
function comparableError(error: unknown): unknown {
  const { code, writeErrors } = error as { code?: unknown; writeErrors?: readonly { index: number; code: unknown }[] };
  if (code === undefined) throw error;
  return { code, at: writeErrors && [writeErrors].flat().map((one) => ({ index: one.index, code: one.code })) };
}

/**
 * Makes answers comparable. Without a sort MongoDB may return documents in the order of any index. When a sort has ties and a limit, it
 * may return any of the tied documents, so only the sort keys are compared.
 */
function withoutOrder(answer: unknown, { args }: SentStatement): unknown {
  const { sort, limit = Number.POSITIVE_INFINITY } = (args[1] ?? {}) as {
    sort?: Readonly<Record<string, 1>>;
    limit?: number;
  };
  if (!Array.isArray(answer)) return answer;
  const documents = answer as Doc[];
  const keysOf = (document: Doc) => Object.keys(sort ?? {}).map((path) => valuesAt(document, path));
  const sorted = documents.map(keysOf);
  if (sort && documents.length >= limit) return sorted;
  return [sorted, [...documents].sort((one, other) => (one._id < other._id ? -1 : 1))];
}

const findsNothing = ({ method, answer }: SentStatement) =>
  method in reads && (answer === null || answer === 0 || (Array.isArray(answer) && answer.length === 0));

/** Returns a text that is the same for statements that differ only in their times. */
const apartFromTimes = ({ method, args }: SentStatement) =>
  method +
  JSON.stringify(args, function (this: Record<string, unknown>, key, value) {
    return this[key] instanceof Date ? 'time' : value;
  });

/**
 * Sweeps ask the same again and again while nothing changes, and find nothing: most statements of a story. Of such a row the first
 * and the last remain, because a filter that is wrong about a time shows at one of them.
 */
function withoutRepeats(statements: readonly SentStatement[]): readonly SentStatement[] {
  const dropped = new Set<SentStatement>();
  /** By collection, the last statement of each row. */
  const rows = new Map<string, Map<string, { last: SentStatement; isFirst: boolean }>>();
  for (const sent of statements) {
    const ofCollection = rows.get(sent.collection) ?? new Map();
    rows.set(sent.collection, ofCollection);
    if (!(sent.method in reads)) ofCollection.clear();
    if (!findsNothing(sent)) continue;
    const key = apartFromTimes(sent);
    const row = ofCollection.get(key);
    if (row && !row.isFirst) dropped.add(row.last);
    ofCollection.set(key, { last: sent, isFirst: row === undefined });
  }
  return statements.filter((sent) => !dropped.has(sent));
}

export class Replay {
  private constructor(
    private readonly database: Database,
    private readonly db: mongoose.mongo.Db,
  ) {}

  /** Opens a database with the product's indexes, without those that remove expired documents by the real clock. */
  static async open(uri: string): Promise<Replay> {
    const database = await openDatabase(uri);
    for (const { name, schema } of storedModels) {
      if (!(collectionNames as readonly string[]).includes(schema.get('collection') ?? '')) continue;
      const model = modelOn(database.connection, name, schema);
      await model.createCollection();
      await createIndexes(model);
      for (const index of await model.collection.indexes()) {
        if (index['expireAfterSeconds'] !== undefined) await model.collection.dropIndex(index.name ?? '');
      }
    }
    return new Replay(database, database.connection.db as unknown as mongoose.mongo.Db);
  }

  async close(): Promise<void> {
    await this.database.connection.dropDatabase();
    await this.database.close();
  }

  /** Returns the differences. Empty when MongoDB did the same. */
  async differences(
    statements: readonly SentStatement[],
    stored: (collection: string) => readonly Doc[],
  ): Promise<string[]> {
    await Promise.all(collectionNames.map((name) => this.#collection(name).deleteMany({})));
    const differences: string[] = [];
    // A statement that never arrived is not replayed. A statement that was executed in part cannot be replayed.
    for (const sent of withoutRepeats(statements.filter(({ executed }) => executed === true))) {
      const [ours, theirs] = [this.#comparable(sent, sent.answer), await this.#send(sent)];
      if (!isDeepStrictEqual(theirs, ours)) differences.push(this.#describe(sent, ours, theirs));
    }
    for (const name of collectionNames) {
      const theirs = await this.#collection(name).find({}).sort({ _id: 1 }).toArray();
      const ours = [...stored(name)].sort((one, other) => (one._id < other._id ? -1 : 1));
      if (!isDeepStrictEqual(theirs, ours))
        differences.push(`${name} differ: ${text(theirs)} instead of ${text(ours)}`);
    }
    return differences;
  }

  #collection(name: string) {
    return this.db.collection<Doc>(name, { promoteBuffers: true, ...atOnce });
  }

  async #send(sent: SentStatement): Promise<unknown> {
    const { collection, method, args, now } = sent;
    const driver = this.#collection(collection) as unknown as Driver;
    const bound = args.map((arg) => withoutConcerns(bindNow(arg, now)));
    try {
      const result = driver[method]?.(...bound);
      const answer = method === 'find' ? (result as { toArray(): Promise<unknown> }).toArray() : result;
      return withoutOrder(comparableAnswer(method, await answer), sent);
    } catch (error) {
      return comparableError(error);
    }
  }

  #comparable(sent: SentStatement, answer: unknown): unknown {
    return answer instanceof Error
      ? comparableError(answer)
      : withoutOrder(comparableAnswer(sent.method, answer), sent);
  }

  #describe({ collection, method, args }: SentStatement, ours: unknown, theirs: unknown): string {
    return `${collection}.${method}(${text(args)}): MongoDB answers ${text(theirs)}, the simulation ${text(ours)}`;
  }
}

const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** Collections without a story and without faults: they answer at once, and every statement is recorded. */
export class RecordingStore {
  readonly statements: SentStatement[] = [];
  readonly #collections = new Map<string, SimulatedCollection>();

  constructor(private readonly now: () => Date) {}

  all(name: string): Doc[] {
    return [...this.#collectionNamed(name).documents.values()];
  }

  database(): Database {
    const collection = (name: string) => this.#driverOf(name);
    return { collection, ephemeral: collection } as unknown as Database;
  }

  #collectionNamed(name: string): SimulatedCollection {
    const existing = this.#collections.get(name);
    const created = existing ?? new SimulatedCollection(name, indexesOf(name));
    this.#collections.set(name, created);
    return created;
  }

  #driverOf(name: string): object {
    const send = async (method: string, args: readonly unknown[]) => {
      const now = this.now();
      const record = (answer: unknown) =>
        this.statements.push({ collection: name, method, args, now, answer, executed: true });
      try {
        const answer = execute(this.#collectionNamed(name), method, args, now);
        // The reader owns the answer and may change it, so a copy is recorded.
        record(bsonCopy(answer));
        return answer;
      } catch (error) {
        record(error);
        throw error;
      }
    };
    const find = (filter: unknown, options: object = {}) => {
      const allOptions: Record<string, unknown> = { ...options };
      const cursor: Record<string, unknown> = {
        toArray: () => send('find', [filter, allOptions]),
        next: async () => ((await send('find', [filter, { ...allOptions, limit: 1 }])) as Doc[])[0] ?? null,
      };
      for (const name of ['sort', 'skip', 'limit']) {
        cursor[name] = (value: unknown) => {
          allOptions[name] = value;
          return cursor;
        };
      }
      return cursor;
    };
    return new Proxy(
      { find },
      { get: (own, method) => (method === 'find' ? own.find : (...args: unknown[]) => send(String(method), args)) },
    );
  }
}
