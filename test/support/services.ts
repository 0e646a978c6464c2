/**
 * Addresses of the real MongoDB and Redis of this test run. Each jest worker gets a separate database, and a separate prefix for
 * everything in Redis: keys, queues, rate limits and reply channels (pub/sub ignores Redis database numbers).
 */
const worker = process.env.JEST_WORKER_ID ?? '1';
const run = process.env.TEST_RUN_ID ?? String(process.pid);

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests with \`npm test\`, which starts MongoDB and Redis`);
  return value;
}

/** Returns a connection string whose database belongs to this worker and, with `suffix`, to one suite of it. */
export function testMongoUri(suffix = ''): string {
  const uri = new URL(required('MONGODB_URI'));
  uri.pathname = `/gw_${run}_${worker}${suffix ? `_${suffix}` : ''}`;
  return uri.href;
}

export function testRedisUrl(): string {
  return required('REDIS_URL');
}

/** Returns the prefix of every Redis key and channel of this worker. */
export function testRedisPrefix(suffix = ''): string {
  return `gw-${run}-${worker}${suffix ? `-${suffix}` : ''}`;
}
