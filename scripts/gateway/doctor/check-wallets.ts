/** Checks roots and keys of the wallets, and certificates of merchants: whether they can be used, and for how long. */
import type { X509Certificate } from 'node:crypto';
import { ConfigError } from '../../../config/index.js';
import { limits } from '../../../config/limits.js';
import { after } from '../../../shared/domain/time.js';
import { createWalletIntegrationRepository } from '../../../shared/store/wallet-integration.repository.js';
import { loadTrust, parseTrust, servedWallets, type TrustConfig } from '../../../shared/wallets/load-trust.js';
import type { Check, ExaminedDatabase } from './examined.js';
import { type Finding, findingsOf } from './finding.js';
import { judgeEnd } from './judge-end.js';

const wallets = findingsOf('wallets', 'docs/wallets.md#for-operators');

function judgeTrust({ config, clock }: ExaminedDatabase): Finding[] {
  const now = clock.now();
  const { walletA, walletB } = parseTrust(loadTrust(config as TrustConfig));
  const found: Finding[] = [];
  if (walletA) {
    const ends = walletA.rootKeys.map(({ expiresAtMs }) => expiresAtMs ?? Number.POSITIVE_INFINITY);
    const last = Math.max(...ends);
    const what = 'wallet-a: root keys';
    if (last === Number.POSITIVE_INFINITY) found.push(wallets.ok(`${what}: without an end`));
    else
      found.push(judgeEnd(wallets, what, new Date(last), now, 'Fetch the current root keys: WALLET_A_ROOT_KEYS_FILE.'));
  }
  for (const root of walletB?.roots ?? []) {
    const end = new Date((root as X509Certificate).validTo);
    found.push(judgeEnd(wallets, 'wallet-b: a root certificate', end, now, 'Renew WALLET_B_ROOT_CERTIFICATES_FILE.'));
  }
  return found;
}

export const checkWalletTrust: Check<ExaminedDatabase> = (examined) => {
  const { config, processes } = examined;
  if (!processes.includes('wallet'))
    return [wallets.notice('not looked at: only the pool wallet has all their settings')];
  const served = servedWallets(config as TrustConfig);
  const absent = Object.entries(served).flatMap(([name, isServed]) => (isServed ? [] : [name]));
  const found = absent.map((name) => wallets.notice(`${name} is not configured: such payments are refused`));
  try {
    return [...found, ...judgeTrust(examined)];
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : ['its files cannot be used'];
    return [...found, ...problems.map((problem) => wallets.wrong(problem, 'Correct the file.'))];
  }
};

export const checkWalletCertificates: Check<ExaminedDatabase> = async ({ database, clock }) => {
  const now = clock.now();
  // Lists certificates whether or not a warning was already sent.
  const ending = await createWalletIntegrationRepository(database).findEnding(
    after(now, limits.certificateWarnMs),
    after(now, limits.walletWarnAgainMs),
  );
  return ending.flatMap(({ merchantId, certificates }) => {
    const endsAt = certificates?.[0]?.expiresAt;
    const what = `wallet-b: the certificate of merchant ${merchantId}`;
    return endsAt ? [judgeEnd(wallets, what, endsAt, now, 'The merchant uploads the next one.')] : [];
  });
};
