import { type Provisioning, ProvisioningError } from './provisioning.js';

/** Checks the merchants of a grant. @throws {ProvisioningError} unless each merchant exists and belongs to the client */
export async function requireMerchantsOf(
  { merchants }: Provisioning,
  clientId: string,
  merchantIds: readonly number[],
): Promise<void> {
  const owned = new Set((await merchants.findMerchantsOf(clientId)).map(({ id }) => id));
  const foreign = merchantIds.filter((id) => !owned.has(id));
  if (foreign.length > 0) throw new ProvisioningError(`Client ${clientId} has no merchant ${foreign.join(', ')}.`);
}

/** `set` replaces the merchants that the key could use before. */
export type GrantChange = 'set' | 'add' | 'remove';

/**
 * Changes which merchants a secondary key may use, in one write, so that of two concurrent changes none is lost.
 * @throws {ProvisioningError} when there is no such secondary key, or a granted merchant belongs to another client
 */
export async function grantMerchants(
  provisioning: Provisioning,
  order: { readonly keyId: string; readonly merchantIds: readonly number[]; readonly change?: GrantChange },
): Promise<void> {
  const { keyId, merchantIds, change = 'set' } = order;
  const key = await provisioning.clients.findKey(keyId);
  if (key?.kind !== 'secondary') throw new ProvisioningError(`There is no secondary key ${keyId}.`);
  const { clients } = provisioning;
  if (change === 'remove') {
    await clients.removeMerchants(keyId, merchantIds);
    return;
  }
  await requireMerchantsOf(provisioning, key.clientId, merchantIds);
  await (change === 'add' ? clients.addMerchants(keyId, merchantIds) : clients.setMerchants(keyId, merchantIds));
}
