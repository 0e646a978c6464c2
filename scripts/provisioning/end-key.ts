import { defined } from '../../shared/domain/defined.js';
import { after } from '../../shared/domain/time.js';
import type { ApiKeyRow } from '../../shared/store/client.model.js';
import { type IssuedKey, issueKey, type KeyOrder } from './issue-key.js';
import { type Provisioning, ProvisioningError } from './provisioning.js';

/**
 * Revokes a key. Every process refuses it within `limits.principalCacheMs`.
 * @throws {ProvisioningError} when there is no such key.
 */
export async function revokeKey({ clients, clock }: Provisioning, keyId: string): Promise<void> {
  if (!(await clients.revokeKey(keyId, clock.now()))) throw new ProvisioningError(`There is no key ${keyId}.`);
}

/** Finds the keys of the same line (a key and its successors), oldest first. */
async function lineOf({ clients }: Provisioning, { clientId, rootKeyId, _id }: ApiKeyRow) {
  const line = rootKeyId ?? _id;
  return (await clients.findEveryKey(clientId)).filter((key) => (key.rootKeyId ?? key._id) === line);
}

/** Finds later keys of the line that still work. One may be useless, because its command was killed before it showed the key. */
function successorsIn(line: readonly ApiKeyRow[], keyId: string, now: Date): readonly string[] {
  const later = line.slice(line.findIndex(({ _id }) => _id === keyId) + 1);
  const works = ({ revokedAt, expiresAt }: ApiKeyRow) => !revokedAt && (expiresAt === undefined || expiresAt > now);
  return later.filter(works).map(({ _id }) => _id);
}

/** Whether a key has the rights that its successor was just given. */
function isUnchanged(old: ApiKeyRow, now: ApiKeyRow | undefined): boolean {
  if (!now || now.revokedAt) return false;
  const [had, has] = [new Set(old.merchantIds), new Set(now.merchantIds)];
  return had.size === has.size && [...had].every((merchantId) => has.has(merchantId));
}

export interface Rotation {
  readonly keyId: string;
  readonly overlapMs: number;
  /** When the successor expires. By default like the newest key of its line. */
  readonly expiresAt?: Date | undefined;
  readonly announce?: KeyOrder['announce'];
}

export interface Successor extends IssuedKey {
  readonly expiresAt: Date | undefined;
  /** Other successors of the key that still work. */
  readonly others: readonly string[];
}

/**
 * Issues the successor of a key, with the same rights. The old key goes on working for `overlapMs`.
 * @throws {ProvisioningError} when there is no such key, it was revoked, or it has expired; or when its rights are changed meanwhile:
 * no successor with the former rights remains then
 */
export async function rotateKey(provisioning: Provisioning, order: Rotation): Promise<Successor> {
  const { keyId, overlapMs, announce } = order;
  const { clients, clock } = provisioning;
  const old = await clients.findKey(keyId);
  if (!old || old.revokedAt) throw new ProvisioningError(`There is no active key ${keyId}.`);
  if (old.expiresAt && old.expiresAt <= clock.now()) {
    throw new ProvisioningError(`The key ${keyId} has expired: issue a new one.`);
  }
  const line = await lineOf(provisioning, old);
  // A key that was rotated before expires at the end of its overlap, not at the time it was issued with.
  const expiresAt = order.expiresAt ?? line.at(-1)?.expiresAt;
  if (expiresAt && expiresAt <= clock.now()) {
    throw new ProvisioningError(`The newest key of the line of ${keyId} has expired: say --expires-at.`);
  }
  const issued = await issueKey(provisioning, {
    clientId: old.clientId,
    rootKeyId: old.rootKeyId ?? old._id,
    ...(old.kind === 'secondary' && { merchantIds: old.merchantIds }),
    ...defined({ expiresAt, announce }),
  });
  if (!isUnchanged(old, await clients.findKey(keyId))) {
    await clients.revokeKey(issued.keyId, clock.now());
    throw new ProvisioningError(`The key ${keyId} was changed by another command just now. Look at it and try again.`);
  }
  await clients.expireKey(keyId, after(clock.now(), overlapMs));
  return { ...issued, expiresAt, others: successorsIn(line, keyId, clock.now()) };
}
