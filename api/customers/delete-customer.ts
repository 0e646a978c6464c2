import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body } from '../../shared/contract/joi.js';
import { isGranted, type Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { customerId } from './customer-examples.js';
import { customerIdParams } from './customer-id.js';
import { customerNotFound } from './get-customer.js';

/**
 * Refuses to delete cards of merchants that the key may not use: customers belong to the client, but saved cards to their
 * merchants (docs/security.md#deleting-customers).
 */
async function refuseForeignCards({ instruments }: Pick<ApiDeps, 'instruments'>, id: string, principal: Principal) {
  if (principal.merchants === 'all') return;
  const saved = await instruments.merchantsOf(principal.clientId, id);
  if (saved.every((merchantId) => isGranted(principal, merchantId))) return;
  throw new GatewayError('forbidden', {
    message:
      'The customer has cards that were saved for merchants which this key cannot use: it can delete its own only.',
  });
}

/**
 * Deletes a customer. Its saved cards are deleted first, so that no token outlives its customer.
 * @throws {GatewayError} `customer-not-found`; `forbidden` when one of its cards was saved for a merchant that the key may not use.
 */
export async function deleteCustomer(
  deps: Pick<ApiDeps, 'customers' | 'instruments'>,
  id: string,
  principal: Principal,
) {
  const { customers, instruments } = deps;
  const { clientId } = principal;
  if (!(await customers.find(clientId, id))) throw customerNotFound();
  await refuseForeignCards(deps, id, principal);
  await instruments.removeAllOf(clientId, id);
  if (!(await customers.remove(clientId, id))) throw customerNotFound();
  // A payment may have saved another card in between.
  await instruments.removeAllOf(clientId, id);
}

export const deleteCustomerEndpoint = defineEndpoint({
  method: 'delete',
  path: '/v1/customers/:customerId',
  operationId: 'deleteCustomer',
  summary: 'Delete a customer',
  description:
    'Its saved cards are destroyed and their tokens can no longer be used. Payments are kept. The key must have access to ' +
    'every merchant that saved one of the cards.',
  tags: ['Customers'],
  auth: 'basic',
  merchantScope: 'client-resource',
  request: { params: customerIdParams },
  responses: { 200: body({}) },
  errors: ['customer-not-found', 'forbidden'],
  examples: { params: customerId, response: { 200: { deleted: {} } } },
  async handle({ params, principal }, deps) {
    await deleteCustomer(deps, params.customerId, principal);
    return {};
  },
});
