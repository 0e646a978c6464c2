/** The bank transfer on a checkout page: chosen, shown with its code, given up, and why one failed. */

import type { Response } from 'express';
import { limits } from '../../../config/limits.js';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { isTransfer } from '../../../shared/domain/payment/plan-transfer.js';
import { after } from '../../../shared/domain/time.js';
import type { HandlerDeps } from '../../deps.js';
import { cancelSessionTransfer, paySessionByTransfer } from '../../sessions/transfer-session.js';
import { fieldErrorsOf } from '../form-problems.js';
import type { HostedRequest } from '../http/hosted-request.js';
import { asPayer } from '../http/record-payer.js';
import { seeOther, sendPage } from '../http/send-page.js';
import { formTokenOf } from '../http/session-proof.js';
import { textsOf } from '../language.js';
import { readAttempt } from '../read-card-form.js';
import { readTotal } from '../read-total.js';
import { formTargets } from '../return-url.js';
import { transferChoicePage, transferPage } from '../views/bank-transfer.view.js';
import type { Refusal } from '../views/card-form.view.js';
import { amountFields } from '../views/checkout.view.js';
import {
  type CheckoutState,
  checkoutModel,
  describeSession,
  fixedAmount,
  itemsOf,
  referenceOf,
} from './checkout-model.js';

const MINUTE_MS = 60_000;

/** What the payer looks at: the only way there is, else the one that was asked for. */
export function choosesTransfer({ hosted, method, form }: HostedRequest, last: Payment | undefined): boolean {
  if (!hosted.transfer) return false;
  if (!hosted.takesCards) return true;
  const chosen = method ?? form['method'];
  return chosen === undefined ? last !== undefined && isTransfer(last) : chosen === 'transfer';
}

/** The code while it waits for its payer. */
export function showTransfer(deps: HandlerDeps, response: Response, asked: HostedRequest, payment: Payment): void {
  const { language, hosted, token } = asked;
  const { code, createdAt } = payment;
  const shown = code?.base64Image === undefined ? undefined : { ...code, base64Image: code.base64Image };
  const model = {
    language,
    payee: hosted.merchant,
    reference: referenceOf(hosted.session),
    description: describeSession(hosted.session, language),
    items: itemsOf(hosted, language),
    amount: payment.amount,
    formToken: formTokenOf(token),
    code: shown,
    createdAt,
    expiresAt: payment.expiresAt ?? after(createdAt, limits.codeExpiryMs),
    now: deps.clock.now(),
    // Without its code the page is asked for again until it is there.
    status: shown ? payment.status : 'making',
    refreshSeconds: limits.transferRefreshSeconds,
  };
  sendPage(response, 200, transferPage(model), { formTo: formTargets(hosted.session) });
}

/** Why a transfer failed, in words. */
export function transferRefusal(payment: Payment, { language, hosted }: HostedRequest): Refusal {
  const texts = textsOf[language];
  const left = texts.triesLeft(hosted.triesLeft);
  const [transaction] = payment.transactions;
  if (payment.status === 'expired') return { title: texts.codeRunOut, sentences: [texts.codeRunOutMore, left] };
  if (payment.status === 'cancelled') {
    return { title: texts.transferCancelled, sentences: [texts.transferCancelledMore, left] };
  }
  const why = transaction?.errorCode === 'acquirer-offline' ? texts.offline : texts.transferRefusedMore;
  return { title: texts.transferRefused, sentences: [why, left] };
}

/** The sheet on which a code is asked for. */
export function showTransferChoice(
  response: Response,
  asked: HostedRequest,
  state: CheckoutState,
  again: boolean,
  status: number,
): void {
  const { hosted, language, token } = asked;
  const { session, transfer } = hosted;
  const model = checkoutModel(hosted, language, [], formTokenOf(token), state);
  const amount = fixedAmount(session);
  const flexible = model.flexible && { ...model.flexible, currencies: transfer?.currencies ?? [] };
  const page = transferChoicePage({
    language,
    payee: hosted.merchant,
    reference: model.reference,
    description: model.description,
    items: model.items,
    amount,
    formToken: model.formToken,
    cards: hosted.takesCards,
    attempt: model.attempt,
    minutes: limits.codeExpiryMs / MINUTE_MS,
    again,
    amountFields: amountFields({ ...model, flexible }),
    errors: state.errors,
    refusal: state.refusal,
  });
  sendPage(response, status, page, { formTo: formTargets(session) });
}

/** The payer gives up the code. Where it was paid meanwhile, the page says so. */
export async function cancelTransfer(deps: HandlerDeps, asked: HostedRequest): Promise<void> {
  const { hosted, caller } = asked;
  const run = () => cancelSessionTransfer(deps, hosted.session, caller);
  await asPayer(deps, asked, 'cancelPayment', run).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
  });
}

/** A new code. @returns what was wrong with the form, or nothing when the page itself says how it went. */
export async function submitTransfer(
  deps: HandlerDeps,
  response: Response,
  asked: HostedRequest,
  here: string,
): Promise<CheckoutState | undefined> {
  const { hosted, form, language, caller, browserDetails } = asked;
  const { total, currency } = form;
  const texts = textsOf[language];
  const amount = currency === undefined ? {} : { amount: { total: readTotal(total, currency), currency } };
  try {
    const input = { attempt: readAttempt(form), browserDetails, ...amount };
    const run = () => paySessionByTransfer(deps, hosted.session, input, caller);
    await asPayer(deps, asked, 'createPayment', run, (made) => ({ payment: made }));
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
    if (error.status === 400) {
      const errors = fieldErrorsOf(error, texts);
      const unclear = Object.keys(errors).length === 0;
      return {
        errors,
        form,
        ...(unclear && { refusal: { title: texts.correctFirst, sentences: [texts.somethingWrong] } }),
      };
    }
    // Refused, or no longer what the form was made for: the page itself says so, and can be loaded again.
  }
  seeOther(response, here);
  return undefined;
}
