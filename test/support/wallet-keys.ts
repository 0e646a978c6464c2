/** Keys of wallet-a for tests only, in the formats of the operator's files. */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const pkcs8 = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' }).toString('base64');
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;

export function makeWalletKeys() {
  const folder = mkdtempSync(join(tmpdir(), 'wallet-keys-'));
  const file = (name: string, content: unknown) => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const keys = { root: newKey(), recipient: newKey(), authJwt: newKey() };
  const keyValue = createPublicKey(keys.root as never)
    .export({ format: 'der', type: 'spki' })
    .toString('base64');
  const keyExpiration = String(Date.now() + 3_600_000);
  return {
    keys,
    settings: {
      WALLET_A_ROOT_KEYS_FILE: file('roots.json', { keys: [{ keyValue, protocolVersion: 'ECv2', keyExpiration }] }),
      WALLET_A_RECIPIENT_KEYS_FILE: file('recipients.json', [pkcs8(keys.recipient)]),
      WALLET_A_AUTH_JWT_KEYS_FILE: file('jwt.json', [{ kid: '2026-11', privateKey: pkcs8(keys.authJwt) }]),
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Settings of a script of the wallet. Pages of testing never load it, but sessions may then request what only the script can do. */
export const walletScript = {
  WALLET_A_SCRIPT_URL: 'https://wallet.example.com/js/pay.js',
  WALLET_A_SCRIPT_CLIENT: 'wallet.api.PaymentsClient',
};
