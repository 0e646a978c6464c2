/** Tells the operator of wallet-b certificates that end: from thirty days before, once a day each, and when they have ended. */
import { limits } from '../../config/limits.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { WalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';

export interface CertificateDeps {
  readonly integrations: Pick<WalletIntegrationRepository, 'findEnding' | 'markWarned'>;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
}

/** A sweep of its own pace. Of several processes one tells: the one whose mark was written. */
export function createCertificateWatch({ integrations, log, metrics }: CertificateDeps) {
  let sweptAt = 0;
  return async (now: Date): Promise<void> => {
    if (now.getTime() - sweptAt < limits.walletCertificateSweepMs) return;
    sweptAt = now.getTime();
    const toldBefore = new Date(now.getTime() - limits.walletWarnAgainMs);
    const ending = await integrations.findEnding(new Date(now.getTime() + limits.walletCertificateWarnMs), toldBefore);
    for (const { merchantId, certificates } of ending) {
      const endsAt = certificates?.[0]?.expiresAt;
      if (!endsAt || !(await integrations.markWarned(merchantId, toldBefore, now))) continue;
      metrics.event('wallet-certificate-expiring');
      const ended = endsAt <= now;
      log.warn(ended ? 'wallet-certificate.expired' : 'wallet-certificate.expiring', {
        merchantId,
        reason: `the wallet-b certificate ${ended ? 'ended' : 'ends'} at ${endsAt.toISOString()}`,
      });
    }
  };
}
