/** How a merchant is set up for a wallet (docs/api.md#wallets). What depends on the time is computed, not stored. */
import type { Envelope } from '../payment/payment.js';

export const walletModes = ['hosted', 'api', 'both'] as const;
export type WalletMode = (typeof walletModes)[number];
export const walletTypes = ['wallet-a-pay', 'wallet-b-pay'] as const;
export type WalletType = (typeof walletTypes)[number];
/** The wallet of each source of payments that is a wallet's token. */
export const walletOfSource = {
  'wallet-a-pay-token': 'wallet-a-pay',
  'wallet-b-pay-token': 'wallet-b-pay',
} as const satisfies Record<`${WalletType}-token`, WalletType>;
export type WalletSource = keyof typeof walletOfSource;
export const isWalletSource = (source: string): source is WalletSource => Object.hasOwn(walletOfSource, source);
/** Returns the wallet of a source; undefined when the source is no wallet's token. */
export const walletOf = (source: string): WalletType | undefined =>
  isWalletSource(source) ? walletOfSource[source] : undefined;
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
  /** Mode in which the integration was last enabled; kept while it is disabled. */
  readonly mode: WalletMode;
  readonly configuredAt: Date;
  readonly lastUpdatedAt: Date;
  readonly profile?: WalletAProfile;
  /** Newest first. */
  readonly certificates?: readonly WalletCertificate[];
  /** When the operator was last warned that the newest certificate expires. */
  readonly warnedAt?: Date;
}

export type WalletStatus = 'active' | 'pending' | 'error' | 'not_configured';

export const isCertificateLive = ({ expiresAt }: Pick<WalletCertificate, 'expiresAt'>, now: Date) => expiresAt > now;

/** @param served false when the installation is not configured to use tokens of the wallet */
export function walletStatus(integration: WalletIntegration, now: Date, served = true): WalletStatus {
  if (!integration.enabled) return 'not_configured';
  if (!served) return 'error';
  if (integration.walletType === 'wallet-a-pay') return 'active';
  const { certificates = [] } = integration;
  if (certificates.length === 0) return 'pending';
  return certificates.some((certificate) => isCertificateLive(certificate, now)) ? 'active' : 'error';
}

/** Whether payments with the wallet are accepted over the API, or from the hosted page. */
export function isOpenTo(integration: WalletIntegration | undefined, way: 'api' | 'hosted'): boolean {
  return integration?.enabled === true && (integration.mode === way || integration.mode === 'both');
}

/** Returns the record id to which the vault binds a private key. */
export const certificateRecordId = (merchantId: number, publicKeyHash: string) =>
  `${merchantId}:wallet-b-pay:${publicKeyHash}`;

/** Returns the methods of a profile that names none. In production, PAN-only credentials are used only when the profile lists them. */
export function defaultAuthMethods(environment: 'testing' | 'production'): readonly WalletAuthMethod[] {
  return environment === 'production' ? ['CRYPTOGRAM_3DS'] : walletAuthMethods;
}
