/** Wallet integrations of a merchant. The caller was authorized for the merchant. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import {
  certificateRecordId,
  defaultAuthMethods,
  type WalletCertificate,
  type WalletIntegration,
  type WalletType,
} from '../../shared/domain/wallet/integration.js';
import { recordChange } from '../http/record-change.js';
import type { Changer } from '../merchants/merchant-deps.js';
import type { WalletDeps } from './wallet-deps.js';
import {
  type CertificateUploadBody,
  type EnableWalletABody,
  type EnableWalletBBody,
  missingProfile,
} from './wallet-integration.schema.js';

/** The terms that a merchant accepts with `tosAccepted`. */
const TOS_VERSION = '2026-11';

const refused = (field: string, message: string) =>
  new GatewayError('request-validation-errors', { params: { [field]: [`"${field}" ${message}`] } });

export async function readWallets({ integrations }: WalletDeps, merchantId: number) {
  const [walletA, walletB] = await Promise.all([
    integrations.find(merchantId, 'wallet-a-pay'),
    integrations.find(merchantId, 'wallet-b-pay'),
  ]);
  return { walletA, walletB };
}

type Wanted = NonNullable<EnableWalletABody['configuration']>;

/** What was sent, with the defaults; or what the wallet was configured for when nothing was. @throws {GatewayError} */
function configurationOf(deps: WalletDeps, sent: Wanted | undefined, known: WalletIntegration | undefined) {
  const { environment } = deps.config;
  if (!sent) {
    if (!known?.profile) throw new GatewayError('request-validation-errors', { params: missingProfile() });
    return { mode: known.mode, profile: known.profile };
  }
  const { mode, walletAPayProfile: profile } = sent;
  const insecure = profile.allowedOrigins.some((origin) => !origin.startsWith('https:'));
  if (environment === 'production' && insecure) {
    throw refused('walletAPayProfile.allowedOrigins', 'must hold https origins only');
  }
  const allowedAuthMethods = profile.allowedAuthMethods ?? defaultAuthMethods(environment);
  return { mode, profile: { ...profile, allowedAuthMethods } };
}

export async function enableWalletA(
  deps: WalletDeps,
  merchantId: number,
  { configuration }: EnableWalletABody,
  changer: Changer,
): Promise<WalletIntegration> {
  const now = deps.clock.now();
  const known = configuration ? undefined : await deps.integrations.find(merchantId, 'wallet-a-pay');
  const { mode, profile } = configurationOf(deps, configuration, known);
  const accepted = { ...profile, tosAcceptedAt: now, tosVersion: TOS_VERSION };
  const key = { merchantId, walletType: 'wallet-a-pay' } as const;
  const enabled = await deps.integrations.enable(key, { mode, profile: accepted }, now);
  await recordChange(deps, changer, { action: 'wallet.enabled', merchantId, object: 'wallet-a-pay' });
  return enabled;
}

export async function enableWalletB(
  deps: WalletDeps,
  merchantId: number,
  { mode }: EnableWalletBBody,
  changer: Changer,
): Promise<WalletIntegration> {
  const key = { merchantId, walletType: 'wallet-b-pay' } as const;
  const known = mode === undefined ? await deps.integrations.find(merchantId, 'wallet-b-pay') : undefined;
  const wanted = mode ?? (known?.enabled === false ? known.mode : 'both');
  const enabled = await deps.integrations.enable(key, { mode: wanted }, deps.clock.now());
  await recordChange(deps, changer, { action: 'wallet.enabled', merchantId, object: 'wallet-b-pay' });
  return enabled;
}

/** Answers the integration with what it was configured for, or undefined when it never was. */
export async function disableWallet(
  deps: WalletDeps,
  merchantId: number,
  walletType: WalletType,
  changer: Changer,
): Promise<WalletIntegration | undefined> {
  const disabled = await deps.integrations.disable(merchantId, walletType, deps.clock.now());
  if (disabled) await recordChange(deps, changer, { action: 'wallet.disabled', merchantId, object: walletType });
  return disabled;
}

/**
 * Checks a certificate with its key and keeps both, the key sealed; earlier ones stay for the tokens made for them.
 * @throws {GatewayError} `request-validation-errors` naming what is wrong with which field; nothing was changed.
 */
export async function uploadCertificate(
  deps: WalletDeps,
  merchantId: number,
  upload: CertificateUploadBody,
  changer: Changer & { readonly idempotency?: { readonly resumed: boolean } | undefined },
): Promise<WalletCertificate> {
  const now = deps.clock.now();
  // Certificates are seldom uploaded, and their parser is large.
  const { checkUpload } = await import('./certificate.js');
  const checked = checkUpload(upload, now);
  if (checked.kind === 'refused') throw refused(checked.field, checked.problem);
  const { publicKeyHash, publicKey, expiresAt, privateKeyDer } = checked;
  const known = await deps.integrations.find(merchantId, 'wallet-b-pay');
  if (!known?.enabled) throw refused('walletBPay', 'is not enabled for the merchant: enable it before the upload');
  const same = known.certificates?.find((one) => one.publicKeyHash === publicKeyHash);
  // A call with the same Idempotency-Key may have stored it before it was cut off.
  if (same && changer.idempotency?.resumed) return same;
  if (same) throw refused('certificate', 'was uploaded before: a renewed certificate needs a new key');
  const recordId = certificateRecordId(merchantId, publicKeyHash);
  const binding = { recordId, field: 'privateKey', clientId: changer.principal.clientId };
  const privateKey = await deps.vault.seal('wallet', privateKeyDer, binding);
  privateKeyDer.fill(0);
  const { merchantIdentifier } = upload;
  const certificate = { publicKeyHash, publicKey, merchantIdentifier, expiresAt, uploadedAt: now, privateKey };
  if (!(await deps.integrations.addCertificate(merchantId, certificate))) {
    throw new GatewayError('conflict', {
      message: 'The integration was changed by another request. Read it and retry.',
    });
  }
  await recordChange(deps, changer, { action: 'wallet.certificate-uploaded', merchantId, object: 'wallet-b-pay' });
  return certificate;
}
