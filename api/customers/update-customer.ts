import { limits } from '../../config/limits.js';
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { fromMap } from '../../shared/contract/present-payment.js';
import { type CustomerChanges, isIdentified, mergeCustomer } from '../../shared/domain/customer.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { usedReference } from './create-customer.js';
import { type CustomerUpdateBody, customerSchema, customerUpdateSchema, unidentified } from './customer.schema.js';
import { customer, customerId } from './customer-examples.js';
import { customerIdParams } from './customer-id.js';
import { readCustomer } from './get-customer.js';
import { presentCustomer } from './present-customer.js';

function toChanges({ metadata, ...body }: CustomerUpdateBody): CustomerChanges {
  return { ...body, ...(metadata !== undefined && { metadata: metadata && fromMap(metadata) }) };
}

async function updateCustomer(deps: ApiDeps, id: string, body: CustomerUpdateBody, principal: Principal) {
  const changes = toChanges(body);
  for (let tries = 0; tries < limits.saveTriesMax; tries += 1) {
    const before = await readCustomer(deps, id, principal);
    const after = mergeCustomer(before, changes, deps.clock.now());
    if (!isIdentified(after)) {
      throw invalidField('body', `"body" ${unidentified}`);
    }
    const saved = await deps.customers.save(before, after);
    if (saved === 'duplicate') throw await usedReference(deps, principal, after.referenceId);
    if (saved !== 'conflict') return saved;
  }
  throw new GatewayError('conflict', {
    message: 'The customer was changed by other requests. Read it and retry.',
    retryAfterSeconds: limits.retryAfterSeconds,
  });
}

export const updateCustomerEndpoint = defineEndpoint({
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
  handle: async ({ params, body, principal }, deps) =>
    presentCustomer(await updateCustomer(deps, params.customerId, body, principal)),
});
