/**
 * The one way that every payment goes, whatever asks for it and whatever it is charged to: checked, stored with its work, worked on
 * by the pools, answered. The integrator's own payment goes it in one call; a try of a session claims its try in between.
 */
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { useOnce } from '../wallets/open-wallet-token.js';
import { accept, refuseUsedReference, transactionOf } from './accept-payment.js';
import { waitLeft } from './admission-limit.js';
import { awaitAnswer, findMade, resume } from './answer-outcome.js';
import { checkPaymentRequest } from './check-payment-request.js';
import { newPayment } from './new-payment.js';
import { chooseId, type PaymentDraft } from './payment-draft.js';
import { planCharge } from './plan-charge.js';
import { resolveReferred, resolveSent } from './resolve-source.js';
import { type SealedSource, sealSource } from './seal-source.js';

/** A payment that may be stored: nothing of it is yet. */
export interface PreparedPayment {
  readonly payment: Payment;
  /** Absent: a bank transfer. */
  readonly source: SealedSource | undefined;
}

interface Preparation {
  /** How long the caller waits for the outcome. */
  readonly waitMs: number;
  /** What seals the card, where it is not the vault. */
  readonly vault?: Pick<ApiDeps['vault'], 'seal'>;
}

/**
 * Everything that can be found out, and refused, before anything is stored. Card data of the request is sealed first of all.
 * @throws {GatewayError} as `POST /v1/payments` declares
 */
export async function preparePayment(
  deps: ApiDeps,
  draft: PaymentDraft,
  caller: Caller,
  { waitMs, vault = deps.vault }: Preparation,
): Promise<PreparedPayment> {
  const id = chooseId(draft, caller);
  const binding = { id, draft, clientId: caller.principal.clientId };
  const sent = resolveSent(draft.paymentMethod);
  const sealing = { config: deps.config, clock: deps.clock, vault };
  const sealed = sent && (await sealSource(sealing, sent, binding));
  await checkPaymentRequest(deps, draft, caller.principal.clientId);
  const referred = sealed ? undefined : await resolveReferred(deps, draft, caller);
  const source = sealed ?? (referred && (await sealSource(sealing, referred, binding)));
  const charge = await planCharge(deps, draft, { id, source, principal: caller.principal });
  return { payment: newPayment(deps, draft, { id, source, charge }, caller, waitMs), source };
}

/**
 * Of several payments with one wallet token one goes on; a payment that is tried again is the same. The reference is asked
 * about first, so that a payment which is refused for it leaves the token as it was. A claim is never given back: another call
 * under the same reference may have paid with it.
 */
async function claimToken(deps: ApiDeps, { payment, source }: PreparedPayment, { principal }: Caller): Promise<void> {
  if (!source?.use) return;
  await refuseUsedReference(deps, payment, principal);
  const own = payment.sessionId === undefined ? payment.referenceId : payment._id;
  await useOnce(deps, { ...source.use, owner: `${payment.clientId}:payment:${own}` });
}

/**
 * Stores the payment and answers with what comes of it.
 * @throws {GatewayError} `duplicated-reference-id`; `422` when it was declined or failed
 */
export async function storeAndAnswer(
  deps: ApiDeps,
  prepared: PreparedPayment,
  caller: Caller,
  waitMs: number,
): Promise<Payment> {
  const left = waitLeft(waitMs);
  await claimToken(deps, prepared, caller);
  const payment = await accept(deps, prepared.payment, caller.principal);
  return awaitAnswer(deps, payment, caller, { waitMs: left(), own: payment === prepared.payment });
}

/** The integrator's own payment, or verification. @throws {GatewayError} as its endpoint declares */
export async function pay(deps: ApiDeps, draft: PaymentDraft, caller: Caller): Promise<Payment> {
  const made = await findMade(deps, caller);
  if (made) return resume(deps, made, transactionOf(made), caller);
  const slot = deps.admissionLimit.enter();
  try {
    const prepared = await preparePayment(deps, draft, caller, { waitMs: slot.waitMs });
    return await storeAndAnswer(deps, prepared, caller, slot.waitMs);
  } finally {
    slot.leave();
  }
}
