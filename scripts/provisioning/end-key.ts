import { after } from '../../shared/domain/time.js';
import { type IssuedKey, issueKey } from './issue-key.js';
import { type Provisioning, ProvisioningError } from './provisioning.js';

/**
 * Revokes a key: every process refuses it within `limits.principalCacheMs`.
 * @throws {ProvisioningError} when there is no such key.
 */
export async function revokeKey({ clients, clock }: Provisioning, keyId: string): Promise<void> {
  if (!(await clients.revokeKey(keyId, clock.now()))) throw new ProvisioningError(`There is no key ${keyId}.`);
}

/**
 * Issues the successor of a key, with the same rights; the old one goes on for `overlapMs`.
 * @throws {ProvisioningError} when there is no such key, or it was revoked.
 */
export async function rotateKey(
  provisioning: Provisioning,
  { keyId, overlapMs }: { keyId: string; overlapMs: number },
): Promise<IssuedKey> {
  const { clients, clock } = provisioning;
  const old = await clients.findKey(keyId);
  if (!old || old.revokedAt) throw new ProvisioningError(`There is no active key ${keyId}.`);
  const issued = await issueKey(provisioning, {
    clientId: old.clientId,
    rootKeyId: old.rootKeyId ?? old._id,
    ...(old.kind === 'secondary' && { merchantIds: old.merchantIds }),
  });
  await clients.expireKey(keyId, after(clock.now(), overlapMs));
  return issued;
}
