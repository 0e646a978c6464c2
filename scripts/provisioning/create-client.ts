import { newClientId } from '../../shared/ids.js';
import type { ClientRow } from '../../shared/store/client.model.js';
import { isDuplicateKey } from '../../shared/store/database.js';
import { checkName, type Provisioning, ProvisioningError } from './provisioning.js';

/**
 * Creates a client. An id is passed only when it must be known beforehand (the sandbox): `cli_` and 32 hex digits.
 * @throws {ProvisioningError} when the id is taken, or the name is not one line of text
 */
export async function createClient(
  { clients, clock }: Provisioning,
  { id = newClientId(), name }: { id?: string; name: string },
): Promise<ClientRow> {
  checkName('name', name);
  const row: ClientRow = { _id: id, name, createdAt: clock.now() };
  try {
    await clients.insertClient(row);
  } catch (error) {
    if (isDuplicateKey(error)) throw new ProvisioningError(`There is a client ${id} already.`);
    throw error;
  }
  return row;
}
