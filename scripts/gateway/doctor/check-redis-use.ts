/**
 * Uses Redis as the processes do, by what changes nothing there. What a server says about itself tells neither what the user of REDIS_URL
 * may do nor every reason for which it refuses writes.
 */
import { processNames } from '../../../config/readers.js';
import { startLimits } from '../../../config/start-limits.js';
import { within } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import { queuePrefix } from '../../../shared/queue/nudges.js';
import { createPatientRedis, type Redis } from '../../../shared/queue/redis.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, wrong } = findingsOf('redis use', 'docs/production.md#redis');

/** Returns the first word of a refusal, which is its code: the rest may quote what was sent. */
export const refusalOf = (text: string): string | undefined => /^[A-Z]{2,}(?= )/.exec(text)?.[0];

/** What to do about a refusal. */
const todos: Readonly<Record<string, string>> = {
  NOPERM: 'Give the user of REDIS_URL the rights that this page lists: keys, channels and commands.',
  OOM: 'Raise maxmemory, or remove what else is stored there.',
  MISCONF: 'Make room on its disk: it refuses writes while it cannot save.',
  NOREPLICAS: 'Set min-replicas-to-write 0: the gateway does not need it.',
  READONLY: 'Name the master in REDIS_URL, not a replica.',
};
const SLOWER = 'Until then payments wait for the sweep.';

function unusable(what: string, error: unknown): Finding {
  const { message = '', code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  const reason = refusalOf(message) ?? code ?? 'no answer in time';
  return wrong(`it does not ${what}: ${reason}`, `${todos[reason] ?? 'Its log says why.'} ${SLOWER}`);
}

/** Writes a key of each queue only if it exists, which it does not, and runs a script, as BullMQ does for each job. */
async function useQueues(redis: Redis, prefix: string): Promise<void> {
  for (const name of processNames.filter((process) => process !== 'web')) {
    const key = `${queuePrefix(prefix, name)}:doctor`;
    await redis.set(key, '', 'XX');
    await redis.eval("return redis.call('EXISTS', KEYS[1])", 1, key);
  }
}

const late = () => {
  throw new Error('no answer');
};
const inTime = <T>(work: Promise<T>): Promise<T> => within(startLimits.doctorConnectMs, work, late);

/** Sends an empty message on a reply channel that no process has, and waits for it. */
async function useChannel(sender: Redis, listener: Redis, channel: string): Promise<void> {
  const heard = new Promise<void>((resolve) => listener.once('message', () => resolve()));
  await listener.subscribe(channel);
  await sender.publish(channel, '');
  await heard;
}

/** Connects by itself, with connections that wait as those of workers do: a busy server is not one that refuses. */
export async function checkRedisUse(url: string, prefix: string): Promise<readonly Finding[]> {
  const log = createLog('doctor', 'silent');
  const [sender, listener] = [createPatientRedis(url, log), createPatientRedis(url, log)];
  const uses = [useQueues(sender, prefix), useChannel(sender, listener, `${prefix}:reply:doctor`)];
  const [queues, channel] = await Promise.allSettled(uses.map(inTime));
  for (const redis of [sender, listener]) redis.disconnect();
  // What still waits fails now.
  await Promise.allSettled(uses);
  if (queues?.status === 'fulfilled' && channel?.status === 'fulfilled') {
    return [ok('takes nudges, and passes replies on')];
  }
  return [
    ...(queues?.status === 'rejected' ? [unusable('take nudges', queues.reason)] : []),
    ...(channel?.status === 'rejected' ? [unusable('pass replies on', channel.reason)] : []),
  ];
}
