/** A callback pool on a real MongoDB, with payments whose events wait to be announced and a clock that tests can move. */

import type { Delivery } from '../../../shared/domain/callback/delivery.js';
import type { Payment, PaymentEvent } from '../../../shared/domain/payment/payment.js';
import type { Log, LogFields } from '../../../shared/log.js';
import { createIndexes } from '../../../shared/store/collections.js';
import { type Database, openDatabase } from '../../../shared/store/database.js';
import { DELIVERIES, deliverySchema } from '../../../shared/store/delivery.model.js';
import { createDeliveryRepository, type DeliveryRepository } from '../../../shared/store/delivery.repository.js';
import { modelOn } from '../../../shared/store/model-on.js';
import { createPaymentRepository, type PaymentRepository } from '../../../shared/store/payment.repository.js';
import { createSessionRepository } from '../../../shared/store/session.repository.js';
import {
  type CallbackPool,
  type CallbackPoolDeps,
  createCallbackPool,
} from '../../../workers/callback/callback-pool.js';
import { announcedPayment } from '../../domain/callback/announced-payment.js';
import { type Receiver, startReceiver } from '../../outbound/receiver.js';
import { testMongoUri } from '../../support/services.js';

export interface Harness {
  readonly database: Database;
  readonly deliveries: DeliveryRepository;
  readonly payments: PaymentRepository;
  /** What was logged, newest last. */
  readonly records: { message: string; fields: LogFields }[];
  /** Moves the clock of the pools forward. */
  pass(ms: number): void;
  pool(patch?: Partial<CallbackPoolDeps>): CallbackPool;
  insert(
    id: string,
    callbackUrl: string,
    events: readonly Partial<PaymentEvent>[],
    more?: Partial<Payment>,
  ): Promise<Payment>;
  delivery(id: string): Promise<Delivery>;
  /** Sweeps until nothing is found and nothing is claimed. */
  settle(pool: CallbackPool): Promise<void>;
  expireLeases(): Promise<void>;
  /** An endpoint of a merchant. */
  receiver(...how: Parameters<typeof startReceiver>): Promise<Receiver>;
  /** Empties the database and closes pools and receivers. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function startHarness(suite: string): Promise<Harness> {
  const database = await openDatabase(testMongoUri(suite));
  await createIndexes(modelOn(database.connection, 'Delivery', deliverySchema));
  const deliveries = createDeliveryRepository(database);
  const payments = createPaymentRepository(database, true);
  const records: Harness['records'] = [];
  const write = (message: string, fields: LogFields = {}) => void records.push({ message, fields });
  const log: Log = { debug: write, info: write, warn: write, error: write, with: () => log };
  const pools: CallbackPool[] = [];
  const receivers: Receiver[] = [];
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const stored = database.collection<Delivery>(DELIVERIES);

  return {
    database,
    deliveries,
    payments,
    records,
    pass: (ms) => {
      aheadMs += ms;
    },
    pool: (patch = {}) => {
      const pool = createCallbackPool({
        announcements: payments,
        sessions: createSessionRepository(database),
        deliveries,
        clock,
        config: { environment: 'testing', callbackAllowPrivateNetworks: true, timeScale: 1, workerConcurrency: 64 },
        log,
        random: () => 0.5,
        ...patch,
      });
      pools.push(pool);
      return pool;
    },
    insert: async (id, callbackUrl, events, more) => {
      const payment = { ...announcedPayment(id, callbackUrl, events, clock.now()), ...more };
      await payments.insert(payment);
      return payment;
    },
    delivery: async (id) => {
      const found = await stored.findOne({ _id: id });
      if (!found) throw new Error(`there is no delivery ${id}`);
      return found;
    },
    settle: async (pool) => {
      do await pool.idle();
      while ((await pool.sweep()) > 0);
      await pool.idle();
    },
    expireLeases: async () => {
      await stored.updateMany({}, { $set: { leaseUntil: new Date(Date.now() - 1_000) } });
    },
    receiver: async (...how) => {
      const started = await startReceiver(...how);
      receivers.push(started);
      return started;
    },
    reset: async () => {
      await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
      await Promise.all(pools.splice(0).map((pool) => pool.close()));
      await Promise.all([stored.deleteMany({}), database.collection('payments').deleteMany({})]);
      records.length = 0;
      aheadMs = 0;
    },
    close: async () => {
      await database.connection.dropDatabase();
      await database.close();
    },
  };
}
