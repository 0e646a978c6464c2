/** Documents that the floors write: about the size of a payment, in two durable writes. */
import { randomBytes } from 'node:crypto';
import mongoose from 'mongoose';

/** Majority and journal, as the gateway writes. */
export const durable = /** @type {const} */ ({ w: 'majority', journal: true });

/** Prefix of keys that floors book at the test processor. The audit leaves them out. */
export const FLOOR_KEY = 'floor_';

const POOL_MAX = 64;

/** @typedef {import('mongoose').mongo.Collection<any>} Collection */

/**
 * Opens a collection of the driver, with the one index that a duplicate check needs.
 * @param {string} name
 * @returns {Promise<Collection>}
 */
export async function openCollection(name) {
  const client = new mongoose.mongo.MongoClient(String(process.env.MONGODB_URI), {
    maxPoolSize: POOL_MAX,
    minPoolSize: 4,
  });
  await client.connect();
  const collection = client.db().collection(name);
  await collection.createIndex({ clientId: 1, referenceId: 1 }, { unique: true });
  return collection;
}

/** @param {any} body @param {string} clientId */
export function toDocument(body, clientId) {
  const now = new Date();
  const { paymentMethod, amount, ...rest } = body;
  const { number, expMonth, expYear } = paymentMethod.card;
  return {
    _id: `pay_${randomBytes(16).toString('hex')}`,
    clientId,
    ...rest,
    status: 'created',
    version: 1,
    amount: { totalMinor: Math.round(Number(amount.total) * 100), currency: amount.currency },
    paymentMethod: { id: 'visa', type: 'card', bin: number.slice(0, 8), last4: number.slice(-4), expMonth, expYear },
    // The gateway stores the card and its holder sealed. These are as many bytes.
    card: randomBytes(340),
    transactionId: `txn_${randomBytes(16).toString('hex')}`,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Makes the two durable writes of a payment.
 * @param {Collection} collection
 * @param {ReturnType<typeof toDocument>} document
 * @param {() => Promise<void>} [charge] runs between the two
 */
export async function storeAndSettle(collection, document, charge) {
  await collection.insertOne(document, { writeConcern: durable });
  if (charge) await charge();
  const now = new Date();
  const outcome = { status: 'approved', resultCode: '00', authorization: '123456', processedAt: now, updatedAt: now };
  const settled = await collection.findOneAndUpdate(
    { _id: document._id, status: 'created' },
    /** @type {object} */ ({ $set: outcome, $inc: { version: 1 }, $push: { events: { status: 'approved', at: now } } }),
    { returnDocument: 'after', writeConcern: durable },
  );
  if (!settled) throw new Error('a floor lost a document');
  return settled;
}
