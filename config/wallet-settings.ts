/** Settings of the wallets: names at the wallets, and files that hold keys. */
import type { Setting } from './setting.js';

export const walletSettings = {
  walletAGatewayName: {
    env: 'WALLET_A_GATEWAY_NAME',
    kind: 'string',
    default: 'payment-gateway',
    about: 'Name that wallet-a knows this gateway by: tokens are made for the recipient gateway:<name>.',
  },
  walletAMerchantId: {
    env: 'WALLET_A_MERCHANT_ID',
    kind: 'string',
    about:
      'Merchant id that wallet-a gave the operator, shown to pages of merchants with profile mode service. Production only; testing has the id of the wallet for tests.',
  },
  walletAAuthJwtKeysFile: {
    env: 'WALLET_A_AUTH_JWT_KEYS_FILE',
    kind: 'string',
    about:
      'JSON array of {"kid", "privateKey"} (base64 PKCS#8, EC P-256), newest first: the first signs the authJwt of wallet-a. Not set: none is issued.',
  },
} as const satisfies Record<string, Setting>;
