import { limits } from '../../config/limits.js';
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { certificateRecordId, type WalletCertificate } from '../../shared/domain/wallet/integration.js';
import type { ApiDeps } from '../deps.js';
import { type Changer, defineEndpoint } from '../http/define-endpoint.js';
import { recordChange } from '../http/record-change.js';
import { merchantIdParams } from '../merchants/merchant.schema.js';
import { presentUpload } from './present-wallet-integration.js';
import { certificate, merchant1001 } from './wallet-examples.js';
import {
  type CertificateUploadBody,
  certificateUploadSchema,
  uploadedCertificateSchema,
} from './wallet-integration.schema.js';

const { type: _type, ...uploaded } = certificate;

/** Builds an example that has the right form only. */
const pem = (label: string) => `-----BEGIN ${label}-----\nTUlJ\n-----END ${label}-----\n`;

const refused = (field: string, reason: string) => invalidField(field, `"${field}" ${reason}`);

const uploadedBefore = () => refused('certificate', 'was uploaded before: a renewed certificate needs a new key');

/**
 * Finds the certificate with this key in the integration, if there is one.
 * @throws {GatewayError} `request-validation-errors` when the integration is not enabled.
 */
async function knownCertificate(
  { walletIntegrations }: Pick<ApiDeps, 'walletIntegrations'>,
  merchantId: number,
  publicKeyHash: string,
): Promise<WalletCertificate | undefined> {
  const known = await walletIntegrations.find(merchantId, 'wallet-b-pay');
  if (!known?.enabled) throw refused('walletBPay', 'is not enabled for the merchant: enable it before the upload');
  return known.certificates?.find((one) => one.publicKeyHash === publicKeyHash);
}

/**
 * Checks a certificate with its key and stores both, the key sealed. Earlier certificates stay for the tokens made for them.
 * @throws {GatewayError} `request-validation-errors` naming the field and its problem; nothing is changed then.
 */
async function uploadCertificate(
  deps: Pick<ApiDeps, 'clock' | 'walletIntegrations' | 'vault' | 'audit'>,
  merchantId: number,
  upload: CertificateUploadBody,
  changer: Changer,
): Promise<WalletCertificate> {
  const now = deps.clock.now();
  // Loaded only on demand: certificates are seldom uploaded, and their parser is large.
  const { checkUpload } = await import('./certificate.js');
  const checked = checkUpload(upload, now);
  if (checked.kind === 'refused') throw refused(checked.field, checked.problem);
  const { publicKeyHash, publicKey, expiresAt, privateKeyDer } = checked;
  const same = await knownCertificate(deps, merchantId, publicKeyHash);
  const record = () =>
    recordChange(deps, changer, { action: 'wallet.certificate-uploaded', merchantId, object: 'wallet-b-pay' });
  if (same && changer.idempotency?.resumed) {
    // A call with the same Idempotency-Key stored the certificate and was then cut off, perhaps before the audit record.
    await record();
    return same;
  }
  if (same) throw uploadedBefore();
  const recordId = certificateRecordId(merchantId, publicKeyHash);
  const binding = { recordId, field: 'privateKey', clientId: changer.principal.clientId };
  const privateKey = await deps.vault.seal('wallet', privateKeyDer, binding);
  privateKeyDer.fill(0);
  const { merchantIdentifier } = upload;
  const certificate = { publicKeyHash, publicKey, merchantIdentifier, expiresAt, uploadedAt: now, privateKey };
  if (!(await deps.walletIntegrations.addCertificate(merchantId, certificate))) {
    // Another request was faster. If it stored this certificate, the error is that of an earlier upload, which is not stored under
    // the Idempotency-Key; otherwise a retry helps.
    if (await knownCertificate(deps, merchantId, publicKeyHash)) throw uploadedBefore();
    throw new GatewayError('conflict', {
      message: 'The integration was changed by another request. Retry after the interval in Retry-After.',
      retryAfterSeconds: limits.retryAfterPaymentSeconds,
    });
  }
  await record();
  return certificate;
}

export const uploadWalletBCertificateEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/merchants/:merchantId/wallet-integrations/wallet-b-pay/certificate/upload',
  operationId: 'uploadWalletBCertificate',
  flowWritesAudit: true,
  summary: 'Upload a wallet-b certificate with its key',
  description:
    'One PEM certificate for an EC P-256 key, issued for `merchantIdentifier`, and that key as PKCS#8 in PEM. `params` names ' +
    'the problem; a failed upload changes nothing. Earlier certificates work until they expire.',
  tags: ['Wallets'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  idempotent: true,
  request: { params: merchantIdParams, body: certificateUploadSchema },
  responses: { 200: uploadedCertificateSchema },
  errors: ['conflict'],
  examples: {
    params: merchant1001,
    request: {
      'a certificate and its key': {
        certificate: pem('CERTIFICATE'),
        privateKey: pem('PRIVATE KEY'),
        merchantIdentifier: 'merchant.com.example.shop',
      },
    },
    response: { 200: { uploaded } },
  },
  handle: async (context, deps) =>
    presentUpload(await uploadCertificate(deps, context.params.merchantId, context.body, context)),
});
