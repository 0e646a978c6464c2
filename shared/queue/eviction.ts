/**
 * Whether Redis may evict what is in it. Redis holds nudges only (docs/reliability.md, decision 1), so no payment is lost; but an
 * evicted nudge costs seconds, and a queue that is evicted in part stays inconsistent until it is empty.
 */
import type { Log } from '../log.js';
import { mastersOf, nodeOf, type Redis, type Server } from './redis.js';

/** A field of what INFO says. */
export const infoField = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

/** A hosted Redis refuses CONFIG; INFO says it, too. Undefined: it does not say. */
export const evictionPolicyOf = (info: string): string | undefined => infoField(info, 'maxmemory_policy');

/** True when the policy is another one than the queues need. */
export const evicts = (policy: string | undefined): boolean => policy !== undefined && policy !== 'noeviction';

/** What is to be done about it. */
export const evictionTodo =
  'Set maxmemory-policy noeviction: otherwise nudges vanish, and payments wait for the sweep.';

/**
 * Asks every master after each new connection, and each server that becomes one: a failover may lead to a server with other settings.
 * @returns whether one of them evicts, as far as is known
 */
export function watchEviction(redis: Redis, log: Log): () => boolean {
  /** By connection. One whose answer is awaited counts as it did before. */
  let evicting = new Map<Server, boolean>();
  const ask = async (master: Server) => {
    try {
      const policy = evictionPolicyOf(await master.info('memory'));
      if (evicting.has(master)) evicting.set(master, evicts(policy));
      if (!evicts(policy)) return;
      log.error('redis.evicts', { ...nodeOf(redis, master), reason: `maxmemory-policy is ${policy}. ${evictionTodo}` });
    } catch (error) {
      // Asked again with the next look.
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
  // Of a cluster: who the masters are was asked again. Before it is ready, its own look must find them unconnected.
  redis.on('refresh', () => {
    if (redis.status === 'ready') look(false);
  });
  if (redis.status === 'ready') look(true);
  return () => [...evicting.values()].includes(true);
}
