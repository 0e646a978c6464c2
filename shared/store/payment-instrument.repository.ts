/** Saved cards. Deleting one destroys its envelope with it: the token is unusable from then on. */
import { limits } from '../../config/limits.js';
import type { PaymentInstrument } from '../domain/instrument/payment-instrument.js';
import { type Database, durable, isDuplicateKey } from './database.js';
import { PAYMENT_INSTRUMENTS } from './payment-instrument.model.js';

export interface PaymentInstrumentRepository {
  /** Stores it once: a second insert of the same token changes nothing. */
  insert(instrument: PaymentInstrument): Promise<void>;
  /** Not cached: a deleted token must be unusable at once. */
  find(clientId: string, token: string): Promise<PaymentInstrument | undefined>;
  /** Newest first; a customer has at most `limits.instrumentsListed` that are shown. */
  listByCustomer(clientId: string, customerId: string): Promise<PaymentInstrument[]>;
  /** False when the customer has no such token. */
  remove(clientId: string, customerId: string, token: string): Promise<boolean>;
  /** Answers how many there were. */
  removeAllOf(clientId: string, customerId: string): Promise<number>;
  /** Destroys the sealed cards of tokens that have run out; the rows stay, as `expired`. Answers how many. */
  destroyDueCards(now: Date): Promise<number>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

export function createPaymentInstrumentRepository(database: Database): PaymentInstrumentRepository {
  const instruments = database.collection<PaymentInstrument>(PAYMENT_INSTRUMENTS);
  return {
    async insert(instrument) {
      try {
        await instruments.insertOne(instrument, { writeConcern: durable });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    find: async (clientId, token) => (await instruments.findOne({ _id: token, clientId }, bounded)) ?? undefined,
    listByCustomer: (clientId, customerId) =>
      instruments
        .find({ clientId, customerId }, bounded)
        .sort({ createdAt: -1, _id: -1 })
        .limit(limits.instrumentsListed)
        .toArray(),
    async remove(clientId, customerId, token) {
      const { deletedCount } = await instruments.deleteOne(
        { _id: token, clientId, customerId },
        { writeConcern: durable },
      );
      return deletedCount === 1;
    },
    async removeAllOf(clientId, customerId) {
      const { deletedCount } = await instruments.deleteMany({ clientId, customerId }, { writeConcern: durable });
      return deletedCount;
    },
    async destroyDueCards(now) {
      const { modifiedCount } = await instruments.updateMany(
        { cardDestroyAt: { $lte: now } },
        { $unset: { card: '', cardDestroyAt: '' } },
        { writeConcern: durable },
      );
      return modifiedCount;
    },
  };
}
