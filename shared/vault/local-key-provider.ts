import { CompactEncrypt, compactDecrypt } from 'jose';
import type { MasterKey } from '../../config/index.js';
import type { KeyProvider, WrappedKey } from './key-provider.js';
import { VaultError } from './vault-error.js';

/** Protected header member that binds a wrapped key to its id, so that it cannot take another key's place. */
const DATA_KEY_HEADER = 'dataKey';

/**
 * Provides the master keys of the configuration, newest first. A data key is wrapped as a compact JWE (RFC 7516): A256GCMKW wraps a
 * random key, with which A256GCM seals the data key; `kid` names the master key.
 */
export function createLocalKeyProvider(masterKeys: readonly MasterKey[]): KeyProvider {
  const [newest, ...older] = masterKeys;
  if (!newest) throw new VaultError('master-key-missing', 'There is no master key: set VAULT_MASTER_KEYS');
  const byId = new Map(masterKeys.map(({ id, key }) => [id, key]));
  function masterKeyOf(dataKeyId: string, masterKeyId: string) {
    const masterKey = byId.get(masterKeyId);
    if (masterKey) return masterKey;
    throw new VaultError(
      'master-key-missing',
      `Data key ${dataKeyId} needs master key ${masterKeyId}, which is not configured`,
    );
  }
  return {
    keyIds: [newest.id, ...older.map(({ id }) => id)],

    async wrap(dataKeyId, dataKey, masterKeyId): Promise<WrappedKey> {
      const wrapped = await new CompactEncrypt(dataKey)
        .setProtectedHeader({ alg: 'A256GCMKW', enc: 'A256GCM', kid: masterKeyId, [DATA_KEY_HEADER]: dataKeyId })
        .encrypt(masterKeyOf(dataKeyId, masterKeyId));
      return { masterKeyId, wrapped };
    },

    async unwrap(dataKeyId, { masterKeyId, wrapped }) {
      const masterKey = masterKeyOf(dataKeyId, masterKeyId);
      try {
        const { plaintext, protectedHeader } = await compactDecrypt(wrapped, masterKey, {
          keyManagementAlgorithms: ['A256GCMKW'],
          contentEncryptionAlgorithms: ['A256GCM'],
        });
        if (protectedHeader[DATA_KEY_HEADER] === dataKeyId) return plaintext;
      } catch (error) {
        throw new VaultError('envelope-invalid', `Data key ${dataKeyId} does not open with master key ${masterKeyId}`, {
          cause: error,
        });
      }
      throw new VaultError('envelope-invalid', `The record of data key ${dataKeyId} is another data key`);
    },
  };
}
