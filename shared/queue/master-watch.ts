/**
 * Behind Sentinel: notices that another server is the master now, and breaks the connections to the old one. One that hangs, or whose
 * network is gone, keeps them open for a quarter of an hour. (ioredis' own `failoverDetector` ends a client for good when a failover is
 * announced while it asks where the master is.)
 */
import { Redis as Server } from 'ioredis';
import { limits } from '../../config/limits.js';
import type { RedisNode, SentinelRedis } from '../../config/redis-address.js';

/** The field after its name: a flat list of both. */
const fieldOf = (answer: unknown, name: string): string => {
  const list = Array.isArray(answer) ? answer.map(String) : [];
  return list[list.indexOf(name) + 1] ?? '';
};

/**
 * Asks one sentinel on a connection of its own for the number of its newest failover. The address that it says beside it is still the old one
 * while the failover is under way, and two failovers may lead to a server and back: the number alone tells that there was one.
 * @returns nothing when it does not answer in time
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

/** The newest failover of all that are said: a sentinel that was cut off tells of earlier ones. */
export function newestEpoch(epochs: readonly (number | undefined)[]): number | undefined {
  const said = epochs.filter((epoch) => epoch !== undefined);
  return said.length > 0 ? Math.max(...said) : undefined;
}

/** Connections of this process to one master, and what was heard of it. */
class MasterWatch {
  readonly #connections = new Set<Server>();
  /** Those that at the last look waited for the first word of a server. */
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
    // One that still waits was led to the silent master by a sentinel that had not heard yet.
    for (const redis of failedOver ? this.#connections : waiting.filter((one) => this.#waiting.has(one)))
      breakOff(redis);
    this.#waiting = new Set(waiting);
  }
}

/** One that is being made asks the sentinels anyway. */
function breakOff(redis: Server): void {
  if (redis.status === 'ready' || redis.status === 'connect') redis.disconnect(true);
}

const watches = new Map<string, MasterWatch>();

/** From now on this connection, and what is duplicated from it, leads to the master that the sentinels name. */
export function followMaster(redis: Server, address: SentinelRedis): Server {
  const key = JSON.stringify(address);
  const watch = watches.get(key) ?? new MasterWatch(address);
  watches.set(key, watch);
  watch.add(redis);
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => followMaster(duplicate(override), address);
  return redis;
}
