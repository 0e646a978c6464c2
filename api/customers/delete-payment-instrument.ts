import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body } from '../../shared/contract/joi.js';
import { isGranted, type Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { customerId, paymentInstrument } from './customer-examples.js';
import { instrumentIdParams } from './customer-id.js';
import { readCustomer } from './get-customer.js';
import { removeCard } from './remove-card.js';

async function deleteInstrument(deps: ApiDeps, id: string, token: string, principal: Principal): Promise<void> {
  await readCustomer(deps, id, principal);
  const instrument = await deps.instruments.find(principal.clientId, token);
  const own = instrument?.customerId === id && isGranted(principal, instrument.merchantId);
  if (!own || !(await removeCard(deps, instrument, id))) {
    throw new GatewayError('payment-instrument-not-found');
  }
}

export const deletePaymentInstrumentEndpoint = defineEndpoint({
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
  async handle({ params, principal }, deps) {
    await deleteInstrument(deps, params.customerId, params.tokenId, principal);
    return {};
  },
});
