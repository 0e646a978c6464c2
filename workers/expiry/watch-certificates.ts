/** Warns the operator about wallet-b certificates that expire: once a day from thirty days before, and also after they have expired. */
import { limits } from '../../config/limits.js';
import { after, longAgo, msBetween } from '../../shared/domain/time.js';
import type { PoolDeps } from '../pool.js';

export interface CertificateDeps extends Pick<PoolDeps, 'log'> {
  readonly walletIntegrations: Pick<PoolDeps['walletIntegrations'], 'findEnding' | 'markWarned'>;
  readonly metrics: Pick<PoolDeps['metrics'], 'event'>;
}

/** Returns a check with its own interval. Of several processes only the one whose mark was written warns. */
export function createCertificateWatch({ walletIntegrations, log, metrics }: CertificateDeps) {
  let sweptAt = longAgo;
  return async (now: Date): Promise<number> => {
    if (msBetween(sweptAt, now) < limits.walletCertificateSweepMs) return 0;
    sweptAt = now;
    const warnedBefore = after(now, -limits.walletWarnAgainMs);
    const ending = await walletIntegrations.findEnding(after(now, limits.certificateWarnMs), warnedBefore);
    for (const { merchantId, certificates } of ending) {
      const endsAt = certificates?.[0]?.expiresAt;
      if (!endsAt || !(await walletIntegrations.markWarned(merchantId, warnedBefore, now))) continue;
      metrics.event('wallet-certificate-expiring');
      const ended = endsAt <= now;
      log.warn(ended ? 'wallet-certificate.expired' : 'wallet-certificate.expiring', {
        merchantId,
        reason: `the wallet-b certificate ${ended ? 'ended' : 'ends'} at ${endsAt.toISOString()}`,
      });
    }
    return ending.length;
  };
}
