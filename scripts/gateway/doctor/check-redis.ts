import { limits } from '../../../config/limits.js';
import { createLog } from '../../../shared/log.js';
import { evictionPolicyOf, evictionTodo, evicts, infoField } from '../../../shared/queue/eviction.js';
import type { Redis } from '../../../shared/queue/redis.js';
import { createProducerRedis } from '../../../shared/queue/redis.js';
import { type Check, reasonOf } from './examined.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, wrong, notice } = findingsOf('redis', 'docs/production.md#settings');

/** @param info what INFO says; a hosted Redis may not say all of it, and refuses CONFIG anyway */
export function judgeRedis(info: string): Finding[] {
  const found: Finding[] = [];
  const policy = evictionPolicyOf(info);
  const version = infoField(info, 'redis_version') ?? 'of an unknown release';
  if (policy === undefined)
    found.push(notice('it does not say its maxmemory-policy', 'See to it that it is noeviction.'));
  else if (evicts(policy)) found.push(wrong(`maxmemory-policy is ${policy}`, evictionTodo));
  else found.push(ok(`Redis ${version}, maxmemory-policy noeviction`));
  if (infoField(info, 'aof_enabled') === '1') found.push(ok('append-only file on'));
  else {
    const todo = 'Set appendonly yes. A restart loses nothing but time without it: MongoDB alone holds payments.';
    found.push(wrong('no append-only file', todo));
  }
  return found;
}

function ready(redis: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer')), limits.doctorConnectMs);
    const settle = (done: () => void) => () => {
      clearTimeout(timer);
      done();
    };
    redis.once('ready', settle(resolve));
    redis.once('error', (error) => settle(() => reject(error))());
  });
}

export const checkRedis: Check = async ({ config }) => {
  if (config.redisUrl === undefined) return [];
  const redis = createProducerRedis(config.redisUrl, createLog('doctor', 'silent'));
  try {
    await ready(redis);
    return judgeRedis(await redis.info());
  } catch (error) {
    const todo = 'Start it, or correct REDIS_URL. Without it everything works, slower.';
    return [wrong(`Redis does not answer: ${reasonOf(error)}`, todo)];
  } finally {
    redis.disconnect();
  }
};
