import { after } from '../../shared/domain/time.js';
import type { ApiKeyRow } from '../../shared/store/client.model.js';
import { type IssuedKey, issueKey } from './issue-key.js';
import { type Provisioning, ProvisioningError } from './provisioning.js';

/**
 * Revokes a key: every process refuses it within `limits.principalCacheMs`.
 * @throws {ProvisioningError} when there is no such key.
 */
export async function revokeKey({ clients, clock }: Provisioning, keyId: string): Promise<void> {
  if (!(await clients.revokeKey(keyId, clock.now()))) throw new ProvisioningError(`There is no key ${keyId}.`);
}

/** When the newest key of the line ends: one that was rotated before has the end of its overlap, not the one it was given. */
async function endOfLine(
  { clients }: Provisioning,
  { clientId, rootKeyId, _id }: ApiKeyRow,
): Promise<Date | undefined> {
  const line = rootKeyId ?? _id;
  const keys = await clients.findEveryKey(clientId);
  return keys.findLast((key) => (key.rootKeyId ?? key._id) === line)?.expiresAt;
}

/**
 * Issues the successor of a key, with the same rights; the old one goes on for `overlapMs`.
 * @param order `expiresAt`: when the successor ends; where it is left out, as the newest key of its line
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
  const expiresAt = order.expiresAt ?? (await endOfLine(provisioning, old));
  if (expiresAt && expiresAt <= clock.now()) {
    throw new ProvisioningError(`The newest key of the line of ${keyId} has expired: say --expires-at.`);
  }
  const issued = await issueKey(provisioning, {
    clientId: old.clientId,
    rootKeyId: old.rootKeyId ?? old._id,
    ...(old.kind === 'secondary' && { merchantIds: old.merchantIds }),
    ...(expiresAt && { expiresAt }),
  });
  await clients.expireKey(keyId, after(clock.now(), overlapMs));
  return { ...issued, expiresAt };
}
