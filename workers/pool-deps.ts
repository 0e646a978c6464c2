/** What a pool is given to make itself of, and what pools have in common. */
import type { Config, ConfigOf } from '../config/index.js';
import { limits } from '../config/limits.js';
import type { ProcessName } from '../config/readers.js';
import type { Clock } from '../shared/clock.js';
import { renderCallback } from '../shared/contract/present-payment.js';
import { makeSchedule } from '../shared/domain/schedule.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';
import type { Hints } from '../shared/queue/hints.js';
import type { Redis } from '../shared/queue/redis.js';
import { publishReply, type Reply, ReplyKey } from '../shared/queue/reply-channel.js';
import type { Database } from '../shared/store/database.js';
import type { PaymentRepository } from '../shared/store/payment.repository.js';
import type { Vault } from '../shared/vault/vault.js';
import type { Pool } from './define-worker.js';

export type PoolName = Exclude<ProcessName, 'web'>;

/** What all pools of a process share. The type lets pool `P` see the settings that `config/readers.ts` grants it. */
export interface Shared<P extends PoolName> {
  readonly config: ConfigOf<P>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly database: Database;
  readonly payments: PaymentRepository;
  /** The one vault of the process, opened for the first pool that asks: only those that are granted master keys can. */
  readonly vaultOf: (config: Pick<Config, 'vaultMasterKeys'>) => Promise<Vault>;
  readonly hints: Hints;
  readonly redis: Redis;
}

/** The pool, which closes its connections to others when it ends. */
export const closingToo = (pool: Pool, connections: { close(): Promise<void> }): Pool => ({
  ...pool,
  close: async () => {
    await pool.close();
    await connections.close();
  },
});

type PaymentPoolConfig = Pick<Config, 'batchWrites' | 'timeScale' | 'processorTimeoutMs' | 'replyKey'>;

/** What all pools that work on payments are given besides. */
export const forPayments = ({ config, redis }: { readonly config: PaymentPoolConfig; readonly redis: Redis }) => {
  const key = new ReplyKey(config.replyKey);
  return {
    publish: (channel: string, reply: Reply) => publishReply(redis, key, channel, reply),
    renderCallback,
    schedule: makeSchedule(limits, config),
    batchWrites: config.batchWrites,
  };
};
