/**
 * Whether Redis may evict what is in it. Redis holds nudges only (docs/reliability.md, decision 1), so no payment is lost; but an
 * evicted nudge costs seconds, and a queue that is evicted in part stays inconsistent until it is empty.
 */
import type { Log } from '../log.js';
import type { Redis } from './redis.js';

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
 * Asks again after each new connection: a failover may lead to a server with other settings.
 * @returns whether it evicts, as far as is known
 */
export function watchEviction(redis: Pick<Redis, 'on' | 'info' | 'status'>, log: Log): () => boolean {
  let evicting = false;
  const look = async () => {
    try {
      const policy = evictionPolicyOf(await redis.info('memory'));
      evicting = evicts(policy);
      if (evicting) log.error('redis.evicts', { reason: `maxmemory-policy is ${policy}. ${evictionTodo}` });
    } catch (error) {
      log.debug('redis.policy-unknown', { error });
    }
  };
  redis.on('ready', () => void look());
  if (redis.status === 'ready') void look();
  return () => evicting;
}
