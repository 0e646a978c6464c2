/** What a payer did on the checkout page: pay, remove a saved card, cancel. */

import type { Response } from 'express';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import { approvalUrlOf } from '../../../shared/contract/present-payment.js';
import type { HandlerDeps } from '../../deps.js';
import type { HostedPaymentInput } from '../../sessions/hosted-inputs.js';
import { cancelSession } from '../../sessions/hosted-session.js';
import { paySession } from '../../sessions/pay-session.js';
import { fieldErrorsOf, missingFields, walletRefusalOf } from '../form-problems.js';
import type { HostedRequest } from '../http/hosted-request.js';
import { keepName } from '../http/kept-name.js';
import { asPayer, removeCard } from '../http/record-payer.js';
import { seeOther } from '../http/send-page.js';
import { isSecure } from '../http/session-proof.js';
import { textsOf } from '../language.js';
import { type Form, readAttempt, readCard, readCvc } from '../read-card-form.js';
import { readTotal } from '../read-total.js';
import { NEW_CARD } from '../views/card-choice.view.js';
import { PAY_BY_WALLET } from '../views/wallet-button.view.js';
import { cancelTransfer, submitTransfer } from './bank-transfer.js';
import { showCheckout } from './show-checkout.js';

function sourceOf(form: Form): HostedPaymentInput['source'] {
  if (form['action'] === PAY_BY_WALLET) {
    const token = form['walletToken'];
    return token === undefined ? { kind: 'mock-wallet' } : { kind: 'wallet', token };
  }
  const source = form['source'] ?? NEW_CARD;
  return source === NEW_CARD
    ? { kind: 'card', ...readCard(form) }
    : { kind: 'token', token: source, cvc: readCvc(form) };
}

function inputOf({ form, browserDetails }: HostedRequest): HostedPaymentInput {
  const { total, currency } = form;
  return {
    attempt: readAttempt(form),
    source: sourceOf(form),
    browserDetails,
    ...(currency !== undefined && { amount: { total: readTotal(total, currency), currency } }),
    ...(/^\d{1,2}$/.test(form['installments'] ?? '') && { installments: Number(form['installments']) }),
    ...(form['save'] === '1' && { save: true }),
  };
}

async function pay(deps: HandlerDeps, response: Response, asked: HostedRequest, here: string): Promise<void> {
  const { hosted, language, form, caller } = asked;
  const texts = textsOf[language];
  let next = here;
  keepName(response, `/checkout/${hosted.session._id}`, isSecure(deps), form['name']);
  try {
    const run = () => paySession(deps, hosted.session, inputOf(asked), caller);
    const payment = await asPayer(deps, asked, 'createPayment', run, (made) => ({ payment: made }));
    // The issuer wants the payer's confirmation: from there the way leads back to this page.
    next = approvalUrlOf(payment) ?? here;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
    const byWallet = form['action'] === PAY_BY_WALLET ? walletRefusalOf(error, texts) : undefined;
    if (byWallet) return showCheckout(deps, response, asked, { errors: {}, refusal: byWallet, form }, error.status);
    // Declined, or no longer what the form was made for: the page itself says so, and can be loaded again.
    if (error.status === 422 || error.status === 409) return seeOther(response, here);
    const named = fieldErrorsOf(error, texts);
    const byWalletForm = form['action'] === PAY_BY_WALLET;
    const errors = { ...named, ...(!byWalletForm && missingFields(form, named, texts, true)) };
    const unclear = Object.keys(errors).length === 0;
    const refusal = unclear ? { title: texts.correctFirst, sentences: [texts.somethingWrong] } : undefined;
    return showCheckout(deps, response, asked, { errors, refusal, form }, 400);
  }
  // A page of its own says what became of it: going back or loading again sends nothing twice.
  seeOther(response, next);
}

/** @param here path of the checkout page, with the language that was chosen. */
export async function submitCheckout(
  deps: HandlerDeps,
  response: Response,
  asked: HostedRequest,
  here: string,
): Promise<void> {
  const { form, hosted } = asked;
  if (form['action'] === 'cancel') {
    await asPayer(deps, asked, 'cancelSession', () => cancelSession(deps, hosted)).catch((error: unknown) => {
      // It has ended, or a try is under way: the page says so.
      if (!(error instanceof GatewayError && error.code === 'conflict')) throw error;
    });
    return seeOther(response, here);
  }
  if (form['action'] === 'cancel-transfer') {
    await cancelTransfer(deps, asked);
    return seeOther(response, here);
  }
  if (form['method'] === 'transfer') {
    const wrong = await submitTransfer(deps, response, asked, here);
    return wrong && showCheckout(deps, response, asked, wrong, 400);
  }
  if (form['remove'] !== undefined) {
    await removeCard(deps, asked, form['remove']);
    return seeOther(response, here);
  }
  await pay(deps, response, asked, here);
}
