/**
 * A reference of payments that a session holds for its tries, or that a payment used which the database lost. It is stored among the payments, because the unique index there is
 * what decides a race; without a merchant and a creation time it is no payment, and no query for payments finds it.
 */
import { refKey } from '../domain/payment/plan-operation.js';
import type { Session } from '../domain/session/session.js';
import { type Database, durable, isDuplicateKey } from './database.js';
import type { Reservation } from './payment.model.js';

export interface ReferenceReservations {
  /**
   * Reserves the payment reference of a session; again for the same session changes nothing.
   * `duplicate`: a payment, or another session, has it.
   */
  reserve(session: Session): Promise<'reserved' | 'duplicate'>;
  /**
   * No payment can be made under it any more, nor by a session that holds it: it was paid, and the payment is lost. Again changes
   * nothing.
   */
  occupy(id: string, clientId: string, key: string): Promise<void>;
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
    async occupy(_id, clientId, key) {
      const insert = () => reservations.insertOne({ _id, clientId, refKeys: [key] }, { writeConcern: durable });
      for (const isLast of [false, true]) {
        try {
          await insert();
          return;
        } catch (error) {
          if (!isDuplicateKey(error) || isLast) throw error;
        }
        const holder = await reservations.findOne({ clientId, refKeys: key });
        // A payment holds it, or it is ours: nothing can be made under it already.
        if (holder?._id === _id || (holder && 'merchantId' in holder)) return;
        if (holder) await reservations.deleteOne({ _id: holder._id, merchantId: { $exists: false } });
      }
    },
  };
}
