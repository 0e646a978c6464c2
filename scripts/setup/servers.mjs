/** Runs MongoDB and Redis: reachable from this machine only, a one-node replica set, an append-only file. */
import { mkdirSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { awaitPort, withPortFallback } from './ports.mjs';

/** @typedef {import('./obtain.mjs').ServerBinary} ServerBinary */
/** @typedef {import('./program.mjs').Program} Program */

const HOST = '127.0.0.1';
const REPLICA_SET = 'rs0';
const POLL_MS = 20;
/** MongoDB's cache: enough for development (GB). */
const CACHE_GB = 0.5;
const SERVER_STOP_MS = 15_000;

/**
 * @param {number} port
 * @param {string} database
 */
export const mongodbUri = (port, database) =>
  `mongodb://${HOST}:${port}/${database}?replicaSet=${REPLICA_SET}&directConnection=true`;

/** @param {number} port */
export const redisUrl = (port) => `redis://${HOST}:${port}`;

/**
 * @param {Pick<ServerBinary, 'binary' | 'env'>} server
 * @param {{ name?: string, data: string, port: number, cacheGb?: number | undefined }} options `data`: folder for its files;
 *   `cacheGb`: size of its cache
 * @returns {Program}
 */
export function mongodbProgram({ binary, env }, { name = 'mongodb', data, port, cacheGb = CACHE_GB }) {
  mkdirSync(data, { recursive: true });
  const args = [
    '--dbpath',
    data,
    '--port',
    String(port),
    '--bind_ip',
    HOST,
    '--replSet',
    REPLICA_SET,
    '--nounixsocket',
  ];
  args.push('--wiredTigerCacheSizeGB', String(cacheGb), '--quiet');
  // Otherwise the only member of its set would wait 15 s for a successor before it stops.
  args.push('--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100');
  args.push('--setParameter', 'diagnosticDataCollectionEnabled=false');
  return {
    name,
    command: binary,
    args,
    env: { ...process.env, ...env },
    stopWithinMs: SERVER_STOP_MS,
    awaitReady: async (signal) => {
      await awaitPort(port, signal);
      await becomePrimary(port, signal);
    },
    explainExit: ({ code }) =>
      code === EXIT_OTHER_VERSION
        ? `${binary} cannot read ${data}, which another version of MongoDB wrote: name that version by MONGOD_BIN, or remove ` +
          'the folder to begin anew.'
        : undefined,
  };
}

/**
 * @param {Pick<ServerBinary, 'binary' | 'env'>} server
 * @param {{ name?: string, data: string, port: number }} options
 * @returns {Program}
 */
export function redisProgram({ binary, env }, { name = 'redis', data, port }) {
  mkdirSync(data, { recursive: true });
  const args = ['--port', String(port), '--bind', HOST, '--dir', data, '--daemonize', 'no', '--save', ''];
  args.push('--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction');
  return {
    name,
    command: binary,
    args,
    env: { ...process.env, ...env },
    stopWithinMs: SERVER_STOP_MS,
    awaitReady: async (signal) => {
      await awaitPort(port, signal);
      while (!(await answersPing(port))) await sleep(POLL_MS, undefined, { signal });
    },
  };
}

/** False while Redis still loads its file. @param {number} port @returns {Promise<boolean>} */
function answersPing(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: HOST }, () => socket.write('PING\r\n'));
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(answer.toString('latin1').startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}

/** Exit code of mongod when its files were written by a version that it cannot read. */
const EXIT_OTHER_VERSION = 62;

const NOT_YET_INITIALIZED = 94;
const ALREADY_INITIALIZED = 23;

/**
 * Makes the node the primary of its own replica set. Initiates the set the first time, and updates its address when the port has
 * changed since.
 * @param {number} port
 * @param {AbortSignal} signal
 */
async function becomePrimary(port, signal) {
  const { default: mongoose } = await import('mongoose');
  const client = new mongoose.mongo.MongoClient(`mongodb://${HOST}:${port}/?directConnection=true`, { maxPoolSize: 1 });
  try {
    const admin = client.db('admin');
    const state = await admin.command({ replSetGetStatus: 1 }).catch((error) => ({ code: error.code }));
    if (state.code === NOT_YET_INITIALIZED) {
      const config = { _id: REPLICA_SET, members: [{ _id: 0, host: `${HOST}:${port}` }] };
      await admin.command({ replSetInitiate: config }).catch((error) => {
        if (error.code !== ALREADY_INITIALIZED) throw error;
      });
    }
    await updateStoredAddress(client, `${HOST}:${port}`);
    while (!(await admin.command({ hello: 1 })).isWritablePrimary) await sleep(POLL_MS, undefined, { signal });
  } finally {
    await client.close();
  }
}

/**
 * Updates the address in the stored configuration: a node that does not find its own address there takes no part in the set.
 * @param {import('mongoose').mongo.MongoClient} client
 * @param {string} host
 */
async function updateStoredAddress(client, host) {
  const config = await client
    .db('local')
    .collection('system.replset')
    .findOne({}, { readPreference: 'secondaryPreferred' });
  if (!config || config.members[0].host === host) return;
  config.members = [{ ...config.members[0], host }];
  config.version += 1;
  await client.db('admin').command({ replSetReconfig: config, force: true });
}

/**
 * Makes the programs of the servers that were obtained, under one data folder. A server that was not obtained runs elsewhere. `ports` has
 * the ports once the servers are ready: a port that was taken meanwhile is replaced.
 * @param {{ mongodb: ServerBinary | undefined, redis: ServerBinary | undefined }} binaries
 * @param {string} data
 * @param {{ mongodb: number, redis: number }} ports
 * @param {number} [cacheGb] size of MongoDB's cache (GB)
 * @returns {{ mongodb?: Program, redis?: Program }}
 */
export function serverPrograms(binaries, data, ports, cacheGb) {
  const { mongodb, redis } = binaries;
  return {
    ...(mongodb && {
      mongodb: withPortFallback(
        ports.mongodb,
        (port) => mongodbProgram(mongodb, { data: join(data, 'mongodb'), port, cacheGb }),
        (port) => {
          ports.mongodb = port;
        },
      ),
    }),
    ...(redis && {
      redis: withPortFallback(
        ports.redis,
        (port) => redisProgram(redis, { data: join(data, 'redis'), port }),
        (port) => {
          ports.redis = port;
        },
      ),
    }),
  };
}
