/** Finds the processors that payments can be sent to now, from the reports of the workers; cached for a few seconds. */
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { KeyHolder } from '../../shared/domain/master-keys.js';
import type { KeyReportRepository } from '../../shared/store/key-reports.repository.js';
import { createReadCache } from '../../shared/store/read-cache.js';
import type { ChargeContext } from './processor-problem.js';

/** @returns undefined when it is unknown: no worker runs at the moment, or one of them does not report its processors. */
export function offeredProcessors(
  holders: readonly Pick<KeyHolder, 'role' | 'processors'>[],
): ReadonlySet<string> | undefined {
  const workers = holders.filter(({ role }) => role.split('+').includes('processor'));
  if (workers.length === 0 || workers.some(({ processors }) => processors === undefined)) return undefined;
  return new Set(workers.flatMap(({ processors = [] }) => processors));
}

/** Facts about the installation that decide whether a payment method can be charged. */
export interface ChargeContexts {
  now(): Promise<ChargeContext>;
}

interface Deps {
  readonly config: Pick<Config, 'environment'>;
  readonly reports: Pick<KeyReportRepository, 'findLive'>;
  readonly clock: Clock;
}

/** In testing, no payment is refused because no worker has its processor: the pools answer as if the processor did not respond. */
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
