/**
 * Checks whether Redis may evict keys. Redis holds nudges only (docs/reliability.md, decision 1), so no payment is lost. But an
 * evicted nudge costs seconds, and a queue that is evicted in part stays inconsistent until it is empty.
 */
import type { Log } from '../log.js';
import { mastersOf, nodeOf, type Redis, type Server } from './redis.js';

/** Returns a field of Redis' answer to INFO. */
export const infoField = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

/** Returns the eviction policy from INFO, because a hosted Redis refuses CONFIG. Undefined when INFO does not name it. */
export const evictionPolicyOf = (info: string): string | undefined => infoField(info, 'maxmemory_policy');

/** Whether the policy is known and is not the one that the queues need. */
export const evicts = (policy: string | undefined): boolean => policy !== undefined && policy !== 'noeviction';

/** What the operator has to do about eviction. */
export const evictionTodo =
  'Set maxmemory-policy noeviction: otherwise nudges vanish, and payments wait for the sweep.';

/**
 * Asks every master for its policy after each new connection, and each server that becomes a master: a failover may lead to a server
 * with other settings.
 * @returns a function that says whether a master evicts keys, as far as is known
 */
export function watchEviction(redis: Redis, log: Log): () => boolean {
  /** Whether each master evicts keys. A master that has not answered yet keeps its earlier value. */
  let evicting = new Map<Server, boolean>();
  const ask = async (master: Server) => {
    try {
      const policy = evictionPolicyOf(await master.info('memory'));
      if (evicting.has(master)) evicting.set(master, evicts(policy));
      if (!evicts(policy)) return;
      log.error('redis.evicts', { ...nodeOf(redis, master), reason: `maxmemory-policy is ${policy}. ${evictionTodo}` });
    } catch (error) {
      // The next look asks this master again.
      evicting.delete(master);
      log.debug('redis.policy-unknown', { error });
    }
  };
  const look = (anew: boolean) => {
    const masters = mastersOf(redis);
    const toAsk = masters.filter((master) => anew || !evicting.has(master));
    evicting = new Map(masters.map((master) => [master, evicting.get(master) ?? false]));
    for (const master of toAsk) void ask(master);
  };
  redis.on('ready', () => look(true));
  // A cluster has read its list of masters again. Before the cluster is ready, its own look must find the masters unconnected.
  redis.on('refresh', () => {
    if (redis.status === 'ready') look(false);
  });
  if (redis.status === 'ready') look(true);
  return () => [...evicting.values()].includes(true);
}
