/** Saved cards. Deleting one destroys its envelope with it: the token is unusable from then on. */
import { limits } from '../../config/limits.js';
import type { Customer } from '../domain/customer.js';
import { defined } from '../domain/defined.js';
import type { PaymentInstrument } from '../domain/instrument/payment-instrument.js';
import type { ProcessorDetails } from '../domain/payment/network-answer.js';
import type { Principal } from '../domain/principal.js';
import { after, msBetween } from '../domain/time.js';
import { changeDue, changeSome } from './change-due.js';
import { CUSTOMERS } from './customer.model.js';
import { type Database, durable, isDuplicateKey, type Where } from './database.js';
import { PAYMENT_INSTRUMENTS } from './payment-instrument.model.js';

export interface PaymentInstrumentRepository {
  /**
   * Stores a card once: a second insert of the same token changes nothing. No token outlives its customer: a card whose customer was
   * deleted meanwhile is not kept. Returns whether the card is kept.
   */
  insert(instrument: PaymentInstrument): Promise<boolean>;
  /** Not cached: a deleted token must be unusable at once. @param token a GUID, in upper or lower case (RFC 9562, 4) */
  find(clientId: string, token: string): Promise<PaymentInstrument | undefined>;
  /**
   * Lists the saved cards of a customer that were saved for these merchants, newest first, at most `limits.instrumentsListed`. When there
   * are more, expired tokens are left out first.
   */
  listByCustomer(
    owner: Pick<Principal, 'clientId' | 'merchants'>,
    customerId: string,
    now: Date,
  ): Promise<PaymentInstrument[]>;
  /** Returns the merchants that saved a card of the customer, however many cards there are. */
  merchantsOf(clientId: string, customerId: string): Promise<number[]>;
  /**
   * Notes what a charge of the card revealed. The network's transaction id of the first payment is stored once: a later one would belong
   * to a payment to which no payer agreed.
   */
  noteCharge(clientId: string, token: string, details: ChargeDetails): Promise<void>;
  /** False when the customer has no such token. @param token as of {@link find} */
  remove(clientId: string, customerId: string, token: string): Promise<boolean>;
  /** Removes all cards of the customer; returns how many there were. */
  removeAllOf(clientId: string, customerId: string): Promise<number>;
  /**
   * Destroys the sealed cards and fingerprints of expired tokens, and of cards that ran out `limits.expiredCardDestroyMs` ago; the rows
   * stay, as `expired`. Returns how many: with `limits.dueChangedMax` or more, others may be due.
   */
  destroyDueCards(now: Date): Promise<number>;
}

export type ChargeDetails = Pick<ProcessorDetails, 'networkTransactionId' | 'networkLinkId' | 'updatedExpiry'>;

const newestFirst = (one: PaymentInstrument, other: PaymentInstrument): number =>
  msBetween(one.createdAt, other.createdAt) || (one._id < other._id ? 1 : -1);

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;
const destroy = { $unset: { card: '', cardFingerprint: '', cardDestroyAt: '' } } as const;

/** Condition: the sealed card is there, and its last month has ended by `date`. */
function ranOut(date: Date): Where<PaymentInstrument> {
  const expYear = date.getUTCFullYear();
  // Months count from 0 here: this is the one before the month of `date`.
  const expMonth = { $lte: date.getUTCMonth() };
  return { card: { $exists: true }, $or: [{ expYear: { $lt: expYear } }, { expYear, expMonth }] };
}

export function createPaymentInstrumentRepository(database: Database): PaymentInstrumentRepository {
  const instruments = database.collection<PaymentInstrument>(PAYMENT_INSTRUMENTS);
  const customers = database.collection<Customer>(CUSTOMERS);
  return {
    async insert(instrument) {
      const { _id, clientId, customerId } = instrument;
      try {
        await instruments.insertOne(instrument, { writeConcern: durable });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      // Checked after the insert, because deleting a customer looks for cards once more after the customer is gone.
      if (customerId === undefined || (await customers.findOne({ _id: customerId, clientId }, bounded))) return true;
      await instruments.deleteOne({ _id, clientId, customerId }, { writeConcern: durable });
      return false;
    },
    find: async (clientId, token) =>
      (await instruments.findOne({ _id: token.toLowerCase(), clientId }, bounded)) ?? undefined,
    async listByCustomer({ clientId, merchants }, customerId, now) {
      const own = { clientId, customerId, ...(merchants !== 'all' && { merchantId: { $in: [...merchants] } }) };
      const newest = (filter: Where<PaymentInstrument>, most: number) =>
        instruments.find(filter, bounded).sort({ createdAt: -1, _id: -1 }).limit(most).toArray();
      const all = await newest(own, limits.instrumentsListed);
      if (all.length < limits.instrumentsListed) return all;
      // Expired tokens of years may hide cards that can be charged.
      const live = await newest({ ...own, expiresAt: { $not: { $lte: now } } }, limits.instrumentsListed);
      const ended = all.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
      return [...live, ...ended.slice(0, limits.instrumentsListed - live.length)].sort(newestFirst);
    },
    async noteCharge(clientId, token, { networkTransactionId, networkLinkId, updatedExpiry }) {
      const names = defined({ networkTransactionId, networkLinkId });
      if (networkTransactionId !== undefined) {
        await instruments.updateOne(
          { _id: token, clientId, networkTransactionId: { $exists: false } },
          { $set: names },
          { writeConcern: durable },
        );
      }
      if (updatedExpiry) {
        await instruments.updateOne({ _id: token, clientId }, { $set: updatedExpiry }, { writeConcern: durable });
      }
    },
    merchantsOf: (clientId, customerId) => instruments.distinct('merchantId', { clientId, customerId }, bounded),
    async remove(clientId, customerId, token) {
      const { deletedCount } = await instruments.deleteOne(
        { _id: token.toLowerCase(), clientId, customerId },
        { writeConcern: durable },
      );
      return deletedCount === 1;
    },
    async removeAllOf(clientId, customerId) {
      const { deletedCount } = await instruments.deleteMany({ clientId, customerId }, { writeConcern: durable });
      return deletedCount;
    },
    async destroyDueCards(now) {
      const destroyed = await changeDue(instruments, 'cardDestroyAt', now, destroy);
      return destroyed + (await changeSome(instruments, ranOut(after(now, -limits.expiredCardDestroyMs)), destroy));
    },
  };
}
