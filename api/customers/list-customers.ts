import { Joi } from '../../shared/contract/joi.js';
import { answerList, listHeaders } from '../http/answer-list.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { customerQuerySchema, customerSchema } from './customer.schema.js';
import { customer } from './customer-examples.js';
import { presentCustomer } from './present-customer.js';

const path = '/v1/customers';

export const listCustomersEndpoint = defineEndpoint({
  method: 'get',
  path,
  operationId: 'listCustomers',
  summary: 'List customers',
  description: 'Newest first. `X-Total-Count` is the total number, `Link` has the other pages.',
  tags: ['Customers'],
  auth: 'basic',
  merchantScope: 'client',
  request: { query: customerQuerySchema },
  responses: { 200: Joi.array().items(customerSchema) },
  responseHeaders: listHeaders,
  errors: [],
  examples: { query: { email: 'ana@example.com' }, response: { 200: { found: [customer] } } },
  async handle({ query, principal }, deps) {
    const { page, size, ...filter } = query;
    const { referenceId, email, minDate, maxDate } = filter;
    const { customers, totalItems } = await deps.customers.list(principal.clientId, filter, { page, size });
    return answerList(
      `${deps.config.publicBaseUrl}${path}`,
      { items: customers.map(presentCustomer), total: totalItems, page, size },
      { referenceId, email, minDate: minDate?.toISOString(), maxDate: maxDate?.toISOString() },
    );
  },
});
