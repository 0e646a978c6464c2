import type { Endpoint } from '../../http/define-endpoint.js';
import { disableWalletAEndpoint } from './disable-wallet-a.endpoint.js';
import { disableWalletBEndpoint } from './disable-wallet-b.endpoint.js';
import { enableWalletAEndpoint } from './enable-wallet-a.endpoint.js';
import { enableWalletBEndpoint } from './enable-wallet-b.endpoint.js';
import { getWalletBCertificate } from './get-certificate.endpoint.js';
import { getWalletAConfiguration } from './get-wallet-a-configuration.endpoint.js';
import { getWalletIntegrations } from './get-wallet-integrations.endpoint.js';
import { uploadWalletBCertificate } from './upload-certificate.endpoint.js';

export const walletEndpoints: readonly Endpoint[] = [
  getWalletIntegrations,
  enableWalletAEndpoint,
  disableWalletAEndpoint,
  enableWalletBEndpoint,
  disableWalletBEndpoint,
  getWalletBCertificate,
  uploadWalletBCertificate,
  getWalletAConfiguration,
];
