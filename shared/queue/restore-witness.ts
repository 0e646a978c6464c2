/**
 * Keeps a copy of the database's mark in Redis (`shared/store/restore-watch.ts`). It is best effort, as a nudge is: without Redis
 * nothing is known.
 */
import { limits } from '../../config/limits.js';
import type { RedisWitness } from '../store/restore-watch.js';
import { isReady, type Redis } from './redis.js';

/** Waits for the connection: a process that starts looks before it is connected. */
const connected = (redis: Redis): Promise<boolean> =>
  new Promise((resolve) => {
    if (isReady(redis)) return resolve(true);
    const done = () => {
      clearTimeout(timer);
      redis.off('ready', done);
      resolve(isReady(redis));
    };
    const timer = setTimeout(done, limits.redisCommandMs);
    redis.on('ready', done);
  });

export function createRestoreWitness(redis: Redis, prefix: string): RedisWitness {
  const keyOf = (line: string) => `${prefix}:mark:${line}`;
  return {
    async read(line) {
      if (!(await connected(redis))) return undefined;
      const text = await redis.get(keyOf(line));
      const number = Number(text ?? Number.NaN);
      return Number.isSafeInteger(number) ? number : undefined;
    },
    async write({ line, number }) {
      if (isReady(redis)) await redis.set(keyOf(line), String(number));
    },
  };
}
