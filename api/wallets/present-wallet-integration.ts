/** Presents wallet integrations in answers, never with a key. */
import {
  isCertificateLive,
  type WalletAProfile,
  type WalletCertificate,
  type WalletIntegration,
  type WalletType,
  walletStatus,
} from '../../shared/domain/wallet/integration.js';

const iso = (date: Date | undefined) => date?.toISOString() ?? null;

const RAN_OUT = 'The certificate has expired: upload a new one.';

/** Why the installation cannot serve an integration; undefined when it can. */
type Problem = string | undefined;

function presentState(walletType: WalletType, integration: WalletIntegration | undefined, now: Date, problem: Problem) {
  const status = integration ? walletStatus(integration, now, problem === undefined) : 'not_configured';
  return {
    walletType,
    enabled: integration?.enabled ?? false,
    mode: integration?.enabled ? integration.mode : null,
    status,
    ...(status === 'error' && { errorMessage: problem ?? RAN_OUT }),
    configuredAt: iso(integration?.configuredAt),
    lastUpdatedAt: iso(integration?.lastUpdatedAt),
  };
}

function presentProfile(profile: WalletAProfile) {
  return {
    profileMode: profile.profileMode,
    walletMerchantId: profile.walletMerchantId ?? null,
    walletMerchantName: profile.walletMerchantName ?? null,
    walletMerchantOrigin: profile.walletMerchantOrigin ?? null,
    allowedAuthMethods: [...profile.allowedAuthMethods],
    allowedOrigins: [...profile.allowedOrigins],
    tosAcceptedAt: iso(profile.tosAcceptedAt),
    tosVersion: profile.tosVersion,
  };
}

export function presentWalletA(integration: WalletIntegration | undefined, now: Date, problem?: Problem) {
  const { profile } = integration ?? {};
  return {
    ...presentState('wallet-a-pay', integration, now, problem),
    walletAPayProfile: profile ? presentProfile(profile) : null,
  };
}

/** Presents the newest certificate; `pending` before the first one. */
export function presentCertificate(integration: WalletIntegration | undefined, now: Date) {
  const newest = integration?.certificates?.[0];
  return {
    type: 'self-managed' as const,
    status: newest
      ? isCertificateLive(newest, now)
        ? ('active' as const)
        : ('expired' as const)
      : ('pending' as const),
    merchantIdentifier: newest?.merchantIdentifier ?? null,
    expiresAt: iso(newest?.expiresAt),
    uploadedAt: iso(newest?.uploadedAt),
  };
}

export function presentUpload({ merchantIdentifier, expiresAt, uploadedAt }: WalletCertificate) {
  return { status: 'active' as const, merchantIdentifier, expiresAt: iso(expiresAt), uploadedAt: iso(uploadedAt) };
}

export function presentWalletB(integration: WalletIntegration | undefined, now: Date, problem?: Problem) {
  return {
    ...presentState('wallet-b-pay', integration, now, problem),
    certificate: presentCertificate(integration, now),
  };
}

export function presentWallets(
  { walletA, walletB }: { walletA: WalletIntegration | undefined; walletB: WalletIntegration | undefined },
  now: Date,
  problemOf: (integration: WalletIntegration) => Problem,
) {
  return {
    walletAPay: walletA ? presentWalletA(walletA, now, problemOf(walletA)) : null,
    walletBPay: walletB ? presentWalletB(walletB, now, problemOf(walletB)) : null,
  };
}
