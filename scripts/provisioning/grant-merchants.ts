import { type Provisioning, ProvisioningError } from './provisioning.js';

/** @throws {ProvisioningError} unless each merchant exists and belongs to the client. */
export async function requireMerchantsOf(
  { merchants }: Provisioning,
  clientId: string,
  merchantIds: readonly number[],
): Promise<void> {
  const owned = new Set((await merchants.findMerchantsOf(clientId)).map(({ id }) => id));
  const foreign = merchantIds.filter((id) => !owned.has(id));
  if (foreign.length > 0) throw new ProvisioningError(`Client ${clientId} has no merchant ${foreign.join(', ')}.`);
}

/**
 * Sets which merchants a secondary key may use, in the place of those it could use before.
 * @throws {ProvisioningError} when there is no such secondary key, or a merchant is not its client's.
 */
export async function grantMerchants(
  provisioning: Provisioning,
  { keyId, merchantIds }: { keyId: string; merchantIds: readonly number[] },
): Promise<void> {
  const key = await provisioning.clients.findKey(keyId);
  if (key?.kind !== 'secondary') throw new ProvisioningError(`There is no secondary key ${keyId}.`);
  await requireMerchantsOf(provisioning, key.clientId, merchantIds);
  await provisioning.clients.setMerchants(keyId, merchantIds);
}
