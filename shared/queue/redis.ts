/**
 * Connections to Redis: to one server, to the master that Sentinel names, or to a cluster. Redis only nudges: a producer fails at
 * once when it is away, a worker waits for it patiently, and neither keeps its process from starting (docs/reliability.md,
 * "Settings" and "Redis that fails over").
 */

import { Cluster, type ClusterOptions, type RedisOptions, Redis as Server } from 'ioredis';
import { limits } from '../../config/limits.js';
import { type ClusterRedis, parseRedisAddress, type SentinelRedis } from '../../config/redis-address.js';
import type { Log } from '../log.js';
import { followMaster } from './master-watch.js';

/** One server, which may be another one after each failover, or a cluster. */
export type Redis = Server | Cluster;
export type { Server };

/** ioredis reports an error per attempt; one record in ten seconds tells as much. */
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

/** A server that is no longer the master: where it is now is asked again. */
const isReplica = (error: Error) => /\bREADONLY\b/.test(error.message);

type ServerOptions = Omit<RedisOptions, 'replyMapping'>;

/** How a kind of connection behaves while a server is away. One that is silent with its connections open is left after `socketTimeout`. */
interface Manner {
  readonly role: string;
  /** Of every server that is spoken to. */
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
    // BullMQ asks for ten seconds at most until there is a job.
    socketTimeout: limits.redisSilentMs,
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
    // Names stay names: certificates are made out to them.
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

/** Fails fast: no offline queue, one try, half a second. For nudges, replies and reads that may be skipped. */
export const createProducerRedis = (url: string, log: Log): Redis => connect(url, failFast, log);

/** Waits for Redis as long as it takes: what BullMQ workers and subscribers need. */
export const createPatientRedis = (url: string, log: Log): Redis => connect(url, patient, log);

/** True when the connection can carry a command now; of a cluster one of its masters may be away all the same. */
export const isReady = (redis: Redis): boolean => redis.status === 'ready';

/** The servers that are written to: one, or the masters of a cluster. */
export const mastersOf = (redis: Redis): readonly Server[] =>
  redis instanceof Cluster ? redis.nodes('master') : [redis];

/** Where a node of a cluster is; nothing of another server, whose address is a setting or known to the sentinels alone. */
export function nodeOf(redis: Redis, server: Server): { host?: string; port?: number } {
  const { host, port } = server.options;
  return redis instanceof Cluster && host !== undefined && port !== undefined ? { host, port } : {};
}
