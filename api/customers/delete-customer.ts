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
    'Its saved cards are destroyed with it: their tokens are unusable from then on. Payments stay as they are. A key deletes ' +
    'customers whose cards were all saved for merchants it may use.',
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
