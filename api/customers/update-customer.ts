import { defineEndpoint } from '../http/define-endpoint.js';
import { type CustomerUpdateBody, customerSchema, customerUpdateSchema } from './customer.schema.js';
import { customer, customerId } from './customer-examples.js';
import { type CustomerIdParams, customerIdParams } from './customer-id.js';
import { presentCustomer } from './present-customer.js';

export const updateCustomerEndpoint = defineEndpoint<CustomerIdParams, unknown, CustomerUpdateBody>({
  method: 'put',
  path: '/v1/customers/:customerId',
  operationId: 'updateCustomer',
  summary: 'Update a customer',
  description:
    'A field that is left out keeps its value, null clears it, a nested object is replaced as a whole. Read-only fields of a ' +
    'GET are ignored. An identifying field must remain.',
  tags: ['Customers'],
  auth: 'basic',
  merchantScope: 'client-resource',
  request: { params: customerIdParams, body: customerUpdateSchema },
  responses: { 200: customerSchema },
  errors: ['customer-not-found', 'duplicated-reference-id', 'conflict'],
  examples: {
    params: customerId,
    request: { change: { phone: '+598 99 765 432', description: null }, whole: customer },
    response: { 200: { changed: { ...customer, phone: '+598 99 765 432', updatedAt: '2026-11-21T08:00:00.000Z' } } },
  },
  handle: async ({ params, body, principal }, { usecases }) =>
    presentCustomer(await usecases.updateCustomer(params.customerId, body, principal)),
});
