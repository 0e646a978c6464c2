/** Collects what the audit compares: answers, documents, the queue and the books of the processor. */
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { readWrites } from './audit.mjs';
import { paymentsOf } from './collections.mjs';
import { withMongo } from './environment.mjs';
import { FLOOR_KEY } from './floors/floor-document.mjs';
import { FILLED_TRACE } from './stored/fill.mjs';

/** Kinds of entries in the processor's books that a payment of the benchmark can cause. */
const CHARGES = new Set(['purchase', 'authorization']);

/** @typedef {import('./collections.mjs').Payment} Payment */
/** @template T @typedef {import('./collections.mjs').Where<T>} Where */

/** @param {import('./environment.mjs').Environment} environment */
async function countQueued({ redisUrl, prefix }) {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue('processor', { connection, prefix: `{${prefix}-processor}`, skipMetasUpdate: true });
  try {
    const counts = await queue.getJobCounts();
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  } finally {
    await queue.close();
    connection.disconnect();
  }
}

/** Filter that excludes payments that only fill the database (`--stored`): they were never paid. */
const notFilling = { traceId: { $ne: FILLED_TRACE } };

/**
 * Reads every durable write of every payment from MongoDB's own log. Empty when the log cannot be read.
 * @param {import('mongoose').mongo.MongoClient} client
 */
async function readOplog(client) {
  const ns = `${client.db().databaseName}.payments`;
  const operation = ['op', 'ns', 'o._id', 'o.work.attempt', 'o2._id'];
  const paths = ['wall', ...operation, ...operation.map((path) => `o.applyOps.${path}`)];
  const fields = Object.fromEntries(paths.map((path) => [path, 1]));
  const query = {
    $or: [{ ns }, { ns: 'admin.$cmd', 'o.applyOps.ns': ns }],
    'o.traceId': notFilling.traceId,
    'o.applyOps.o.traceId': notFilling.traceId,
  };
  try {
    const log = client.db('local').collection('oplog.rs');
    const entries = await log.find(query, { projection: fields }).sort({ $natural: 1 }).toArray();
    return readWrites(/** @type {any} */ (entries), ns);
  } catch (error) {
    console.error(`The log of MongoDB cannot be read, claims are not checked against it: ${error}`);
    return new Map();
  }
}

/** @param {string} uri */
const readStored = (uri) =>
  withMongo(uri, async (client) => {
    const payments = paymentsOf(client);
    const count = (/** @type {Where<Payment>} */ filter) => payments.countDocuments({ ...notFilling, ...filter });
    const byStatus = await payments
      .aggregate([{ $match: notFilling }, { $group: { _id: '$status', count: { $sum: 1 } } }])
      .toArray();
    const references = await payments
      .aggregate([{ $match: notFilling }, { $group: { _id: '$referenceId' } }, { $count: 'count' }])
      .toArray();
    const ids = await payments.find(notFilling, { projection: { 'transactions.id': 1 } }).toArray();
    return {
      stored: Object.fromEntries(byStatus.map(({ _id, count }) => [String(_id), Number(count)])),
      references: Number(references[0]?.count ?? 0),
      unannounced: await count({ announceAt: { $exists: true } }),
      // The insert makes version 1, the outcome raises it and leaves its token. A claim that was not stored with the payment does so too,
      // which MongoDB's log shows.
      skipped: await count({
        $or: [{ version: { $lt: 2 } }, { writes: { $exists: false } }, { writes: [] }],
      }),
      working: await count({ work: { $exists: true } }),
      withCvc: await count({ cvc: { $exists: true } }),
      transactions: ids.flatMap(({ transactions }) => transactions.map((tx) => tx.id)),
      paymentOf: new Map(
        ids.flatMap(({ _id, transactions }) => transactions.map((tx) => /** @type {const} */ ([tx.id, _id]))),
      ),
      writes: await readOplog(client),
    };
  });

/**
 * @param {import('./environment.mjs').Environment} environment
 * @param {import('./gateway.mjs').Gateway} gateway
 * @param {Record<string, number>} answers
 * @returns {() => Promise<import('./audit.mjs').Findings>}
 */
export function createFindingsReader(environment, gateway, answers) {
  return async () => {
    const ledger = /** @type {{ kind: string, key: string, at: string }[]} */ (
      await (await fetch(`${gateway.simulatorUrl}/ledger`)).json()
    );
    const booked = ledger.filter(({ kind, key }) => CHARGES.has(kind) && !key.startsWith(FLOOR_KEY));
    return {
      answers,
      ...(await readStored(environment.mongodbUri)),
      queued: await countQueued(environment),
      charged: booked.map(({ key }) => key),
      chargedAt: booked.map(({ key, at }) => ({ key, atMs: Date.parse(at) })),
    };
  };
}
