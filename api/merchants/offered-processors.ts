/** Which processors payments can be sent to at the moment, as the workers report it; remembered for a few seconds. */
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { KeyHolder } from '../../shared/domain/master-keys.js';
import type { KeyReportRepository } from '../../shared/store/key-reports.repository.js';
import { createReadCache } from '../../shared/store/read-cache.js';
import type { ChargeContext } from './processor-problem.js';

/** @returns undefined where it is not known: no worker runs at the moment, or one of them does not say. */
export function offeredProcessors(
  holders: readonly Pick<KeyHolder, 'role' | 'processors'>[],
): ReadonlySet<string> | undefined {
  const workers = holders.filter(({ role }) => role.split('+').includes('processor'));
  if (workers.length === 0 || workers.some(({ processors }) => processors === undefined)) return undefined;
  return new Set(workers.flatMap(({ processors = [] }) => processors));
}

/** What is known of the installation when a payment method is judged: can it be charged here? */
export interface ChargeContexts {
  now(): Promise<ChargeContext>;
}

interface Deps {
  readonly config: Pick<Config, 'environment'>;
  readonly reports: Pick<KeyReportRepository, 'findLive'>;
  readonly clock: Clock;
}

/** In testing nothing is refused for a processor that no worker has: the pools answer as for one that does not respond. */
export function createChargeContexts({ config: { environment }, reports, clock }: Deps): ChargeContexts {
  if (environment === 'testing') return { now: async () => ({ environment }) };
  const cache = createReadCache<'now', ChargeContext>({
    max: 1,
    ttlMs: limits.merchantCacheMs,
    clock,
    load: async () => ({ environment, installed: offeredProcessors(await reports.findLive()) }),
  });
  return { now: async () => (await cache.get('now')) ?? { environment } };
}
