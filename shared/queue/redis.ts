/**
 * Connections to Redis: to one server, to the master that Sentinel names, or to a cluster. Redis only nudges: while it is away a
 * producer fails at once, a worker waits for it, and neither keeps its process from starting (docs/reliability.md, "Settings" and
 * "Redis that fails over").
 */

import { Cluster, type ClusterOptions, type RedisOptions, ReplyError, Redis as Server } from 'ioredis';
import { limits } from '../../config/limits.js';
import { type ClusterRedis, parseRedisAddress, type SentinelRedis } from '../../config/redis-address.js';
import type { Log } from '../log.js';
import { followMaster } from './master-watch.js';

/** One server, which may change with each failover, or a cluster. */
export type Redis = Server | Cluster;
export type { Server };

/** Logs the errors of a connection, at most one record in ten seconds: ioredis reports an error per attempt. */
function logErrors(redis: Redis, role: string, log: Log): Redis {
  let loggedAt = 0;
  const note = (message: string) => (error: unknown) => {
    if (Date.now() - loggedAt < limits.logAgainMs) return;
    loggedAt = Date.now();
    log.warn(message, { kind: role, error });
  };
  redis.on('error', note('redis.unreachable'));
  redis.on('node error', note('redis.node-unreachable'));
  redis.on('ready', () => {
    loggedAt = 0;
    log.debug('redis.ready', { kind: role });
  });
  return redis;
}

const retryStrategy = (times: number) => Math.min(times * 100, limits.redisReconnectMsMax);

/** Whether the server is no longer the master. A new connection then asks where the master is. */
const isReplica = (error: Error) => /\bREADONLY\b/.test(error.message);

type ServerOptions = Omit<RedisOptions, 'replyMapping'>;

/**
 * How a kind of connection behaves while a server is away. A server that is silent with its connections open is left after
 * `socketTimeout`.
 */
interface Manner {
  readonly role: string;
  /** Options of the connection to each server. */
  readonly server: ServerOptions;
  readonly cluster: Pick<ClusterOptions, 'enableOfflineQueue' | 'maxRedirections'>;
}

const failFast: Manner = {
  role: 'producer',
  server: {
    maxRetriesPerRequest: 1,
    commandTimeout: limits.redisCommandMs,
    socketTimeout: limits.redisProducerSilentMs,
    reconnectOnError: isReplica,
  },
  cluster: { enableOfflineQueue: false, maxRedirections: limits.redisRedirectionsMax },
};

const RECONNECT_AND_RESEND = 2;

const patient: Manner = {
  role: 'patient',
  server: {
    maxRetriesPerRequest: null,
    // BullMQ's request for a job blocks for ten seconds at most.
    socketTimeout: limits.redisSilentMs,
    // ioredis handles no refusal of the subscription that it repeats: the process would end. The subscriber repeats it itself.
    autoResubscribe: false,
    reconnectOnError: (error) => isReplica(error) && RECONNECT_AND_RESEND,
  },
  cluster: { maxRedirections: Number.POSITIVE_INFINITY },
};

const userOf = ({ username, password }: SentinelRedis | ClusterRedis) => ({
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
});

function connectSentinel(address: SentinelRedis, options: ServerOptions): Redis {
  const { sentinels, name, database, tls, family, sentinelUsername, sentinelPassword } = address;
  const redis = new Server({
    ...options,
    ...userOf(address),
    sentinels: [...sentinels],
    name,
    db: database,
    family,
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: limits.redisConnectMs,
    sentinelRetryStrategy: retryStrategy,
    connectTimeout: limits.redisConnectMs,
    disconnectTimeout: limits.redisCommandMs,
  });
  return followMaster(redis, address);
}

function connectCluster({ nodes, tls, family, ...user }: ClusterRedis, { server, cluster }: Manner): Redis {
  const redisOptions = { ...server, ...userOf({ nodes, tls, family, ...user }), family, ...(tls && { tls: {} }) };
  return new Cluster([...nodes], {
    ...cluster,
    redisOptions: { ...redisOptions, connectTimeout: limits.redisConnectMs },
    clusterRetryStrategy: retryStrategy,
    slotsRefreshInterval: limits.redisTopologyMs,
    // Names are not replaced by addresses, because certificates are issued for names.
    dnsLookup: (name, done) => done(null, name),
  });
}

function connect(url: string, manner: Manner, log: Log): Redis {
  const address = parseRedisAddress(url);
  const options = { ...manner.server, ...manner.cluster, retryStrategy };
  const { role } = manner;
  if (address.kind === 'cluster') return logErrors(connectCluster(address, manner), role, log);
  if (address.kind === 'sentinel') return logErrors(connectSentinel(address, options), role, log);
  return logErrors(new Server(address.url, options), role, log);
}

/** Creates a connection that fails fast: no offline queue, one try, half a second. For nudges, replies and reads that may be skipped. */
export const createProducerRedis = (url: string, log: Log): Redis => connect(url, failFast, log);

/** Creates a connection that waits for Redis as long as it takes, as BullMQ workers and subscribers need. */
export const createPatientRedis = (url: string, log: Log): Redis => connect(url, patient, log);

/** Whether the connection can carry a command now. In a cluster, one of the masters may still be away. */
export const isReady = (redis: Redis): boolean => redis.status === 'ready';

/** Whether Redis answered and refused the command, as when its memory is full or its user lacks a right. */
export const isRefusal = (error: unknown): boolean => error instanceof ReplyError;

/** Returns the servers that take writes: one, or the masters of a cluster. */
export const mastersOf = (redis: Redis): readonly Server[] =>
  redis instanceof Cluster ? redis.nodes('master') : [redis];

/** Returns the address of a cluster node. Empty for another server: its address is a setting, or only the sentinels know it. */
export function nodeOf(redis: Redis, server: Server): { host?: string; port?: number } {
  const { host, port } = server.options;
  return redis instanceof Cluster && host !== undefined && port !== undefined ? { host, port } : {};
}
