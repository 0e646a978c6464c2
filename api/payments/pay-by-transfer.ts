/** A payment by bank transfer: accepted as any other, answered with the code that the payer's bank reads. */

import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { fitsCode } from '../../shared/domain/code/emv-payload.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { toDecimalText } from '../../shared/domain/money/amount.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { newWork } from '../../shared/domain/payment/work.js';
import {
  isPaymentMethodId,
  type PaymentMethodId,
  paymentMethodCatalog,
  supportsCurrency,
} from '../../shared/domain/payment-method-catalog.js';
import { newTransactionId } from '../../shared/ids.js';
import { canDo } from '../../shared/processors/capabilities.js';
import { routeFacilitator } from '../../shared/processors/route-facilitator.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { accept, submit, transactionOf } from './accept-payment.js';
import { answerOutcome, tellOnce } from './answer-outcome.js';
import { digestBody } from './body-digest.js';
import { checkCustomer, checkUrls, refuseSuspended } from './check-payment-request.js';
import { chooseId, echoed, originOf, type PaymentDraft, routeOf } from './new-payment.js';
import { findMade, resume } from './resume-request.js';

/** Where a transfer goes: the configured method and the processor behind its facilitator. */
export interface TransferMethod {
  readonly id: PaymentMethodId;
  readonly name: string;
  readonly processor: string;
  readonly acquirer: string;
  readonly settings: MerchantPaymentMethod['settings'];
}

/** Where a configured method for bank transfers leads; `undefined` when it is none that can be used. */
export function asTransferMethod(
  { id, enabled, mode, settings }: MerchantPaymentMethod,
  environment: ApiDeps['config']['environment'],
): TransferMethod | undefined {
  if (!enabled || mode !== 'payment-facilitator') return undefined;
  const processor = routeFacilitator(settings, environment);
  if (!processor || !canDo(processor, 'issueCode') || !canDo(processor, 'findTransfers')) return undefined;
  const acquirer = settings.paymentProcessor?.acquirer ?? processor;
  return { id, name: paymentMethodCatalog[id].name, processor, acquirer, settings };
}

/** The merchant's method for bank transfers under this id; `undefined` when it is none that can be used. */
export async function findTransferMethod(
  deps: Pick<ApiDeps, 'methods' | 'config'>,
  merchantId: number,
  id: string,
): Promise<TransferMethod | undefined> {
  if (!isPaymentMethodId(id) || paymentMethodCatalog[id].type !== 'bank-transfer') return undefined;
  const method = await deps.methods.findPaymentMethod(merchantId, id);
  return method && asTransferMethod(method, deps.config.environment);
}

/**
 * @throws {GatewayError} `request-validation-errors` naming `paymentMethod.id` when the merchant has no such method in
 * payment-facilitator mode; `currency-not-found` when the method does not take the currency.
 */
async function chooseTransferMethod(deps: ApiDeps, draft: PaymentDraft): Promise<TransferMethod> {
  const method = await findTransferMethod(deps, draft.merchantId, draft.paymentMethod.id ?? '');
  if (!method) {
    const params = {
      'paymentMethod.id': ['is not a bank transfer that is configured for the merchant in payment-facilitator mode'],
    };
    throw new GatewayError('request-validation-errors', { params });
  }
  if (supportsCurrency(method.id, draft.amount.currency)) return method;
  throw new GatewayError('currency-not-found', { params: { 'amount.currency': ['is not supported by this method'] } });
}

/** @throws {GatewayError} `payment-invalid-amount` where the code has no place for the amount. */
function checkFits({ amount }: PaymentDraft): void {
  if (fitsCode(toDecimalText(amount.totalMinor, amount.currency))) return;
  const reason = 'has more than the 13 characters that the amount of a QR code may have';
  throw new GatewayError('payment-invalid-amount', { params: { 'amount.total': [`"amount.total" ${reason}`] } });
}

/** The payment in its first state: `created`, with the code as its work, due at once. */
function newTransfer(
  deps: ApiDeps,
  draft: PaymentDraft,
  method: TransferMethod,
  caller: Caller,
  waitMs: number,
): Payment {
  const now = deps.clock.now();
  const after = (ms: number) => new Date(now.getTime() + ms);
  const transaction: Transaction = {
    id: newTransactionId(),
    kind: 'purchase',
    referenceId: draft.referenceId,
    amountMinor: draft.amount.totalMinor,
    status: 'created',
    createdAt: now,
    actorKeyId: caller.principal.keyId,
  };
  return {
    _id: chooseId(draft, caller),
    clientId: caller.principal.clientId,
    merchantId: draft.merchantId,
    traceId: caller.traceId,
    purpose: 'payment',
    ...originOf(draft),
    requestDigest: digestBody(deps.config.digestKey, draft),
    status: 'created',
    version: 1,
    writes: [],
    createdAt: now,
    updatedAt: now,
    referenceId: draft.referenceId,
    invoiceNumber: draft.invoiceNumber,
    flow: 'pos',
    amount: draft.amount,
    captureMethod: 'automatic',
    paymentMethod: { id: method.id, name: method.name, type: 'bank-transfer', source: 'bank-transfer' },
    ...routeOf(method),
    ...echoed(draft),
    authorizedMinor: 0,
    capturedMinor: 0,
    refundedMinor: 0,
    heldMinor: 0,
    transactions: [transaction],
    work: newWork('issue-code', transaction.id, now),
    authorizeBy: after(limits.authorizeWithinMs),
    awaitedUntil: draft.sessionTry ? now : after(waitMs + limits.announceAfterWaitMs),
    events: [],
    eventSeq: 0,
    fannedOutSeq: 0,
  };
}

/**
 * From a draft to `pending` with its code.
 * @param beforeAccept the last word before anything is stored; what it throws is the answer.
 * @throws {GatewayError} also `422` when the processor refuses to issue a code.
 */
export async function payByTransfer(
  deps: ApiDeps,
  draft: PaymentDraft,
  caller: Caller,
  beforeAccept: () => Promise<void>,
): Promise<Payment> {
  const before = await findMade(deps, caller);
  if (before) return resume(deps, before, transactionOf(before), caller);
  await refuseSuspended(deps, draft.merchantId);
  checkUrls(deps.config, draft);
  await checkCustomer(deps, caller.principal.clientId, draft.customerId);
  const method = await chooseTransferMethod(deps, draft);
  checkFits(draft);
  const slot = deps.admissionLimit.enter();
  try {
    const made = newTransfer(deps, draft, method, caller, slot.waitMs);
    await beforeAccept();
    const payment = await accept(deps, made, caller.principal);
    const outcome = await submit(deps, payment, slot.waitMs);
    tellOnce(caller, deps.payments, outcome, payment.eventSeq);
    return answerOutcome(outcome, transactionOf(payment));
  } finally {
    slot.leave();
  }
}
