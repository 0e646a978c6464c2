/** `POST /v1/payments` and `…/verify`: from a validated request to an answer. Each reads as a story. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { parseAmount } from '../../shared/domain/money/amount.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { useOnce } from '../wallets/open-wallet-token.js';
import { accept, refuseUsedReference, submit, transactionOf } from './accept-payment.js';
import { answerOutcome, tellOnce } from './answer-outcome.js';
import { checkCustomer, checkUrls, refuseOtherCustomer, refuseSuspended } from './check-payment-request.js';
import { chooseCardMethod } from './choose-payment-method.js';
import { findFirstPayment } from './find-first-payment.js';
import { newPayment, type PaymentDraft } from './new-payment.js';
import { payByTransfer } from './pay-by-transfer.js';
import type { Caller, PaymentDeps } from './payment-deps.js';
import type { PaymentRequestBody, VerifyRequestBody } from './payment-request.schema.js';
import { planAuthentication } from './plan-authentication.js';
import { refuseOwnNumber } from './refuse-card-texts.js';
import { refuseUnableHold } from './refuse-unable-processor.js';
import { type ResolvedSource, resolveSource } from './resolve-source.js';
import { findMade, resume } from './resume-request.js';
import { isWalletSource, type WalletSource } from './source-use.js';
import { checkPanOnly, resolveWalletSource } from './wallet-source.js';

/** What an account verification authorizes, per currency (docs/api.md#verification). */
const verificationTotals: Readonly<Record<string, string>> = { USD: '1', UYU: '25' };

export type CreatePayment = (request: PaymentRequestBody, caller: Caller) => Promise<Payment>;
export type VerifyPayment = (request: VerifyRequestBody, caller: Caller) => Promise<Payment>;

const isWalletMethod = (
  method: PaymentDraft['paymentMethod'],
): method is PaymentDraft['paymentMethod'] & { readonly source: WalletSource } => isWalletSource(method.source);

const sourceOf = (deps: PaymentDeps, draft: PaymentDraft, caller: Caller): Promise<ResolvedSource> => {
  const { paymentMethod } = draft;
  return isWalletMethod(paymentMethod)
    ? resolveWalletSource(deps.wallets, paymentMethod, draft, caller)
    : resolveSource(deps, paymentMethod as Parameters<typeof resolveSource>[1], caller.principal);
};

/**
 * Of several payments with one wallet token one goes on; a payment that is tried again is the same. The reference is asked
 * about first, so that a payment which is refused for it leaves the token as it was. A claim is never given back: whoever
 * else made it under the same reference may have paid with it.
 */
async function claimUse(
  deps: PaymentDeps,
  { use }: ResolvedSource,
  made: Payment,
  { principal }: Caller,
): Promise<void> {
  if (!use) return;
  await refuseUsedReference(deps, made, principal);
  const own = made.sessionId === undefined ? made.referenceId : made._id;
  await useOnce(deps.wallets, { ...use, owner: `${made.clientId}:payment:${own}` });
}

/**
 * From a draft to the answer. Every payment goes this way, whoever asked for it.
 * @param beforeAccept the last word before anything is stored, told what is charged; what it throws is the answer.
 */
export async function payDraft(
  deps: PaymentDeps,
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
  const seat = deps.waitingRoom.enter();
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
    const made = await newPayment(deps, draft, { source, method, threeDs, firstPaymentId }, caller, seat.waitMs);
    await beforeAccept(source);
    await claimUse(deps, source, made, caller);
    const payment = await accept(deps, made, caller.principal);
    const outcome = await submit(deps, payment, seat.waitMs, payment === made);
    tellOnce(caller, deps.payments, outcome, payment.eventSeq);
    return answerOutcome(outcome, transactionOf(payment));
  } finally {
    seat.leave();
  }
}

export function makeCreatePayment(deps: PaymentDeps): CreatePayment {
  return (request, caller) => payDraft(deps, { ...request, purpose: 'payment' }, caller);
}

/** An authorization of a token amount that the gateway itself cancels once it is approved. */
export function makeVerifyPayment(deps: PaymentDeps): VerifyPayment {
  return (request, caller) => {
    const { currency } = request.amount;
    const total = Object.hasOwn(verificationTotals, currency) ? verificationTotals[currency] : undefined;
    if (total === undefined) {
      const params = { 'amount.currency': ['must be USD or UYU'] };
      throw new GatewayError('currency-not-found', { params });
    }
    const parsed = parseAmount(total, currency);
    if (parsed.kind === 'problem') throw new Error(`the verification amount of ${currency} does not parse`);
    const draft: PaymentDraft = {
      ...request,
      invoiceNumber: request.invoiceNumber ?? request.referenceId.slice(0, 64),
      amount: { totalMinor: parsed.minor, currency },
      purpose: 'verification',
    };
    return payDraft(deps, draft, caller);
  };
}
