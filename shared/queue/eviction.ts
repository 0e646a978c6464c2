/**
 * Checks whether Redis may evict keys. Redis holds nudges only (docs/reliability.md, decision 1), so no payment is lost. But an
 * evicted nudge costs seconds, and a queue that is evicted in part stays inconsistent until it is empty.
 */
import { limits } from '../../config/limits.js';
import type { Log } from '../log.js';
import { isReady, mastersOf, nodeOf, type Redis, type Server } from './redis.js';

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
 * Asks every master for its policy after each new connection, each server that becomes a master, since a failover may lead to a server
 * with other settings, and all of them every `limits.redisPolicyLookMs`, since an operator may change the policy of a running server.
 * @returns a function that says whether a master evicts keys, as far as is known
 */
export function watchEviction(redis: Redis, log: Log, everyMs: number = limits.redisPolicyLookMs): () => boolean {
  /** Whether each master evicts keys. A master that has not answered yet keeps its earlier value. */
  let evicting = new Map<Server, boolean>();
  const ask = async (master: Server, isNew: boolean) => {
    try {
      const policy = evictionPolicyOf(await master.info('memory'));
      const isKnown = !isNew && evicting.get(master) === true;
      if (evicting.has(master)) evicting.set(master, evicts(policy));
      if (isKnown || !evicts(policy)) return;
      log.error('redis.evicts', { ...nodeOf(redis, master), reason: `maxmemory-policy is ${policy}. ${evictionTodo}` });
    } catch (error) {
      // The next look asks this master again.
      evicting.delete(master);
      log.debug('redis.policy-unknown', { error });
    }
  };
  /** @param of `all` masters, or those that are `new` */
  const look = (of: 'all' | 'new', isNewConnection: boolean) => {
    const masters = mastersOf(redis);
    const known = evicting;
    evicting = new Map(masters.map((master) => [master, known.get(master) ?? false]));
    for (const master of masters) {
      const isNew = isNewConnection || !known.has(master);
      if (of === 'all' || isNew) void ask(master, isNew);
    }
  };
  redis.on('ready', () => look('all', true));
  // A cluster has read its list of masters again. Before the cluster is ready, its own look must find the masters unconnected.
  redis.on('refresh', () => {
    if (isReady(redis)) look('new', false);
  });
  const timer = setInterval(() => isReady(redis) && look('all', false), everyMs).unref();
  redis.once('end', () => clearInterval(timer));
  if (isReady(redis)) look('all', true);
  return () => [...evicting.values()].includes(true);
}
