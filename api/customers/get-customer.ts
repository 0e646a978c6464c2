import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Customer } from '../../shared/domain/customer.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { customerSchema } from './customer.schema.js';
import { customer, customerId } from './customer-examples.js';
import { customerIdParams } from './customer-id.js';
import { presentCustomer } from './present-customer.js';

/** One error for every reason. */
export const customerNotFound = () => new GatewayError('customer-not-found');

/** @throws {GatewayError} `customer-not-found`, the same for an unknown id and for another client's. */
export async function readCustomer(
  { customers }: Pick<ApiDeps, 'customers'>,
  id: string,
  { clientId }: Principal,
): Promise<Customer> {
  const customer = await customers.find(clientId, id);
  if (!customer) throw customerNotFound();
  return customer;
}

export const getCustomerEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/customers/:customerId',
  operationId: 'getCustomer',
  summary: 'Read a customer',
  description: 'Customers belong to the client: each of its keys can read them.',
  tags: ['Customers'],
  auth: 'basic',
  merchantScope: 'client-resource',
  request: { params: customerIdParams },
  responses: { 200: customerSchema },
  errors: ['customer-not-found'],
  examples: { params: customerId, response: { 200: { found: customer } } },
  handle: async ({ params, principal }, deps) =>
    presentCustomer(await readCustomer(deps, params.customerId, principal)),
});
