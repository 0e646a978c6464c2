import { limits } from '../../config/limits.js';
import { type Customer, emailKeyOf } from '../domain/customer.js';
import { defined } from '../domain/defined.js';
import { CUSTOMERS } from './customer.model.js';
import { type Database, durable, isDuplicateKey, type Where } from './database.js';

export interface CustomerFilter {
  readonly referenceId?: string;
  readonly email?: string;
  /** Both ends belong to the range. */
  readonly minDate?: Date;
  readonly maxDate?: Date;
}

export interface CustomerRepository {
  /** Stores a customer. `duplicate`: the reference, or the id, is used already. */
  insert(customer: Customer): Promise<'inserted' | 'duplicate'>;
  /** Finds a customer; `undefined` also when it belongs to another client. Not cached: a deleted customer is gone at once. */
  find(clientId: string, id: string): Promise<Customer | undefined>;
  findByReference(clientId: string, referenceId: string): Promise<Customer | undefined>;
  /** Returns one page, newest first, and the number of all customers that match. */
  list(
    clientId: string,
    filter: CustomerFilter,
    page: { readonly page: number; readonly size: number },
  ): Promise<{ readonly customers: Customer[]; readonly totalItems: number }>;
  /**
   * Replaces `before` by `after` and returns it as stored. `conflict`: the customer was changed or deleted in between. `duplicate`:
   * another customer has the reference.
   */
  save(before: Customer, after: Customer): Promise<Customer | 'conflict' | 'duplicate'>;
  /** Deletes a customer; false when there was none. */
  remove(clientId: string, id: string): Promise<boolean>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

function toFilter(clientId: string, { referenceId, email, minDate, maxDate }: CustomerFilter): Where<Customer> {
  return {
    clientId,
    ...(referenceId !== undefined && { referenceId }),
    ...(email !== undefined && { emailKey: emailKeyOf(email) }),
    ...((minDate || maxDate) && {
      createdAt: { ...defined({ $gte: minDate, $lte: maxDate }) },
    }),
  };
}

export function createCustomerRepository(database: Database): CustomerRepository {
  const customers = database.collection<Customer>(CUSTOMERS);
  return {
    async insert(customer) {
      try {
        await customers.insertOne(customer, { writeConcern: durable });
        return 'inserted';
      } catch (error) {
        if (isDuplicateKey(error)) return 'duplicate';
        throw error;
      }
    },
    find: async (clientId, id) => (await customers.findOne({ _id: id, clientId }, bounded)) ?? undefined,
    findByReference: async (clientId, referenceId) =>
      (await customers.findOne({ clientId, referenceId }, bounded)) ?? undefined,

    async list(clientId, filter, { page, size }) {
      const chosen = toFilter(clientId, filter);
      const [found, totalItems] = await Promise.all([
        customers
          .find(chosen, bounded)
          .sort({ createdAt: -1, _id: -1 })
          .skip((page - 1) * size)
          .limit(size)
          .toArray(),
        customers.countDocuments(chosen, bounded),
      ]);
      return { customers: found, totalItems };
    },

    async save(before, after) {
      const saved = { ...after, version: before.version + 1 };
      const { _id, clientId, version } = before;
      try {
        const { matchedCount } = await customers.replaceOne({ _id, clientId, version }, saved, {
          writeConcern: durable,
        });
        return matchedCount === 1 ? saved : 'conflict';
      } catch (error) {
        if (isDuplicateKey(error)) return 'duplicate';
        throw error;
      }
    },

    async remove(clientId, id) {
      const { deletedCount } = await customers.deleteOne({ _id: id, clientId }, { writeConcern: durable });
      return deletedCount === 1;
    },
  };
}
