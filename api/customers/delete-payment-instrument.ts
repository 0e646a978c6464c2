import { body } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { customerId, paymentInstrument } from './customer-examples.js';
import { type InstrumentIdParams, instrumentIdParams } from './customer-id.js';

export const deletePaymentInstrumentEndpoint = defineEndpoint<InstrumentIdParams>({
  method: 'delete',
  path: '/v1/customers/:customerId/payment-instruments/:tokenId',
  operationId: 'deletePaymentInstrument',
  summary: 'Delete a saved card',
  description:
    'Destroys the sealed card: the token can no longer be used. The key must have access to the merchant that saved it.',
  tags: ['Customers'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: instrumentIdParams },
  responses: { 200: body({}) },
  errors: ['customer-not-found', 'payment-instrument-not-found'],
  examples: { params: { ...customerId, tokenId: paymentInstrument.token }, response: { 200: { deleted: {} } } },
  async handle({ params, principal }, { usecases }) {
    await usecases.deletePaymentInstrument(params.customerId, params.tokenId, principal);
    return {};
  },
});
