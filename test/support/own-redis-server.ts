/**
 * What all groups of real Redis servers share: a master with a replica behind sentinels (`own-sentinels.ts`) or a cluster
 * (`own-redis-cluster.ts`), for suites and runs that take a master away.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../../scripts/setup/ports.mjs';
import { redisProgram } from '../../scripts/setup/servers.mjs';
import { type OwnProcess, startOwnProcess } from './own-process.js';
import type { ServerBinary } from './own-servers.js';

/** Contains characters that have to be encoded in an address. */
export const PASSWORD = 'servers@of/the-tests';
export const HOST = '127.0.0.1';
const POLL_MS = 25;
/** Time-out of a question about a server's state, which is then asked again: a frozen server does not answer. */
const ASK_MS = 2_000;
/** The other servers take a server for gone after this silence. The defaults are 30 s and 15 s. */
export const GONE_AFTER_MS = 2_000;

/** Distance between the port of a cluster node and the port of its bus. */
const BUS_OFFSET = 10_000;
/** The system assigns ports above this one. */
const PORT_MAX = 32_767;

export interface RedisServer extends OwnProcess {
  readonly port: number;
  /** Folder of the server's files. */
  readonly folder: string;
}

export interface OwnRedisGroup {
  /** Value for REDIS_URL. */
  readonly url: string;
  /** Password of the servers, and of the sentinels when there are some. */
  readonly password: string;
  readonly sentinelPassword?: string | undefined;
  /** Masters and replicas. */
  readonly servers: readonly RedisServer[];
  /** Runs a command at one server. */
  ask(server: RedisServer, ...command: readonly (string | number)[]): Promise<unknown>;
  /** Returns the owner of a key, as soon as one of these servers says that it owns the key. */
  awaitOwner(key: string, among?: readonly RedisServer[]): Promise<RedisServer>;
  /** Makes this master hand over to its replica. */
  handOver(owner: RedisServer): Promise<void>;
  /** The sentinels. Empty for a cluster. */
  readonly watchers: readonly OwnProcess[];
  /** All servers except this one. */
  others(server: RedisServer): readonly RedisServer[];
  masters(): Promise<readonly RedisServer[]>;
  /** Resolves when every master has its replica. */
  awaitWhole(): Promise<void>;
  flushAll(): Promise<void>;
  stop(): Promise<void>;
}

export async function askPort(port: number, password: string, command: readonly (string | number)[]): Promise<unknown> {
  const [name = '', ...args] = command.map(String);
  const redis = new Redis(port, HOST, {
    password,
    lazyConnect: true,
    retryStrategy: null,
    enableReadyCheck: false,
    commandTimeout: ASK_MS,
    connectTimeout: ASK_MS,
  });
  redis.on('error', () => undefined);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

export const askServer: OwnRedisGroup['ask'] = ({ port }, ...command) => askPort(port, PASSWORD, command);

/** Waits without a limit: the suite, or a person, ends a wait that hangs. */
export async function waitUntil<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found) return found;
    await pause(POLL_MS);
  }
}

/** Resolves when the server answers an authenticated client. */
export const awaitPong = (port: number, password: string) => async (signal: AbortSignal) => {
  while ((await askPort(port, password, ['PING']).catch(() => undefined)) !== 'PONG') {
    await pause(POLL_MS, undefined, { signal });
  }
};

/** Finds a port whose bus port is also below those that the system assigns. */
export async function portForNode(): Promise<number> {
  for (;;) {
    const port: number = await freePort();
    if (port + BUS_OFFSET <= PORT_MAX) return port;
  }
}

/** Starts a server with a writable configuration file, into which it writes its role when that changes. */
export async function startServer(
  binary: ServerBinary,
  { name, parent, port, more }: { name: string; parent: string; port: number; more: readonly string[] },
): Promise<RedisServer> {
  const folder = join(parent, String(port));
  const made = redisProgram(binary, { name: `${name}-${port}`, data: folder, port });
  const file = join(folder, 'redis.conf');
  writeFileSync(file, [`requirepass "${PASSWORD}"`, `masterauth "${PASSWORD}"`, ...more, ''].join('\n'));
  const own = await startOwnProcess({ ...made, args: [file, ...made.args], awaitReady: awaitPong(port, PASSWORD) });
  return Object.assign(own, { port, folder });
}

/** Reads the server's role in replication from INFO. */
export async function replicationOf(server: RedisServer) {
  const info = String(await askServer(server, 'INFO', 'replication'));
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  return {
    isMaster: field('role') === 'master',
    online: [...info.matchAll(/^slave\d+:.*state=online/gm)].length,
    masterPort: Number(field('master_port')),
    isLinked: field('master_link_status') === 'up',
  };
}

export function groupOf(given: {
  readonly url: string;
  readonly servers: readonly RedisServer[];
  readonly folder: string;
  readonly watchers: readonly OwnProcess[];
  readonly sentinelPassword?: string;
  handOver(owner: RedisServer): Promise<void>;
  ownerOf(key: string, server: RedisServer): Promise<RedisServer | undefined>;
  isWhole(): Promise<boolean>;
}): OwnRedisGroup {
  const { url, servers, folder, watchers, handOver, ownerOf, isWhole } = given;
  const awaitOwner: OwnRedisGroup['awaitOwner'] = (key, among = servers) =>
    waitUntil(async () => {
      const answers = await Promise.all(among.map((server) => ownerOf(key, server).catch(() => undefined)));
      return answers.find((owner) => owner && among.includes(owner));
    });
  const masters: OwnRedisGroup['masters'] = async () => {
    const roles = await Promise.all(servers.map((one) => replicationOf(one).catch(() => undefined)));
    return servers.filter((_, index) => roles[index]?.isMaster);
  };
  return {
    url,
    password: PASSWORD,
    sentinelPassword: given.sentinelPassword,
    servers,
    ask: askServer,
    awaitOwner,
    handOver,
    watchers,
    others: (server) => servers.filter((other) => other !== server),
    masters,
    awaitWhole: () => waitUntil(isWhole).then(() => undefined),
    flushAll: async () => {
      await Promise.all((await masters()).map((master) => askServer(master, 'FLUSHALL')));
    },
    stop: async () => {
      await Promise.all([...watchers, ...servers].map((one) => one.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
