/** A merchant's credentials at a processor, opened from the vault and cached in memory for some seconds. */
import { LRUCache } from 'lru-cache';
import { limits } from '../../config/limits.js';
import { credentialsBinding, type ProcessorCredentialsRepository } from '../store/processor-credentials.repository.js';
import type { Vault } from '../vault/vault.js';

export interface CredentialsDeps {
  readonly credentials: Pick<ProcessorCredentialsRepository, 'find'>;
  readonly vault: Pick<Vault, 'open'>;
}

export type Credentials = Readonly<Record<string, string>>;

/** Loads a merchant's credentials. The message of an error has the merchant, the processor and names of credentials, never a value. */
export type LoadCredentials = (merchantId: number) => Promise<Credentials | undefined>;

/**
 * @param names credentials that must all be present
 * @returns a function that returns `undefined` for a merchant without credentials, and throws when only some of them are missing
 */
export function credentialsLoader(
  { credentials, vault }: CredentialsDeps,
  code: string,
  names: readonly string[],
): LoadCredentials {
  const known = new LRUCache<number, Credentials>({
    max: limits.processorCredentialsCached,
    ttl: limits.processorCredentialsMs,
  });
  return async (merchantId) => {
    const remembered = known.get(merchantId);
    if (remembered) return remembered;
    const row = await credentials.find(merchantId, code);
    if (!row) return undefined;
    const opened = JSON.parse((await vault.open(row.sealed, credentialsBinding(row))).toString('utf8')) as Credentials;
    const missing = names.filter((name) => opened[name] === undefined);
    if (missing.length > 0)
      throw new Error(`merchant ${merchantId} lacks credentials at ${code}: ${missing.join(', ')}`);
    known.set(merchantId, opened);
    return opened;
  };
}
