/**
 * Behind Sentinel: notices that another server is the master now, and breaks the connections to the old one. One that hangs, or whose
 * network is gone, keeps them open for a quarter of an hour. (ioredis' own `failoverDetector` ends a client for good when a failover is
 * announced while it asks where the master is.)
 */
import { Redis as Server } from 'ioredis';
import { limits } from '../../config/limits.js';
import type { RedisNode, SentinelRedis } from '../../config/redis-address.js';

/** Where a sentinel says that the master is; a greater epoch is a later failover. */
interface MasterView {
  readonly epoch: number;
  readonly master: string;
}

/** The field after its name: a flat list of both. */
const fieldOf = (answer: unknown, name: string): string => {
  const list = Array.isArray(answer) ? answer.map(String) : [];
  return list[list.indexOf(name) + 1] ?? '';
};

/** Asks one sentinel on a connection of its own. @returns nothing when it does not answer in time */
async function askSentinel({ host, port }: RedisNode, address: SentinelRedis): Promise<MasterView | undefined> {
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
    const answer = await sentinel.call('SENTINEL', 'MASTER', name);
    const epoch = Number(fieldOf(answer, 'config-epoch'));
    const master = `${fieldOf(answer, 'ip')}:${fieldOf(answer, 'port')}`;
    return Number.isSafeInteger(epoch) ? { epoch, master } : undefined;
  } catch {
    return undefined;
  } finally {
    sentinel.disconnect();
  }
}

/** What is newest among what is said: a sentinel that was cut off tells of earlier. */
export function newestView(views: readonly (MasterView | undefined)[]): MasterView | undefined {
  return views.reduce((newest, view) => (view && view.epoch > (newest?.epoch ?? -1) ? view : newest), undefined);
}

/** Connections of this process to one master, and what was heard of it. */
class MasterWatch {
  readonly #connections = new Set<Server>();
  #known: MasterView | undefined;
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
    const views = await Promise.all(this.address.sentinels.map((sentinel) => askSentinel(sentinel, this.address)));
    this.#asking = false;
    const newest = newestView([this.#known, ...views]);
    const isOther = this.#known !== undefined && newest?.master !== this.#known.master;
    this.#known = newest;
    if (isOther) for (const redis of this.#connections) breakOff(redis);
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
