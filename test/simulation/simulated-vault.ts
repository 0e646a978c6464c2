/** A vault that encrypts nothing, so that the audit can read its content. An envelope opens only for the purpose it was sealed for. */
import type { SealBinding, Vault } from '../../shared/vault/vault.js';
import { VaultError } from '../../shared/vault/vault-error.js';

const IV = Buffer.alloc(12);

const textOf = ({ recordId, field, clientId, owner }: SealBinding) =>
  JSON.stringify([recordId, field, clientId, owner?.merchantId, owner?.customerId]);

export const simulatedVault: Vault = {
  seal: async (kind, plaintext, binding) => ({
    v: 2,
    alg: 'A256GCM',
    kid: `${kind}:${textOf(binding)}`,
    iv: IV,
    ct: Buffer.from(plaintext),
  }),
  open: async ({ kid, ct }, binding) => {
    if (!String(kid).endsWith(`:${textOf(binding)}`)) {
      throw new VaultError('envelope-invalid', `The sealed ${binding.field} of ${binding.recordId} belongs elsewhere`);
    }
    return Buffer.from(ct as Uint8Array);
  },
  fingerprintsOf: async (number) => [number],
  destroyExpiredKeys: async () => 0,
  rewrapKeys: async () => ({ rewrapped: 0, left: [] }),
};
