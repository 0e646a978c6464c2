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
 * @param order `expiresAt`: when the successor ends; that of the old key where it is left out
 * @throws {ProvisioningError} when there is no such key, it was revoked, or it has expired.
 */
export async function rotateKey(
  provisioning: Provisioning,
  order: { readonly keyId: string; readonly overlapMs: number; readonly expiresAt?: Date | undefined },
): Promise<IssuedKey & { readonly expiresAt: Date | undefined }> {
  const { keyId, overlapMs } = order;
  const { clients, clock } = provisioning;
  const old = await clients.findKey(keyId);
  if (!old || old.revokedAt) throw new ProvisioningError(`There is no active key ${keyId}.`);
  if (old.expiresAt && old.expiresAt <= clock.now()) {
    throw new ProvisioningError(`The key ${keyId} has expired: issue a new one.`);
  }
  const expiresAt = order.expiresAt ?? old.expiresAt;
  const issued = await issueKey(provisioning, {
    clientId: old.clientId,
    rootKeyId: old.rootKeyId ?? old._id,
    ...(old.kind === 'secondary' && { merchantIds: old.merchantIds }),
    ...(expiresAt && { expiresAt }),
  });
  await clients.expireKey(keyId, after(clock.now(), overlapMs));
  return { ...issued, expiresAt };
}
