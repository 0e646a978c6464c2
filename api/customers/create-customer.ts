import { fromMap } from '../../shared/contract/present-payment.js';
import { type Customer, type CustomerFields, mergeCustomer } from '../../shared/domain/customer.js';
import type { Principal } from '../../shared/domain/principal.js';
import { idFrom, newSeed } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';
import { type Asker, defineEndpoint } from '../http/define-endpoint.js';
import { duplicateReference } from '../http/duplicate-reference.js';
import { digestBody } from '../payments/body-digest.js';
import { type CustomerBody, customerRequestSchema, customerSchema } from './customer.schema.js';
import { customer, customerRequest } from './customer-examples.js';
import { presentCustomer } from './present-customer.js';

/**
 * Builds the error for a reference that another customer of the client has.
 * @param digest of a request that creates a customer; absent: an update, which repeats no creation and is no guess at one
 */
export async function usedReference(
  deps: Pick<ApiDeps, 'customers' | 'references'>,
  principal: Principal,
  referenceId: string | undefined,
  digest?: string,
) {
  const { clientId } = principal;
  const existing = referenceId === undefined ? undefined : await deps.customers.findByReference(clientId, referenceId);
  return duplicateReference(principal, {
    id: existing?._id ?? '',
    status: existing?.status ?? '',
    sameRequest:
      digest !== undefined &&
      (await deps.references.isSame(clientId, `customer:${referenceId}`, existing?.requestDigest, digest)),
    merchantId: 'client',
  });
}

function toFields({ metadata, ...body }: CustomerBody): CustomerFields {
  return { ...body, ...(metadata && { metadata: fromMap(metadata) }) };
}

/** @throws {GatewayError} as the endpoint declares */
async function createCustomer(deps: ApiDeps, body: CustomerBody, asker: Asker): Promise<Customer> {
  const { clientId } = asker.principal;
  const _id = idFrom('cus', asker.idempotency?.seed ?? newSeed());
  // An earlier call with the same Idempotency-Key may have created the customer before it was cut off.
  const made = asker.idempotency?.resumed ? await deps.customers.find(clientId, _id) : undefined;
  if (made) return made;
  const now = deps.clock.now();
  const requestDigest = digestBody(deps.config.digestKey, body);
  const blank: Customer = {
    _id,
    clientId,
    status: 'active',
    requestDigest,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  const customer = mergeCustomer(blank, toFields(body), now);
  if ((await deps.customers.insert(customer)) === 'inserted') return customer;
  const own = await deps.customers.find(clientId, _id);
  if (own) return own;
  throw await usedReference(deps, asker.principal, body.referenceId, requestDigest);
}

export const createCustomerEndpoint = defineEndpoint({
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
  handle: async (context, deps) => presentCustomer(await createCustomer(deps, context.body, context)),
});
