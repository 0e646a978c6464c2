/**
 * Decides whether a request with a used reference repeats the request that used it. The answer helps a client that repeats a
 * request, but would also help an attacker who guesses its contents: after a few different bodies the answer is "no" for good
 * (docs/security.md#reference-oracle).
 */
import { limits } from '../../config/limits.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { ReferenceProbeRepository } from '../../shared/store/reference-probe.repository.js';

export interface ReferenceGuard {
  /**
   * Whether both requests are the same.
   * @param refKey kind and reference, in the form of `refKeys`: `payment:order-1`.
   * @param known digest of the request that has the reference; undefined when it is unknown.
   */
  isSame(clientId: string, refKey: string, known: string | undefined, digest: string): Promise<boolean>;
}

interface Deps {
  readonly probes: ReferenceProbeRepository;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
}

export function createReferenceGuard({ probes, log, metrics }: Deps): ReferenceGuard {
  const max = limits.differingBodiesMax;
  return {
    async isSame(clientId, refKey, known, digest) {
      const reference = `${clientId}/${refKey}`;
      if (known === digest) return (await probes.count(reference)) < max;
      const { before, now } = await probes.add(reference, digest);
      if (before < max && now === max) {
        metrics.event('reference-probed');
        log.warn('reference.probed', { clientId, count: now, reason: 'bodies that differ under one reference' });
      }
      return false;
    },
  };
}
