/**
 * The path of every payment, from any caller and with any source: check it, store it with its work, let the pools work on it,
 * answer. A payment by the integrator's own call does all of it in one call; an attempt in a session claims the attempt in between.
 */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { refKey } from '../../shared/domain/payment/plan-operation.js';
import { storedClaimOf } from '../../shared/domain/payment/work.js';
import type { Principal } from '../../shared/domain/principal.js';
import { idFrom, newPaymentId } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { duplicateReference } from '../http/duplicate-reference.js';
import { claimWalletToken } from '../wallets/open-wallet-token.js';
import { waitLeft } from './admission-limit.js';
import { answerRepeatedCall, authorizationIdOf, awaitAnswer, findEarlierPayment } from './answer-outcome.js';
import { checkPaymentRequest } from './check-payment-request.js';
import { newPayment } from './new-payment.js';
import type { PaymentChannel, PaymentDraft, PaymentOrigin } from './payment-draft.js';
import { type SealedSource, sealCardOfRequest, sealReferencedCard, tokenOwnerOf } from './payment-source.js';
import { planCharge } from './plan-charge.js';

/** A payment that may be stored; none of it is stored yet. */
export interface PreparedPayment {
  readonly payment: Payment;
  /** Absent for a bank transfer. */
  readonly source: SealedSource | undefined;
}

/**
 * Checks everything that can be checked, and refused, before anything is stored. Card data of the request is sealed first.
 * @param waitMs how long the caller waits for the outcome
 * @throws {GatewayError} as `POST /v1/payments` declares
 */
export async function preparePayment(
  deps: ApiDeps,
  draft: PaymentDraft,
  origin: PaymentOrigin,
  caller: Caller,
  waitMs: number,
): Promise<PreparedPayment> {
  const { _id: id, processingMethod } = origin;
  const { principal } = caller;
  const { merchantId, customerId } = draft;
  const binding = { recordId: id, clientId: principal.clientId, owner: { merchantId, customerId } };
  const channel: PaymentChannel = processingMethod === 'api' ? 'api' : 'hosted';
  const context = { binding, channel, tokenOwner: tokenOwnerOf(principal.clientId, draft.referenceId, origin) };
  const sent = await sealCardOfRequest(deps, draft, context);
  const merchant = await checkPaymentRequest(deps, draft, principal.clientId);
  const source = sent ?? (await sealReferencedCard(deps, draft, context, caller));
  const charge = await planCharge(deps, draft, { id, channel, source, merchant, principal });
  return { payment: newPayment(deps, draft, { origin, source, charge }, caller, waitMs), source };
}

const findPaymentByReference = ({ payments }: Pick<ApiDeps, 'payments'>, { clientId, refKeys }: Payment) =>
  payments.findByRefKey(clientId, refKeys[0] ?? '');

/** Builds the error for a reference that another payment of the client, or a session, has. */
async function usedReference(
  { references }: Pick<ApiDeps, 'references'>,
  existing: Payment | undefined,
  payment: Payment,
  principal: Principal,
) {
  const { clientId, refKeys, requestDigest } = payment;
  return duplicateReference(principal, {
    id: existing?._id ?? '',
    // No payment, so no status: a session holds the reference.
    status: existing?.status ?? 'reserved',
    sameRequest: await references.isSame(clientId, refKeys[0] ?? '', existing?.requestDigest, requestDigest),
    merchantId: existing?.merchantId,
  });
}

/** The message for a saved cryptogram, which another payment has claimed since this one was prepared. */
const USED_CRYPTOGRAM =
  'The cryptogram of this token was sent with another payment at the same moment. Send this payment again.';

/**
 * Claims the use of the wallet token, or of the cryptogram that was saved from one: of several payments with it only one continues; a
 * repeated request of the same payment may use it again. The reference is checked first, so that a payment that is refused for its
 * reference does not use up the token, although only {@link storePayment} is certain about the reference. A claim is never released:
 * another call with the same reference may have paid with it.
 */
async function claimTokenUse(deps: ApiDeps, { payment, source }: PreparedPayment, principal: Principal): Promise<void> {
  if (!source?.use) return;
  const existing = await findPaymentByReference(deps, payment);
  if (existing && existing._id !== payment._id) throw await usedReference(deps, existing, payment, principal);
  const use = { ...source.use, owner: tokenOwnerOf(payment.clientId, payment.referenceId, payment) };
  await claimWalletToken(deps, use, source.saved && USED_CRYPTOGRAM);
}

/**
 * Stores the payment, or answers 409 for a used reference. From then on the payment exists, even if the process dies.
 * @returns the stored payment. When another call with the same Idempotency-Key used the same id, it may be the one of that call.
 */
async function storePayment(deps: ApiDeps, payment: Payment, principal: Principal): Promise<Payment> {
  let result: 'inserted' | 'duplicate';
  try {
    result = await deps.payments.insert(payment);
  } catch (cause) {
    const { retryAfterSeconds } = limits;
    throw new GatewayError('timeout', { internal: 'the payment could not be stored', cause, retryAfterSeconds });
  }
  if (result === 'inserted') return payment;
  const existing = await findPaymentByReference(deps, payment);
  // A write that was repeated after a lost acknowledgement finds its own payment: the first write stored it. When the same
  // attempt of a session is made twice at once, one finds the payment of the other.
  if (existing?._id === payment._id) return existing;
  throw await usedReference(deps, existing, payment, principal);
}

/**
 * Stores the payment and answers with its outcome.
 * @throws {GatewayError} `duplicated-reference-id`; `422` when it was declined or failed
 */
export async function storeAndAnswer(
  deps: ApiDeps,
  prepared: PreparedPayment,
  caller: Caller,
  waitMs: number,
): Promise<Payment> {
  const left = waitLeft(waitMs);
  await claimTokenUse(deps, prepared, caller.principal);
  const payment = await storePayment(deps, prepared.payment, caller.principal);
  // The claim of a payment that another call stored goes with the first nudge of that call.
  const storedClaim = payment === prepared.payment ? storedClaimOf(payment) : undefined;
  const txId = authorizationIdOf(payment);
  return awaitAnswer(deps, payment, caller, { txId, waitMs: left(), sinceSeq: payment.eventSeq, storedClaim });
}

/** Returns the origin of an integrator's own payment: its id is derived from the caller's Idempotency-Key, otherwise new. */
export const originOfCall = ({ referenceId }: PaymentDraft, { idempotency }: Caller): PaymentOrigin => ({
  _id: idempotency ? idFrom('pay', idempotency.seed) : newPaymentId(),
  refKeys: [refKey('payment', referenceId)],
  processingMethod: 'api',
});

/** Makes the integrator's own payment, or a verification. @throws {GatewayError} as its endpoint declares */
export async function pay(deps: ApiDeps, draft: PaymentDraft, caller: Caller): Promise<Payment> {
  const made = await findEarlierPayment(deps, caller);
  if (made) return answerRepeatedCall(deps, made, authorizationIdOf(made), caller);
  const slot = deps.admissionLimit.enter();
  try {
    const prepared = await preparePayment(deps, draft, originOfCall(draft, caller), caller, slot.waitMs);
    return await storeAndAnswer(deps, prepared, caller, slot.waitMs);
  } finally {
    slot.leave();
  }
}
