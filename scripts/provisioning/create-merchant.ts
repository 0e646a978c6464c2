import { type Merchant, merchantIdOf } from '../../shared/domain/merchant.js';
import { isDuplicateKey } from '../../shared/store/database.js';
import type { NewMerchant } from '../../shared/store/merchant.repository.js';
import { checkClient, checkName, type Provisioning, ProvisioningError } from './provisioning.js';

/**
 * Creates a merchant of a client. Without an id it gets the next free number.
 * @throws {ProvisioningError} when there is no such client, a name is not one line of text, or the id is taken or no positive int32
 */
export async function createMerchant({ clients, merchants }: Provisioning, merchant: NewMerchant): Promise<Merchant> {
  const { id, clientId } = merchant;
  if (id !== undefined && merchantIdOf(String(id)) === undefined) {
    throw new ProvisioningError('A merchant id is a whole number from 1 to 2147483647.');
  }
  checkName('name', merchant.name);
  if (merchant.legalName !== undefined) checkName('legal name', merchant.legalName);
  await checkClient({ clients }, clientId);
  try {
    return await merchants.insertMerchant(merchant);
  } catch (error) {
    if (isDuplicateKey(error)) throw new ProvisioningError(`There is a merchant ${id} already.`);
    throw error;
  }
}
