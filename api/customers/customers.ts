/** Customers and the list of their saved cards. Each function is one endpoint's story. */
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { fromMap } from '../../shared/contract/present-payment.js';
import {
  type Customer,
  type CustomerChanges,
  type CustomerFields,
  isIdentified,
  mergeCustomer,
} from '../../shared/domain/customer.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import type { Principal } from '../../shared/domain/principal.js';
import { idFrom, newSeed } from '../../shared/ids.js';
import type { CustomerRepository } from '../../shared/store/customer.repository.js';
import type { PaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import type { Idempotency } from '../http/define-endpoint.js';
import { duplicateReference } from '../http/duplicate-reference.js';
import type { ReferenceGuard } from '../limits/reference-guard.js';
import { digestBody } from '../payments/body-digest.js';
import { type CustomerBody, type CustomerQuery, type CustomerUpdateBody, unidentified } from './customer.schema.js';

export interface CustomerDeps {
  readonly customers: CustomerRepository;
  readonly instruments: Pick<
    PaymentInstrumentRepository,
    'find' | 'listByCustomer' | 'merchantsOf' | 'remove' | 'removeAllOf'
  >;
  readonly references: ReferenceGuard;
  readonly digestKey: Uint8Array;
  readonly clock: Clock;
}

interface Asker {
  readonly principal: Principal;
  readonly idempotency?: Idempotency | undefined;
}

const notFound = () => new GatewayError('customer-not-found');

/** @throws {GatewayError} `customer-not-found`, the same for an unknown id and for another client's. */
async function readCustomer({ customers }: CustomerDeps, { clientId }: Principal, id: string): Promise<Customer> {
  const customer = await customers.find(clientId, id);
  if (!customer) throw notFound();
  return customer;
}

async function usedReference(
  deps: CustomerDeps,
  principal: Principal,
  referenceId: string | undefined,
  digest: string,
) {
  const { clientId } = principal;
  const existing = referenceId === undefined ? undefined : await deps.customers.findByReference(clientId, referenceId);
  return duplicateReference(principal, {
    id: existing?._id ?? '',
    status: existing?.status ?? '',
    sameRequest: await deps.references.isSame(clientId, `customer:${referenceId}`, existing?.requestDigest, digest),
    merchantId: 'client',
  });
}

function toFields({ metadata, ...body }: CustomerBody): CustomerFields {
  return { ...body, ...(metadata && { metadata: fromMap(metadata) }) };
}

function toChanges({ metadata, ...body }: CustomerUpdateBody): CustomerChanges {
  return { ...body, ...(metadata !== undefined && { metadata: metadata && fromMap(metadata) }) };
}

async function createCustomer(deps: CustomerDeps, body: CustomerBody, asker: Asker): Promise<Customer> {
  const { clientId } = asker.principal;
  const _id = idFrom('cus', asker.idempotency?.seed ?? newSeed());
  // A former call with the same key may have made it before it was cut off.
  const made = asker.idempotency?.resumed ? await deps.customers.find(clientId, _id) : undefined;
  if (made) return made;
  const now = deps.clock.now();
  const requestDigest = digestBody(deps.digestKey, body);
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

async function updateCustomer(deps: CustomerDeps, id: string, body: CustomerUpdateBody, principal: Principal) {
  const changes = toChanges(body);
  for (let tries = 0; tries < limits.saveTriesMax; tries += 1) {
    const before = await readCustomer(deps, principal, id);
    const after = mergeCustomer(before, changes, deps.clock.now());
    if (!isIdentified(after)) {
      throw new GatewayError('request-validation-errors', { params: { body: [`"body" ${unidentified}`] } });
    }
    const saved = await deps.customers.save(before, after);
    if (saved === 'duplicate') throw await usedReference(deps, principal, after.referenceId, '');
    if (saved !== 'conflict') return saved;
  }
  throw new GatewayError('conflict', {
    message: 'The customer was changed by other requests. Read it and retry.',
    retryAfterSeconds: 1,
  });
}

/** A customer is the client's, its saved cards are their merchants': deleting it would take them from those merchants (docs/security.md#deleting-customers). */
async function refuseForeignCards({ instruments }: CustomerDeps, id: string, { clientId, merchants }: Principal) {
  if (merchants === 'all') return;
  const saved = await instruments.merchantsOf(clientId, id);
  if (saved.every((merchantId) => merchants.includes(merchantId))) return;
  throw new GatewayError('forbidden', {
    message:
      'The customer has cards that were saved for merchants which this key cannot use: it can delete its own only.',
  });
}

/**
 * Its saved cards go first: no token outlives its customer.
 * @throws {GatewayError} `customer-not-found`; `forbidden` when a card of it was saved for a merchant that the key may not use.
 */
async function deleteCustomer(deps: CustomerDeps, id: string, principal: Principal) {
  const { customers, instruments } = deps;
  const { clientId } = principal;
  if (!(await customers.find(clientId, id))) throw notFound();
  await refuseForeignCards(deps, id, principal);
  await instruments.removeAllOf(clientId, id);
  if (!(await customers.remove(clientId, id))) throw notFound();
  // One that a payment saved in between.
  await instruments.removeAllOf(clientId, id);
}

/** A saved card belongs to the merchant it was saved for, although its customer is the client's. */
const granted = ({ merchants }: Principal, { merchantId }: PaymentInstrument) =>
  merchants === 'all' || merchants.includes(merchantId);

/** Newest first; those of merchants that the key may use. */
async function listInstruments(deps: CustomerDeps, id: string, principal: Principal): Promise<PaymentInstrument[]> {
  await readCustomer(deps, principal, id);
  const saved = await deps.instruments.listByCustomer(principal.clientId, id);
  return saved.filter((instrument) => granted(principal, instrument));
}

async function deleteInstrument(deps: CustomerDeps, id: string, token: string, principal: Principal): Promise<void> {
  await readCustomer(deps, principal, id);
  const instrument = await deps.instruments.find(principal.clientId, token);
  const own = instrument && granted(principal, instrument);
  if (!own || !(await deps.instruments.remove(principal.clientId, id, token))) {
    throw new GatewayError('payment-instrument-not-found');
  }
}

export function makeCustomerUseCases(deps: CustomerDeps) {
  return {
    createCustomer: (body: CustomerBody, asker: Asker) => createCustomer(deps, body, asker),
    listCustomers: ({ page, size, ...filter }: CustomerQuery, { clientId }: Principal) =>
      deps.customers.list(clientId, filter, { page, size }),
    readCustomer: (id: string, principal: Principal) => readCustomer(deps, principal, id),
    updateCustomer: (id: string, body: CustomerUpdateBody, principal: Principal) =>
      updateCustomer(deps, id, body, principal),
    deleteCustomer: (id: string, principal: Principal) => deleteCustomer(deps, id, principal),
    listPaymentInstruments: (id: string, principal: Principal) => listInstruments(deps, id, principal),
    deletePaymentInstrument: (id: string, token: string, principal: Principal) =>
      deleteInstrument(deps, id, token, principal),
  };
}

type CustomerUseCases = ReturnType<typeof makeCustomerUseCases>;

declare module '../deps.js' {
  interface UseCases extends CustomerUseCases {}
}
