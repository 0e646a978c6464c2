/** A payment is stored with its work, under a reference that is used once. */

import { GatewayError } from '../../shared/contract/gateway-error.js';
import { authorizationOf } from '../../shared/domain/payment/attempts.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { duplicateReference } from '../http/duplicate-reference.js';

const holderOf = ({ payments }: Pick<ApiDeps, 'payments'>, { clientId, refKeys }: Payment) =>
  payments.findByRefKey(clientId, refKeys[0] ?? '');

async function usedBy(
  { references }: Pick<ApiDeps, 'references'>,
  existing: Payment | undefined,
  payment: Payment,
  principal: Principal,
) {
  const { clientId, refKeys, requestDigest } = payment;
  return duplicateReference(principal, {
    id: existing?._id ?? '',
    // What has no status is no payment: the reference is held by a session.
    status: existing?.status ?? 'reserved',
    sameRequest: await references.isSame(clientId, refKeys[0] ?? '', existing?.requestDigest, requestDigest),
    merchantId: existing?.merchantId,
  });
}

/**
 * Before anything else is used up for a payment that cannot be stored. Only {@link accept} is certain.
 * @throws {GatewayError} `duplicated-reference-id`
 */
export async function refuseUsedReference(
  deps: Pick<ApiDeps, 'payments' | 'references'>,
  payment: Payment,
  principal: Principal,
): Promise<void> {
  const existing = await holderOf(deps, payment);
  if (existing && existing._id !== payment._id) throw await usedBy(deps, existing, payment, principal);
}

/**
 * Stores the payment, or answers 409 for a used reference. After this the payment exists, whatever happens.
 * @returns what is stored: under an id that another call with the same Idempotency-Key used too, it may be that call's.
 */
export async function accept(deps: ApiDeps, payment: Payment, principal: Principal): Promise<Payment> {
  let result: 'inserted' | 'duplicate';
  try {
    result = await deps.payments.insert(payment);
  } catch (cause) {
    throw new GatewayError('timeout', { internal: 'the payment could not be stored', cause, retryAfterSeconds: 1 });
  }
  if (result === 'inserted') return payment;
  const existing = await holderOf(deps, payment);
  // A write that was repeated after a lost acknowledgement meets itself: it was stored the first time. The same try of a
  // session made twice at once meets the other one.
  if (existing?._id === payment._id) return existing;
  throw await usedBy(deps, existing, payment, principal);
}

/** Its purchase or authorization; one that was not authenticated has none. */
export const transactionOf = (payment: Payment) => authorizationOf(payment)?.id ?? '';
