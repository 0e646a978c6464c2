import { defineEndpoint } from '../http/define-endpoint.js';
import { customerSchema } from './customer.schema.js';
import { customer, customerId } from './customer-examples.js';
import { type CustomerIdParams, customerIdParams } from './customer-id.js';
import { presentCustomer } from './present-customer.js';

export const getCustomerEndpoint = defineEndpoint<CustomerIdParams>({
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
  handle: async ({ params, principal }, { usecases }) =>
    presentCustomer(await usecases.readCustomer(params.customerId, principal)),
});
