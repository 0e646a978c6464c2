/**
 * A reference of payments that a session holds for its tries. It is stored among the payments, because the unique index there is
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
}

export function createReferenceReservations(database: Database): ReferenceReservations {
  const reservations = database.collection<Reservation>('payments');
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
  };
}
