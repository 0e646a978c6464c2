/** Collects what the audit compares: answers, documents, the queue and the books of the processor. */
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { withMongo } from './surroundings.mjs';

/** Kinds of the processor's books that a payment of the benchmark can leave. */
const CHARGES = new Set(['purchase', 'authorization']);

/** @param {import('./surroundings.mjs').Surroundings} surroundings */
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

/** @param {string} uri */
const readStored = (uri) =>
  withMongo(uri, async (client) => {
    const payments = client.db().collection('payments');
    const byStatus = await payments.aggregate([{ $group: { _id: '$status', count: { $sum: 1 } } }]).toArray();
    const references = await payments.aggregate([{ $group: { _id: '$referenceId' } }, { $count: 'count' }]).toArray();
    const ids = await payments.find({}, { projection: { _id: 0, 'transactions.id': 1 } }).toArray();
    return {
      stored: Object.fromEntries(byStatus.map(({ _id, count }) => [String(_id), Number(count)])),
      references: Number(references[0]?.count ?? 0),
      unannounced: await payments.countDocuments({ announceAt: { $exists: true } }),
      transactions: ids.flatMap(({ transactions }) => transactions.map((/** @type {{ id: string }} */ tx) => tx.id)),
    };
  });

/**
 * @param {import('./surroundings.mjs').Surroundings} surroundings
 * @param {import('./gateway.mjs').Gateway} gateway
 * @param {Record<string, number>} answers
 * @returns {() => Promise<import('./audit.mjs').Findings>}
 */
export function createLookup(surroundings, gateway, answers) {
  return async () => {
    const ledger = /** @type {{ kind: string, key: string }[]} */ (
      await (await fetch(`${gateway.simulatorUrl}/ledger`)).json()
    );
    return {
      answers,
      ...(await readStored(surroundings.mongodbUri)),
      queued: await countQueued(surroundings),
      charged: ledger.filter(({ kind }) => CHARGES.has(kind)).map(({ key }) => key),
    };
  };
}
