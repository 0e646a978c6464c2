/** From a validated request to an answer: the one way that every payment goes. */

import type { Payment } from '../../shared/domain/payment/payment.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { useOnce } from '../wallets/open-wallet-token.js';
import { accept, refuseUsedReference, submit, transactionOf } from './accept-payment.js';
import { answerOutcome, tellOnce } from './answer-outcome.js';
import { checkCustomer, checkUrls, refuseOtherCustomer, refuseSuspended } from './check-payment-request.js';
import { chooseCardMethod } from './choose-payment-method.js';
import { findFirstPayment } from './find-first-payment.js';
import { newPayment, type PaymentDraft } from './new-payment.js';
import { payByTransfer } from './pay-by-transfer.js';
import { planAuthentication } from './plan-authentication.js';
import { refuseOwnNumber } from './refuse-card-texts.js';
import { refuseUnableHold } from './refuse-unable-processor.js';
import { type ResolvedSource, resolveSource } from './resolve-source.js';
import { findMade, resume } from './resume-request.js';
import { isWalletSource, type WalletSource } from './source-use.js';
import { checkPanOnly, resolveWalletSource } from './wallet-source.js';

const isWalletMethod = (
  method: PaymentDraft['paymentMethod'],
): method is PaymentDraft['paymentMethod'] & { readonly source: WalletSource } => isWalletSource(method.source);

const sourceOf = (deps: ApiDeps, draft: PaymentDraft, caller: Caller): Promise<ResolvedSource> => {
  const { paymentMethod } = draft;
  return isWalletMethod(paymentMethod)
    ? resolveWalletSource(deps, paymentMethod, draft, caller)
    : resolveSource(deps, paymentMethod as Parameters<typeof resolveSource>[1], caller.principal);
};

/**
 * Of several payments with one wallet token one goes on; a payment that is tried again is the same. The reference is asked
 * about first, so that a payment which is refused for it leaves the token as it was. A claim is never given back: another
 * call under the same reference may have paid with it.
 */
async function claimUse(deps: ApiDeps, { use }: ResolvedSource, made: Payment, { principal }: Caller): Promise<void> {
  if (!use) return;
  await refuseUsedReference(deps, made, principal);
  const own = made.sessionId === undefined ? made.referenceId : made._id;
  await useOnce(deps, { ...use, owner: `${made.clientId}:payment:${own}` });
}

/**
 * From a draft to the answer. Every payment goes this way, whatever its source.
 * @param beforeAccept the last check before anything is stored, called with the amount; what it throws is the answer.
 */
export async function payDraft(
  deps: ApiDeps,
  draft: PaymentDraft,
  caller: Caller,
  beforeAccept: (source?: ResolvedSource) => Promise<void> = async () => undefined,
): Promise<Payment> {
  if (draft.paymentMethod.source === 'bank-transfer') return payByTransfer(deps, draft, caller, beforeAccept);
  const before = await findMade(deps, caller);
  if (before) return resume(deps, before, transactionOf(before), caller);
  await refuseSuspended(deps, draft.merchantId);
  checkUrls(deps.config, draft);
  await checkCustomer(deps, caller.principal.clientId, draft.customerId);
  // Taken before a wallet token is opened: that is waited for, too.
  const slot = deps.admissionLimit.enter();
  try {
    const source = await sourceOf(deps, draft, caller);
    refuseOwnNumber(draft, source.number);
    refuseOtherCustomer(source.saved, draft.customerId);
    const method = await chooseCardMethod(deps, {
      merchantId: draft.merchantId,
      brand: source.brand,
      methodId: draft.paymentMethod.id,
      currency: draft.amount.currency,
    });
    refuseUnableHold(draft, method.processor);
    const firstPaymentId = await findFirstPayment(deps, draft, source, caller.principal);
    const threeDs = planAuthentication(draft, source, method);
    checkPanOnly(source, threeDs.threeDs?.required === true);
    const made = await newPayment(deps, draft, { source, method, threeDs, firstPaymentId }, caller, slot.waitMs);
    await beforeAccept(source);
    await claimUse(deps, source, made, caller);
    const payment = await accept(deps, made, caller.principal);
    const outcome = await submit(deps, payment, slot.waitMs, payment === made);
    tellOnce(caller, deps.payments, outcome, payment.eventSeq);
    return answerOutcome(outcome, transactionOf(payment));
  } finally {
    slot.leave();
  }
}
