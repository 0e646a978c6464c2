/**
 * Separate servers for suites that kill, flush or restart them. The shared ones of `services.ts` stay untouched.
 * `npm test` names the programs in the environment. A suite run by hand finds what an earlier run obtained.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { obtain } from '../../scripts/setup/obtain.mjs';
import { mongodb } from '../../scripts/setup/obtain-mongodb.mjs';
import { redis } from '../../scripts/setup/obtain-redis.mjs';
import { local, testFolders } from '../../scripts/setup/paths.mjs';
import { freePort } from '../../scripts/setup/ports.mjs';
import { mongodbProgram, mongodbUri, redisProgram, redisUrl } from '../../scripts/setup/servers.mjs';
import { type OwnProcess, startOwnProcess } from './own-process.js';

/** A server that its suite may end and start at any time. */
interface OwnServer extends OwnProcess {
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

export interface OwnMongo extends OwnServer {
  /** Connection string of a database on this server. */
  uri(databaseName: string): string;
}

export interface OwnRedis extends OwnServer {
  readonly url: string;
  /** `FLUSHALL`. */
  flushAll(): Promise<void>;
}

export interface ServerBinary {
  readonly binary: string;
  readonly env: Record<string, string>;
}

/** Finds the program that `npm test` named, with the libraries it needs; else the one on PATH or under `.local/`. */
async function locate(variable: string, kind: unknown, libraries = ''): Promise<ServerBinary> {
  const binary = process.env[variable];
  if (binary) return { binary, env: libraries ? { LD_LIBRARY_PATH: libraries } : {} };
  return obtain(kind, { folder: local, offline: true });
}

/** Makes a new folder for the data of servers. */
export function makeFolder(name: string): string {
  const parent = join(testFolders.data, 'own');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `${name}-`));
}

async function startOwn(program: unknown, data: string): Promise<OwnServer> {
  const own = await startOwnProcess(program);
  const { stop } = own;
  return Object.assign(own, {
    stop: async () => {
      await stop();
      rmSync(data, { recursive: true, force: true });
    },
  });
}

/** @throws {Error} when mongod is not on this machine and was never obtained */
export const locateMongo = (): Promise<ServerBinary> => locate('MONGOD_BIN', mongodb);

/**
 * Starts a one-node replica set.
 * @param more additional arguments of mongod
 * @throws {Error} when mongod is not on this machine and was never obtained
 */
export async function startOwnMongo(more: readonly string[] = []): Promise<OwnMongo> {
  const binary = await locateMongo();
  const [port, data] = [await freePort(), makeFolder('mongodb')];
  const program = mongodbProgram(binary, { name: `mongodb-${port}`, data, port });
  const server = await startOwn({ ...program, args: [...program.args, ...more] }, data);
  return Object.assign(server, { uri: (databaseName: string): string => mongodbUri(port, databaseName) });
}

/** @throws {Error} when redis-server is not on this machine and was never obtained */
export const locateRedis = (): Promise<ServerBinary> =>
  locate('REDIS_SERVER_BIN', redis, process.env.TEST_REDIS_LD_LIBRARY_PATH);

/**
 * Starts Redis with an append-only file.
 * @throws {Error} when redis-server is not on this machine and was never obtained
 */
export async function startOwnRedis(): Promise<OwnRedis> {
  const binary = await locateRedis();
  const [port, data] = [await freePort(), makeFolder('redis')];
  const server = await startOwn(redisProgram(binary, { name: `redis-${port}`, data, port }), data);
  return Object.assign(server, { url: redisUrl(port) as string, flushAll: () => flushAll(port) });
}

/** Sends one command in Redis' protocol: a client library would keep a connection that the suite is about to break. */
function flushAll(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1' }, () => socket.write('FLUSHALL\r\n'));
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      if (answer.toString('latin1').startsWith('+OK')) resolve();
      else reject(new Error('Redis refused FLUSHALL'));
    });
  });
}
