/**
 * THE LIST of pools: one folder each. The command line of a process names the pools that it runs (Procfile). A pool is loaded only by a
 * process that runs it: the modules of the others take memory and time to start (docs/performance.md).
 */
import type { Config } from '../config/index.js';
import { type Clock, systemClock } from '../shared/clock.js';
import { watchEviction } from '../shared/queue/eviction.js';
import { createNudges } from '../shared/queue/nudges.js';
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
  /** Whether Redis may evict nudges. */
  redisEvicts(): boolean;
  close(): Promise<void>;
}

/**
 * Opens the named pools over shared connections. Nothing runs yet.
 * @param given.config the settings that the named pools read; those of other pools may be missing.
 */
export async function openPools(
  names: readonly PoolName[],
  given: Pick<Opening<PoolName>, 'config' | 'log' | 'metrics' | 'database' | 'restored'> & { clock?: Clock },
): Promise<Pools> {
  const { config, log, database } = given;
  const clock = given.clock ?? systemClock;
  const redis = createProducerRedis(config.redisUrl, log);
  const redisEvicts = watchEviction(redis, log);
  const nudges = createNudges(redis, config.redisPrefix, log, given.metrics);
  const payments = createPaymentRepository(database, config.batchWrites);
  let vault: Promise<Vault> | undefined;
  const vaultOf = (keys: Pick<Config, 'vaultMasterKeys'>) => {
    vault ??= import('../shared/vault/open-vault.js').then(({ openVault }) => openVault(database, keys, clock));
    return vault;
  };
  const opening: Opening<PoolName> = { ...given, clock, payments, vaultOf, nudges, redis };
  const opened: Pool[] = [];
  // One after another: shared modules are loaded once anyway, and jest links modules that are imported in parallel wrongly.
  for (const name of names) opened.push(await (await pools[name]()).openPool(opening));
  return {
    pools: opened,
    redis,
    redisEvicts,
    close: async () => {
      await nudges.close();
      redis.disconnect();
    },
  };
}
