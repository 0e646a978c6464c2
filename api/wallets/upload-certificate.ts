import { defineEndpoint } from '../http/define-endpoint.js';
import { type MerchantIdParams, merchantIdParams } from '../merchants/merchant.schema.js';
import { presentUpload } from './present-wallet-integration.js';
import { certificate, merchant1001 } from './wallet-examples.js';
import {
  type CertificateUploadBody,
  certificateUploadSchema,
  uploadedCertificateSchema,
} from './wallet-integration.schema.js';

const { type: _type, ...uploaded } = certificate;

/** Of the right form only. */
const pem = (label: string) => `-----BEGIN ${label}-----\nTUlJ\n-----END ${label}-----\n`;

export const uploadWalletBCertificate = defineEndpoint<MerchantIdParams, unknown, CertificateUploadBody>({
  method: 'post',
  path: '/v1/merchants/:merchantId/wallet-integrations/wallet-b-pay/certificate/upload',
  operationId: 'uploadWalletBCertificate',
  recordsItself: true,
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
  handle: async (context, { usecases }) =>
    presentUpload(await usecases.uploadCertificate(context.params.merchantId, context.body, context)),
});
