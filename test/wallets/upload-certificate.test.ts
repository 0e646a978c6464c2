/** Uploads of a certificate while another request changes the integration: the refusal tells what happened to the integration. */

import { X509Certificate } from 'node:crypto';
import { publicKeyHashOf } from '../../api/wallets/certificate.js';
import { uploadWalletBCertificateEndpoint } from '../../api/wallets/upload-certificate.js';
import type { WalletIntegration } from '../../shared/domain/wallet/integration.js';
import { pem, walletB } from './fixtures.js';

const body = {
  certificate: pem('merchant-alpha.pem'),
  privateKey: pem('merchant-alpha.key.pem'),
  merchantIdentifier: walletB.merchantIdentifier,
};
const publicKeyHash = publicKeyHashOf(new X509Certificate(body.certificate).publicKey);

/** @param meanwhile changes of the integration, found after the certificate was not stored; undefined: none */
function upload(meanwhile: object = {}) {
  const known = { merchantId: 1, walletType: 'wallet-b-pay', enabled: true } as unknown as WalletIntegration;
  const found = [known, { ...known, ...meanwhile }];
  const deps = {
    clock: { now: () => walletB.now },
    walletIntegrations: { find: async () => found.shift(), addCertificate: async () => undefined },
    vault: { seal: async () => ({}) },
  };
  const context = { params: { merchantId: 1 }, body, principal: { clientId: 'cli_1' } };
  return uploadWalletBCertificateEndpoint.handle(context as never, deps as never);
}

test('an upload to an integration that was disabled meanwhile asks to enable it first', async () => {
  await expect(upload({ enabled: false })).rejects.toMatchObject({
    code: 'request-validation-errors',
    params: { walletBPay: ['"walletBPay" is not enabled for the merchant: enable it before the upload'] },
  });
});

test('a certificate that another request uploaded meanwhile is refused as uploaded before', async () => {
  await expect(upload({ certificates: [{ publicKeyHash }] })).rejects.toMatchObject({
    code: 'request-validation-errors',
    params: { certificate: ['"certificate" was uploaded before: a renewed certificate needs a new key'] },
  });
});

test('an integration disabled and enabled again meanwhile is a 409 to retry, which no Idempotency-Key keeps', async () => {
  await expect(upload()).rejects.toMatchObject({ status: 409, retryAfterSeconds: expect.any(Number) });
});
