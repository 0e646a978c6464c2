/**
 * Reserves references of payments: for a session and its attempts, or for a payment that the database lost. A reservation is stored among
 * the payments, because the unique index there decides races. Without a merchant and a creation time it is no payment, and no query for
 * payments finds it.
 */
import { refKey } from '../domain/payment/plan-operation.js';
import type { Session } from '../domain/session/session.js';
import { type Database, durable, isDuplicateKey } from './database.js';
import type { Reservation } from './payment.model.js';

export interface ReferenceReservations {
  /**
   * Reserves the payment reference of a session; repeating it for the same session changes nothing. `duplicate`: a payment, or another
   * session, has it.
   */
  reserve(session: Session): Promise<'reserved' | 'duplicate'>;
  /**
   * Blocks a reference whose payment was made and is lost: no payment can be created under it any more, not even by a session that
   * reserved it. Repeating it changes nothing.
   */
  blockReference(id: string, clientId: string, key: string): Promise<void>;
}

export function createReferenceReservations(database: Database): ReferenceReservations {
  const reservations = database.collection<Reservation & { readonly merchantId?: number }>('payments');
  return {
    async reserve({ _id, clientId, paymentRequest }) {
      if (!paymentRequest) return 'reserved';
      const refKeys = [refKey('payment', paymentRequest.referenceId)];
      try {
        await reservations.insertOne({ _id, clientId, refKeys }, { writeConcern: durable });
        return 'reserved';
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (await reservations.findOne({ _id }, { projection: { _id: 1 } })) ? 'reserved' : 'duplicate';
      }
    },
    async blockReference(_id, clientId, key) {
      const insert = () => reservations.insertOne({ _id, clientId, refKeys: [key] }, { writeConcern: durable });
      for (const isLast of [false, true]) {
        try {
          await insert();
          return;
        } catch (error) {
          if (!isDuplicateKey(error) || isLast) throw error;
        }
        const holder = await reservations.findOne({ clientId, refKeys: key });
        // A payment has the reference, or it is blocked already: nothing can be created under it.
        if (holder?._id === _id || (holder && 'merchantId' in holder)) return;
        if (holder) await reservations.deleteOne({ _id: holder._id, merchantId: { $exists: false } });
      }
    },
  };
}
