import { Joi } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { customerId, paymentInstrument } from './customer-examples.js';
import { type CustomerIdParams, customerIdParams } from './customer-id.js';
import { listedInstrumentSchema } from './payment-instrument.schema.js';
import { presentListedInstrument } from './present-customer.js';

export const listPaymentInstrumentsEndpoint = defineEndpoint<CustomerIdParams>({
  method: 'get',
  path: '/v1/customers/:customerId/payment-instruments',
  operationId: 'listPaymentInstruments',
  summary: 'List the saved cards of a customer',
  description: 'Newest first. Values that the BIN table does not know are null.',
  tags: ['Customers'],
  auth: 'basic',
  merchantScope: 'client-resource',
  request: { params: customerIdParams },
  responses: { 200: Joi.array().items(listedInstrumentSchema) },
  errors: ['customer-not-found'],
  examples: { params: customerId, response: { 200: { saved: [paymentInstrument] } } },
  async handle({ params, principal }, { usecases, clock }) {
    const instruments = await usecases.listPaymentInstruments(params.customerId, principal);
    const now = clock.now();
    return instruments.map((instrument) => presentListedInstrument(instrument, now));
  },
});
