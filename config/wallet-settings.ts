/** Settings of the wallets: names at the wallets, and files that hold keys. */
import type { Setting } from './setting.js';

export const walletSettings = {
  walletAGatewayName: {
    env: 'WALLET_A_GATEWAY_NAME',
    kind: 'string',
    default: 'payment-gateway',
    about: 'Name that wallet-a knows this gateway by: tokens are made for the recipient gateway:<name>.',
  },
  walletARootKeysFile: {
    env: 'WALLET_A_ROOT_KEYS_FILE',
    kind: 'string',
    about:
      'Root key set of wallet-a (JSON as it publishes it). Not set: in testing the published test keys, in production no tokens of it.',
  },
  walletARecipientKeysFile: {
    env: 'WALLET_A_RECIPIENT_KEYS_FILE',
    kind: 'string',
    about: 'JSON array of the keys that wallet-a encrypts for (base64 PKCS#8, EC P-256), newest first.',
  },
  walletBRootCertificatesFile: {
    env: 'WALLET_B_ROOT_CERTIFICATES_FILE',
    kind: 'string',
    about:
      'Root certificates of wallet-b in PEM. Not set: in testing the published test root, in production no tokens of it.',
  },
  walletBSigningWindowSeconds: {
    env: 'WALLET_B_SIGNING_WINDOW_SECONDS',
    kind: 'integer',
    default: '300',
    min: 10,
    max: 3600,
    about: 'How far the signing time of a wallet-b token may be from now, in both directions.',
  },
  walletAMerchantId: {
    env: 'WALLET_A_MERCHANT_ID',
    kind: 'string',
    about:
      'The operator’s merchant id at wallet-a, for merchants with profile mode service. Production only; testing has the wallet’s test id.',
  },
  walletAScriptUrl: {
    env: 'WALLET_A_SCRIPT_URL',
    kind: 'url',
    about:
      'Address of the wallet-a script for the hosted checkout (https). Not set: no button. Production only; testing has a mock button.',
  },
  walletAScriptClient: {
    env: 'WALLET_A_SCRIPT_CLIENT',
    kind: 'string',
    about: 'Where that script puts its client class, as a path from the window: wallet.api.PaymentsClient.',
  },
  walletAScriptOrigins: {
    env: 'WALLET_A_SCRIPT_ORIGINS',
    kind: 'origins',
    about:
      'Further origins that the script uses (https://host or https://*.host, comma separated), for the policy of the checkout page.',
  },
  walletAAuthJwtKeysFile: {
    env: 'WALLET_A_AUTH_JWT_KEYS_FILE',
    kind: 'string',
    about:
      'JSON array of {"kid", "privateKey"} (base64 PKCS#8, EC P-256), newest first, for authJwt. Not set: none issued.',
  },
} as const satisfies Record<string, Setting>;
