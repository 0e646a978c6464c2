import { presentListedPayment } from '../../shared/contract/present-payment.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { approvedPayment } from './payment-examples.js';
import { type PaymentQuery, paymentPageSchema, paymentQuerySchema } from './payment-query.schema.js';

export const queryPaymentsEndpoint = defineEndpoint<unknown, PaymentQuery>({
  method: 'get',
  path: '/v1/payments/query',
  operationId: 'queryPayments',
  summary: 'Find payments',
  description:
    'Newest first; filters can be combined. Send `nextCursor` back as `cursor`, with the same filters, for the next ' +
    'page, until it is null: a page may hold fewer than `size` payments, or none. Payments that existed when the first page ' +
    'was read are returned exactly once; later ones are found by a new query. Amounts without `currency` are compared as decimals over all currencies.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: { in: 'query', field: 'merchantId' },
  request: { query: paymentQuerySchema },
  responses: { 200: paymentPageSchema },
  errors: ['currency-not-found'],
  examples: {
    query: { status: 'approved', minDate: '2026-11-01T00:00:00Z', size: '20' },
    response: { 200: { last: { data: [approvedPayment], size: 20, hasMore: false, nextCursor: null } } },
  },
  async handle({ query, principal }, { usecases }) {
    const { payments, nextCursor } = await usecases.queryPayments(query, principal);
    return { data: payments.map(presentListedPayment), size: query.size, hasMore: nextCursor !== null, nextCursor };
  },
});
