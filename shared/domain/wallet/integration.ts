/** How a merchant is set up for a wallet (docs/api.md#wallets). What follows from time is computed, not stored. */
import type { Envelope } from '../payment/payment.js';

export const walletModes = ['hosted', 'api', 'both'] as const;
export type WalletMode = (typeof walletModes)[number];
export const walletTypes = ['wallet-a-pay', 'wallet-b-pay'] as const;
export type WalletType = (typeof walletTypes)[number];
/** The wallet whose token a source of payments is. */
export const walletOfSource = {
  'wallet-a-pay-token': 'wallet-a-pay',
  'wallet-b-pay-token': 'wallet-b-pay',
} as const satisfies Record<`${WalletType}-token`, WalletType>;
export type WalletSource = keyof typeof walletOfSource;
export const isWalletSource = (source: string): source is WalletSource => Object.hasOwn(walletOfSource, source);
export const walletAuthMethods = ['CRYPTOGRAM_3DS', 'PAN_ONLY'] as const;
export type WalletAuthMethod = (typeof walletAuthMethods)[number];
export const walletProfileModes = ['service', 'merchant'] as const;

export interface WalletAProfile {
  /** `service`: the operator's wallet account is used; `merchant`: the merchant's own. */
  readonly profileMode: (typeof walletProfileModes)[number];
  readonly walletMerchantId?: string;
  readonly walletMerchantName?: string;
  /** Host name without protocol. */
  readonly walletMerchantOrigin?: string;
  readonly allowedAuthMethods: readonly WalletAuthMethod[];
  /** With scheme: `https://shop.example`. */
  readonly allowedOrigins: readonly string[];
  readonly tosAcceptedAt: Date;
  readonly tosVersion: string;
}

/** A payment processing certificate of wallet-b with its sealed private key. */
export interface WalletCertificate {
  /** base64 of the SHA-256 of the public key: tokens name their key by it. */
  readonly publicKeyHash: string;
  /** base64 of the public key (SPKI). */
  readonly publicKey: string;
  readonly merchantIdentifier: string;
  readonly expiresAt: Date;
  readonly uploadedAt: Date;
  /** PKCS#8, sealed, bound to {@link certificateRecordId}. */
  readonly privateKey: Envelope;
}

export interface WalletIntegration {
  readonly merchantId: number;
  readonly walletType: WalletType;
  readonly enabled: boolean;
  /** What it was enabled for last; kept while it is disabled. */
  readonly mode: WalletMode;
  readonly configuredAt: Date;
  readonly lastUpdatedAt: Date;
  readonly profile?: WalletAProfile;
  /** Newest first. */
  readonly certificates?: readonly WalletCertificate[];
  /** When the operator was last warned that the newest certificate ends. */
  readonly warnedAt?: Date;
}

export type WalletStatus = 'active' | 'pending' | 'error' | 'not_configured';

export const isCertificateLive = ({ expiresAt }: Pick<WalletCertificate, 'expiresAt'>, now: Date) => expiresAt > now;

/** @param served false where the installation has not what it takes to use tokens of the wallet */
export function walletStatus(integration: WalletIntegration, now: Date, served = true): WalletStatus {
  if (!integration.enabled) return 'not_configured';
  if (!served) return 'error';
  if (integration.walletType === 'wallet-a-pay') return 'active';
  const { certificates = [] } = integration;
  if (certificates.length === 0) return 'pending';
  return certificates.some((certificate) => isCertificateLive(certificate, now)) ? 'active' : 'error';
}

/** Whether payments may come over the API, or from the hosted page. */
export function isOpenTo(integration: WalletIntegration | undefined, way: 'api' | 'hosted'): boolean {
  return integration?.enabled === true && (integration.mode === way || integration.mode === 'both');
}

/** What the vault binds a private key to. */
export const certificateRecordId = (merchantId: number, publicKeyHash: string) =>
  `${merchantId}:wallet-b-pay:${publicKeyHash}`;

/** Methods of a profile that names none: in production, a PAN-only credential has to be asked for. */
export function defaultAuthMethods(environment: 'testing' | 'production'): readonly WalletAuthMethod[] {
  return environment === 'production' ? ['CRYPTOGRAM_3DS'] : walletAuthMethods;
}
