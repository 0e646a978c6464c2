/**
 * The work that a payment causes in MongoDB and Redis, by their own counters: commands, journal syncs, bytes. These figures are the
 * same on fast and slow machines with the same number of calls in flight. A server with other users also counts their work.
 */
import { Redis } from 'ioredis';
import mongoose from 'mongoose';

/** Counters by name; `mongodb …` and `redis …`. @typedef {Record<string, number>} Work */

/** Commands of MongoDB that a payment can cause. Heartbeats of drivers and our own queries do not count. */
const COMMANDS = ['insert', 'update', 'find', 'findAndModify', 'bulkWrite', 'getMore', 'aggregate'];

/**
 * @param {any} status answer of `serverStatus`
 * @returns {Work}
 */
export function readMongodbStatus(status) {
  const total = (/** @type {string} */ name) => Number(status.metrics?.commands?.[name]?.total ?? 0);
  const log = status.wiredTiger?.log ?? {};
  const cache = status.wiredTiger?.cache ?? {};
  const documents = status.metrics?.document ?? {};
  return {
    'mongodb commands': COMMANDS.reduce((sum, name) => sum + total(name), 0),
    'mongodb documents written': Number(documents.inserted ?? 0) + Number(documents.updated ?? 0),
    'mongodb journal syncs': Number(log['log sync operations'] ?? 0),
    'mongodb journal bytes': Number(log['log bytes written'] ?? 0),
    'mongodb cache bytes read': Number(cache['bytes read into cache'] ?? 0),
    'mongodb cache bytes written': Number(cache['bytes written from cache'] ?? 0),
    'mongodb bytes in': Number(status.network?.bytesIn ?? 0),
    'mongodb bytes out': Number(status.network?.bytesOut ?? 0),
  };
}

/**
 * @param {string} info answer of `INFO all`
 * @returns {Work}
 */
export function readRedisInfo(info) {
  const number = (/** @type {RegExp} */ pattern) => Number(pattern.exec(info)?.[1] ?? 0);
  return {
    'redis commands': number(/^total_commands_processed:(\d+)/m),
    'redis scripts': number(/^cmdstat_evalsha:calls=(\d+)/m),
    'redis bytes in': number(/^total_net_input_bytes:(\d+)/m),
    'redis bytes out': number(/^total_net_output_bytes:(\d+)/m),
  };
}

/**
 * @param {Work} before
 * @param {Work} after
 * @param {number} payments
 * @returns {Work} per payment
 */
export const perPayment = (before, after, payments) =>
  Object.fromEntries(Object.entries(after).map(([name, count]) => [name, (count - (before[name] ?? 0)) / payments]));

/**
 * Opens connections for reading the counters.
 * @param {{ mongodbUri: string, redisUrl: string }} servers
 */
export async function openServerWork({ mongodbUri, redisUrl }) {
  const client = new mongoose.mongo.MongoClient(mongodbUri, { maxPoolSize: 1 });
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
  redis.on('error', () => {});
  await client.connect();
  const admin = client.db('admin');
  return {
    /** @returns {Promise<Work>} */
    async read() {
      const [status, info] = await Promise.all([admin.command({ serverStatus: 1 }), redis.info('all')]);
      return { ...readMongodbStatus(status), ...readRedisInfo(info) };
    },
    async close() {
      redis.disconnect();
      await client.close();
    },
  };
}
