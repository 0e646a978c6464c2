import { defineEndpoint } from '../http/define-endpoint.js';
import { type CustomerBody, customerRequestSchema, customerSchema } from './customer.schema.js';
import { customer, customerRequest } from './customer-examples.js';
import { presentCustomer } from './present-customer.js';

export const createCustomerEndpoint = defineEndpoint<unknown, unknown, CustomerBody>({
  method: 'post',
  path: '/v1/customers',
  operationId: 'createCustomer',
  summary: 'Create a customer',
  description:
    'Customers belong to the client and serve all its merchants. At least one identifying field is required; `referenceId` ' +
    'is unique among the customers of the client.',
  tags: ['Customers'],
  auth: 'basic',
  merchantScope: 'client',
  idempotent: true,
  request: { body: customerRequestSchema },
  responses: { 200: customerSchema },
  errors: ['duplicated-reference-id'],
  examples: {
    request: { full: customerRequest, minimal: { email: 'ana@example.com' } },
    response: { 200: { made: customer } },
  },
  handle: async (context, { usecases }) => presentCustomer(await usecases.createCustomer(context.body, context)),
});
