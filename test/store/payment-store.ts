/**
 * A payments collection of a suite's own on the real MongoDB, which refuses what drifts from its description; and ways to lose
 * acknowledgements on it.
 */

import type { Payment } from '../../shared/domain/payment/payment.js';
import { createIndexes } from '../../shared/store/collections.js';
import { type Collection, type Database, openDatabase } from '../../shared/store/database.js';
import { modelOn } from '../../shared/store/model-on.js';
import { orphans } from '../../shared/store/orphans.js';
import { paymentSchema } from '../../shared/store/payment.model.js';
import { dropDatabase } from '../support/drop-database.js';
import { refuseDrift } from '../support/refuse-drift.js';
import { testMongoUri } from '../support/services.js';

export interface PaymentStore {
  readonly database: Database;
  readonly payments: Collection<Payment>;
  /** The document, which must be there. */
  read(id: string): Promise<Payment>;
  put(...payments: readonly Payment[]): Promise<void>;
  /** Moves a lease into the past of the database's own clock. */
  endLease(id: string): Promise<void>;
  orphanIds(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openPaymentStore(name: string): Promise<PaymentStore> {
  const database = await openDatabase(testMongoUri(name));
  const payments = database.collection<Payment>('payments');
  await payments.deleteMany({});
  await createIndexes(modelOn(database.connection, 'Payment', paymentSchema));
  await refuseDrift(database);
  return {
    database,
    payments,
    read: async (id) => {
      const payment = await payments.findOne({ _id: id });
      if (!payment) throw new Error(`${id} is not stored`);
      return payment;
    },
    put: async (...documents) => {
      await payments.insertMany(documents as Payment[]);
    },
    endLease: async (id) => {
      await payments.updateOne({ _id: id }, { $set: { 'work.leaseUntil': new Date(Date.now() - 1_000) } });
    },
    orphanIds: async () => (await payments.find(orphans as never).toArray()).map(({ _id }) => _id),
    close: async () => {
      await dropDatabase(database);
      await database.close();
    },
  };
}

export const networkError = () => Object.assign(new Error('connection closed'), { name: 'MongoNetworkError' });

type Method = 'insertOne' | 'insertMany' | 'bulkWrite' | 'updateMany' | 'findOneAndUpdate' | 'find';

export interface FaultyCollection {
  readonly collection: Collection<Payment>;
  /** The next call of the method is executed, and its acknowledgement is lost. */
  loseAnswer(method: Method): void;
  /** The next call of the method never reaches the server. @param error what the driver says; else that the connection is closed */
  loseRequest(method: Method, error?: Error): void;
  /** Runs before the next call of the method is executed. */
  before(method: Method, action: () => Promise<unknown>): void;
  calls(method: Method): number;
}

/** The real collection, on whose calls a test may inflict what networks do. */
export function faulty(payments: Collection<Payment>): FaultyCollection {
  const counts = new Map<string, number>();
  const answers = new Set<string>();
  const requests = new Map<string, Error>();
  const actions = new Map<string, () => Promise<unknown>>();
  const wrap =
    (name: Method, method: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      // A find answers a cursor at once: its faults are left out.
      if (name === 'find') return method(...args);
      return (async () => {
        const lost = requests.get(name);
        if (lost && requests.delete(name)) throw lost;
        const action = actions.get(name);
        actions.delete(name);
        await action?.();
        const answer = await method(...args);
        if (answers.delete(name)) throw networkError();
        return answer;
      })();
    };
  const wrapped: readonly string[] = [
    'insertOne',
    'insertMany',
    'bulkWrite',
    'updateMany',
    'findOneAndUpdate',
    'find',
  ] satisfies Method[];
  const collection = new Proxy(payments, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target);
      return wrapped.includes(String(property)) ? wrap(property as Method, method) : method;
    },
  });
  return {
    collection,
    loseAnswer: (method) => void answers.add(method),
    loseRequest: (method, error = networkError()) => void requests.set(method, error),
    before: (method, action) => void actions.set(method, action),
    calls: (method) => counts.get(method) ?? 0,
  };
}
