import { limits } from '../../../config/limits.js';
import { createLog } from '../../../shared/log.js';
import type { Redis } from '../../../shared/queue/redis.js';
import { createProducerRedis } from '../../../shared/queue/redis.js';
import { type Check, reasonOf } from './examined.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, wrong, notice } = findingsOf('redis', 'docs/production.md#settings');

const fieldOf = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

/** @param info what INFO says; a hosted Redis may not say all of it, and refuses CONFIG anyway */
export function judgeRedis(info: string): Finding[] {
  const found: Finding[] = [];
  const policy = fieldOf(info, 'maxmemory_policy');
  const version = fieldOf(info, 'redis_version') ?? 'of an unknown release';
  if (policy === undefined)
    found.push(notice('it does not say its maxmemory-policy', 'See to it that it is noeviction.'));
  else if (policy === 'noeviction') found.push(ok(`Redis ${version}, maxmemory-policy noeviction`));
  else {
    const todo = 'Set maxmemory-policy noeviction: otherwise hints vanish, and payments wait for the sweep.';
    found.push(wrong(`maxmemory-policy is ${policy}`, todo));
  }
  if (fieldOf(info, 'aof_enabled') === '1') found.push(ok('append-only file on'));
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
