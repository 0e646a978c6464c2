/** MongoDB and Redis of one run: those that the environment names, or our own. The run's database and prefix are removed at its end. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { local } from '../scripts/setup/paths.mjs';
import { freePort } from '../scripts/setup/ports.mjs';
import { prepare } from '../scripts/setup/prepare.mjs';
import { endLeftovers, launch } from '../scripts/setup/program.mjs';
import { mongodbUri, redisUrl, serverPrograms } from '../scripts/setup/servers.mjs';
import { withDatabase } from './with-database.mjs';

const LEFTOVERS_MS = 3_000;

/** @typedef {import('../scripts/setup/paths.mjs').Folders} Folders */

/** @param {string} name under `.local` @returns {Folders} */
export const foldersOf = (name) => ({
  data: join(local, name, 'data'),
  logs: join(local, name, 'logs'),
  run: join(local, name, 'run'),
});

/** Folders of `npm run bench`. The data is removed at the end, the logs at the next start. */
export const folders = foldersOf('bench');

/**
 * Where the servers of a run have their files, and whether the files are kept after the run.
 * @typedef {object} ServerPlace
 * @property {Folders} folders
 * @property {number} [cacheGb] size of MongoDB's cache (GB)
 * @property {string} [kept] name of a database that outlives its runs: a run finds it as the last one left it
 */

/** Ends processes that an earlier run left, and empties the folder of logs. @param {Folders} folders */
export async function clearFolders({ run, logs }) {
  await endLeftovers(run, LEFTOVERS_MS);
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
}

/**
 * @typedef {object} Environment
 * @property {string} mongodbUri with the database of this run
 * @property {string} redisUrl
 * @property {string} prefix of every Redis key of this run
 * @property {Folders} folders
 * @property {Record<string, number>} pids `mongodb` and `redis`, when they run on this machine
 * @property {() => Promise<void>} drop removes what the run stored
 * @property {() => Promise<void>} stop ends our own servers
 */

/** Returns the pid if it is a process of this name here: a server on another machine reports a pid of that machine. */
function ifLocal(/** @type {unknown} */ pid, /** @type {RegExp} */ name) {
  try {
    return name.test(readFileSync(`/proc/${pid}/comm`, 'utf8')) ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} uri @template T @param {(client: mongoose.mongo.MongoClient) => Promise<T>} work @returns {Promise<T>} */
export async function withMongo(uri, work) {
  const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** @template T @param {string} url @param {(redis: Redis) => Promise<T>} work @returns {Promise<T>} */
export async function withRedis(url, work) {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, lazyConnect: true });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/** @param {string} uri @param {string} url @returns {Promise<Record<string, number>>} */
async function localPids(uri, url) {
  const status = await withMongo(uri, (client) => client.db('admin').command({ serverStatus: 1 }));
  const info = await withRedis(url, (redis) => redis.info('server'));
  const mongodb = ifLocal(status.pid, /mongod/);
  const redis = ifLocal(/process_id:(\d+)/.exec(info)?.[1], /redis|valkey/);
  return { ...(mongodb !== undefined && { mongodb }), ...(redis !== undefined && { redis }) };
}

/** @param {string} uri @param {string} url @param {string} database @param {string} prefix */
async function dropAll(uri, url, database, prefix) {
  await withMongo(uri, async (client) => {
    await client.db(database).dropDatabase();
    await client.db(`${database}_ephemeral`).dropDatabase();
  });
  await withRedis(url, async (redis) => {
    for await (const keys of redis.scanStream({ match: `*${prefix}*`, count: 1_000 })) {
      if (keys.length > 0) await redis.unlink(...keys);
    }
  });
}

/**
 * Builds, obtains what is missing, and starts the servers that the environment does not name.
 * @param {import('../scripts/setup/progress.mjs').Progress} progress
 * @param {AbortSignal} signal
 * @param {import('../scripts/setup/program.mjs').Running[]} running every server is added to it as soon as it is started
 * @param {ServerPlace} [place]
 * @returns {Promise<Environment>}
 */
export async function prepareEnvironment(progress, signal, running, place = { folders }) {
  const { data } = place.folders;
  const database = place.kept ?? `bench_${randomBytes(6).toString('hex')}`;
  const prefix = database.replace('_', '-');
  const { MONGODB_URI, REDIS_URL } = process.env;
  const binaries = await prepare({ progress, signal, needs: { mongodb: !MONGODB_URI, redis: !REDIS_URL } });
  if (!place.kept) rmSync(data, { recursive: true, force: true });
  const ports = { mongodb: await freePort(), redis: await freePort() };
  const programs = Object.values(serverPrograms(binaries, data, ports, place.cacheGb));
  if (programs.length > 0) {
    await progress.step(`Starting ${programs.map(({ name }) => name).join(' and ')}`, async () => {
      const started = programs.map((program) => launch(program, place.folders));
      running.push(...started);
      await Promise.all(started.map(({ ready }) => ready));
    });
  }
  const uri = MONGODB_URI ? withDatabase(MONGODB_URI, database) : mongodbUri(ports.mongodb, database);
  const url = REDIS_URL || redisUrl(ports.redis);
  return {
    mongodbUri: uri,
    redisUrl: url,
    prefix,
    folders: place.folders,
    pids: await localPids(uri, url),
    drop: async () => {
      if (!place.kept) await dropAll(uri, url, database, prefix);
    },
    stop: async () => {
      await Promise.all(running.map((server) => server.stop()));
      if (!place.kept) rmSync(data, { recursive: true, force: true });
    },
  };
}
