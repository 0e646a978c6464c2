/** Reads the files of roots and keys again at intervals, so that an operator can replace them without a restart. */
import { ConfigError } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import { hasLiveRoots, loadTrust, type TrustConfig, type WalletTrustTexts } from '../../shared/wallets/load-trust.js';
import type { TokenThread } from './token-thread.js';

export interface TrustRefreshDeps {
  readonly config: TrustConfig;
  readonly thread: Pick<TokenThread, 'replaceTrust'>;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
}

/**
 * Creates the reader that the sweep calls; it reads at most once in `walletTrustRefreshMs`. Files that cannot be used, and in production
 * files with published keys, change nothing: the roots and keys read before stay in use, and the operator is warned once until the files
 * change.
 * @param first the roots and keys with which the thread was started.
 */
export function createTrustRefresh({ config, thread, log, metrics }: TrustRefreshDeps, first: WalletTrustTexts) {
  let current = JSON.stringify(first);
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reported = '';

  const report = (message: string, reason: string) => {
    if (reported === reason) return;
    reported = reason;
    metrics.event('wallet-trust-unusable');
    log.error(message, { reason });
  };

  return (now: Date): void => {
    const nowMs = now.getTime();
    if (nowMs - readAtMs < limits.walletTrustRefreshMs) return;
    readAtMs = nowMs;
    let read: WalletTrustTexts;
    try {
      read = loadTrust(config);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      // The file may be half written: the next read decides again.
      report('wallet-trust.kept', error.problems.join('; '));
      return;
    }
    const text = JSON.stringify(read);
    if (text !== current) {
      thread.replaceTrust(read);
      current = text;
      log.info('wallet-trust.replaced');
    }
    if (hasLiveRoots(read, nowMs)) reported = '';
    else
      report(
        'wallet-trust.roots-expired',
        'every root key of wallet-a for new tokens has expired: none can be verified',
      );
  };
}
