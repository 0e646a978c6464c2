import { Joi } from '../../shared/contract/joi.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { customerId, paymentInstrument } from './customer-examples.js';
import { customerIdParams } from './customer-id.js';
import { readCustomer } from './get-customer.js';
import { listedInstrumentSchema } from './payment-instrument.schema.js';
import { presentListedInstrument } from './present-customer.js';

/** Returns the cards that the key may see, newest first: a customer belongs to the client, but a saved card to its merchant. */
async function listInstruments(deps: ApiDeps, id: string, principal: Principal): Promise<PaymentInstrument[]> {
  await readCustomer(deps, id, principal);
  return deps.instruments.listByCustomer(principal, id, deps.clock.now());
}

export const listPaymentInstrumentsEndpoint = defineEndpoint({
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
  async handle({ params, principal }, deps) {
    const instruments = await listInstruments(deps, params.customerId, principal);
    const now = deps.clock.now();
    return instruments.map((instrument) => presentListedInstrument(instrument, now));
  },
});
