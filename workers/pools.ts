/**
 * THE LIST of pools: one folder each. What a process runs of them is named on its command line (Procfile). A pool is loaded where
 * it runs: what the others are made of takes memory and time to start (docs/performance.md).
 */
import type { Config } from '../config/index.js';
import { type Clock, systemClock } from '../shared/clock.js';
import { watchEviction } from '../shared/queue/eviction.js';
import { createHints } from '../shared/queue/hints.js';
import type { Redis } from '../shared/queue/redis.js';
import { createProducerRedis } from '../shared/queue/redis.js';
import { createPaymentRepository } from '../shared/store/payment.repository.js';
import type { Vault } from '../shared/vault/vault.js';
import type { Opening, Pool, PoolName } from './pool.js';

const pools = {
  wallet: () => import('./wallet/wallet-pool.js'),
  threeds: () => import('./threeds/threeds-pool.js'),
  processor: () => import('./processor/processor-pool.js'),
  qr: () => import('./qr/qr-pool.js'),
  expiry: () => import('./expiry/expiry-pool.js'),
  callback: () => import('./callback/callback-pool.js'),
} as const satisfies {
  [P in PoolName]: () => Promise<{ openPool(opening: Opening<P>): Pool | Promise<Pool> }>;
};

export const poolNames = Object.keys(pools) as PoolName[];
export const isPoolName = (text: string): text is PoolName => Object.hasOwn(pools, text);

export interface Pools {
  readonly pools: readonly Pool[];
  readonly redis: Redis;
  /** Whether Redis may throw hints away. */
  redisEvicts(): boolean;
  close(): Promise<void>;
}

/**
 * Makes the named pools over shared connections. Nothing runs yet.
 * @param given.config what the named pools read; of what others read, nothing need be there.
 */
export async function openPools(
  names: readonly PoolName[],
  given: Pick<Opening<PoolName>, 'config' | 'log' | 'metrics' | 'database' | 'restored'> & { clock?: Clock },
): Promise<Pools> {
  const { config, log, database } = given;
  const clock = given.clock ?? systemClock;
  const redis = createProducerRedis(config.redisUrl, log);
  const redisEvicts = watchEviction(redis, log);
  const hints = createHints(redis, config.redisPrefix, log, given.metrics);
  const payments = createPaymentRepository(database, config.batchWrites);
  let vault: Promise<Vault> | undefined;
  const vaultOf = (keys: Pick<Config, 'vaultMasterKeys'>) => {
    vault ??= import('../shared/vault/open-vault.js').then(({ openVault }) => openVault(database, keys, clock));
    return vault;
  };
  const opening: Opening<PoolName> = { ...given, clock, payments, vaultOf, hints, redis };
  const opened: Pool[] = [];
  // One after another: what several import is loaded once anyway, and jest links modules that are imported side by side wrongly.
  for (const name of names) opened.push(await (await pools[name]()).openPool(opening));
  return {
    pools: opened,
    redis,
    redisEvicts,
    close: async () => {
      await hints.close();
      redis.disconnect();
    },
  };
}
