/**
 * Watches for failovers behind Sentinel: notices that another server is the master now, and breaks the connections to the old one. A
 * server that hangs, or whose network is gone, keeps them open for a quarter of an hour. (ioredis' own `failoverDetector` is not
 * used: it ends a client for good when a failover is announced while the client asks where the master is.)
 */
import { Redis as Server } from 'ioredis';
import { limits } from '../../config/limits.js';
import type { RedisNode, SentinelRedis } from '../../config/redis-address.js';

/** Returns the value of a field from an answer that is a flat list of names and values. */
const fieldOf = (answer: unknown, name: string): string => {
  const list = Array.isArray(answer) ? answer.map(String) : [];
  return list[list.indexOf(name) + 1] ?? '';
};

/**
 * Asks one sentinel, on a separate connection, for the number of its newest failover. The master's address in the same answer is not
 * enough: it is still the old one while a failover is under way, and two failovers may lead to another server and back.
 * @returns undefined when the sentinel does not answer in time
 */
async function askSentinel({ host, port }: RedisNode, address: SentinelRedis): Promise<number | undefined> {
  const { sentinelUsername, sentinelPassword, tls, family, name } = address;
  const sentinel = new Server({
    host,
    port,
    family,
    ...(sentinelUsername !== undefined && { username: sentinelUsername }),
    ...(sentinelPassword !== undefined && { password: sentinelPassword }),
    ...(tls && { tls: {} }),
    protocol: 2,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: null,
    connectTimeout: limits.redisConnectMs,
    commandTimeout: limits.redisConnectMs,
  });
  sentinel.on('error', () => undefined);
  try {
    const epoch = Number(fieldOf(await sentinel.call('SENTINEL', 'MASTER', name), 'config-epoch'));
    return Number.isSafeInteger(epoch) ? epoch : undefined;
  } catch {
    return undefined;
  } finally {
    sentinel.disconnect();
  }
}

/** Returns the newest failover that any sentinel reports: a sentinel that was cut off reports an earlier one. */
export function newestEpoch(epochs: readonly (number | undefined)[]): number | undefined {
  const said = epochs.filter((epoch) => epoch !== undefined);
  return said.length > 0 ? Math.max(...said) : undefined;
}

/** Connections of this process to one master, and the newest failover that is known. */
class MasterWatch {
  readonly #connections = new Set<Server>();
  /** Connections that waited for the first answer of a server at the last look. */
  #waiting: ReadonlySet<Server> = new Set();
  #known: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asking = false;

  constructor(private readonly address: SentinelRedis) {}

  add(redis: Server): void {
    this.#connections.add(redis);
    redis.once('end', () => {
      this.#connections.delete(redis);
      if (this.#connections.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    this.#timer ??= setInterval(() => void this.#look(), limits.redisTopologyMs).unref();
  }

  async #look(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    const epochs = await Promise.all(this.address.sentinels.map((sentinel) => askSentinel(sentinel, this.address)));
    this.#asking = false;
    const before = this.#known;
    this.#known = newestEpoch([before, ...epochs]);
    const failedOver = before !== undefined && this.#known !== before;
    const waiting = [...this.#connections].filter(({ status }) => status === 'connect');
    // A connection that still waits was led to the silent master by a sentinel that did not know of the failover yet.
    for (const redis of failedOver ? this.#connections : waiting.filter((one) => this.#waiting.has(one)))
      reconnect(redis);
    this.#waiting = new Set(waiting);
  }
}

/** Breaks a connection so that it is made again. A connection that is still being made asks the sentinels anyway. */
function reconnect(redis: Server): void {
  if (redis.status === 'ready' || redis.status === 'connect') redis.disconnect(true);
}

const watches = new Map<string, MasterWatch>();

/** Makes this connection, and its duplicates, follow the master that the sentinels name. */
export function followMaster(redis: Server, address: SentinelRedis): Server {
  const key = JSON.stringify(address);
  const watch = watches.get(key) ?? new MasterWatch(address);
  watches.set(key, watch);
  watch.add(redis);
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => followMaster(duplicate(override), address);
  return redis;
}
