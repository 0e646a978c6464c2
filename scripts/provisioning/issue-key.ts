import { digestApiKey, last4OfKey, newApiKey } from '../../api/identity/api-key.js';
import { defined } from '../../shared/domain/defined.js';
import { newKeyId } from '../../shared/ids.js';
import type { ApiKeyRow } from '../../shared/store/client.model.js';
import { requireMerchantsOf } from './grant-merchants.js';
import { checkClient, type Provisioning } from './provisioning.js';

export interface IssuedKey {
  readonly keyId: string;
  /** The key itself. It is shown only once: nothing that is stored leads back to it. */
  readonly apiKey: string;
}

export interface KeyOrder {
  readonly clientId: string;
  /** Present: a secondary key for these merchants. Absent: a primary key for all merchants of the client, later ones included. */
  readonly merchantIds?: readonly number[];
  readonly expiresAt?: Date;
  /** First key of the line that this key continues. The new key inherits what belongs to that line. */
  readonly rootKeyId?: string;
  /** Called before the key is stored. If the process then dies at any moment, no key exists that is missing from the audit. */
  readonly announce?: (key: Pick<ApiKeyRow, '_id' | 'clientId'>) => Promise<void>;
}

/**
 * Issues one more key. The client's other keys stay active, so that they can overlap.
 * @throws {ProvisioningError} when there is no such client, or a merchant belongs to another client
 */
export async function issueKey(provisioning: Provisioning, order: KeyOrder): Promise<IssuedKey> {
  const { clients, config, clock } = provisioning;
  const { clientId, merchantIds, expiresAt, rootKeyId } = order;
  await checkClient({ clients }, clientId);
  if (merchantIds) await requireMerchantsOf(provisioning, clientId, merchantIds);
  const apiKey = newApiKey(config.environment);
  const row: ApiKeyRow = {
    _id: newKeyId(),
    clientId,
    digest: digestApiKey(config.apiKeyPepper, apiKey).toString('base64url'),
    last4: last4OfKey(apiKey),
    kind: merchantIds ? 'secondary' : 'primary',
    merchantIds: merchantIds ? [...merchantIds] : [],
    createdAt: clock.now(),
    ...defined({ rootKeyId, expiresAt }),
  };
  await order.announce?.(row);
  await clients.insertKey(row);
  return { keyId: row._id, apiKey };
}
