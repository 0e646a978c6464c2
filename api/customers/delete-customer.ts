import { body } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { customerId } from './customer-examples.js';
import { type CustomerIdParams, customerIdParams } from './customer-id.js';

export const deleteCustomerEndpoint = defineEndpoint<CustomerIdParams>({
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
  async handle({ params, principal }, { usecases }) {
    await usecases.deleteCustomer(params.customerId, principal);
    return {};
  },
});
