/** The actions of a payer on the checkout page: pay by card, wallet or bank transfer, remove a saved card, cancel. */
import type { Response } from 'express';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import { defined } from '../../../shared/domain/defined.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { Session } from '../../../shared/domain/session/session.js';
import type { HandlerDeps } from '../../deps.js';
import type { HostedPaymentInput, HostedTransferInput } from '../../sessions/hosted-inputs.js';
import { cancelSession } from '../../sessions/hosted-session.js';
import { paySession } from '../../sessions/pay-session.js';
import { deleteSavedCard } from '../../sessions/session-cards.js';
import { cancelSessionTransfer, paySessionByTransfer } from '../../sessions/transfer-session.js';
import { withAmountProblem } from '../amount-problem.js';
import { fieldErrorsOf, missingFields, transferRefusalOf, unclearSentence, walletRefusalOf } from '../form-problems.js';
import type { HostedRequest } from '../http/hosted-request.js';
import { keepName } from '../http/kept-name.js';
import { auditedAsPayer, type PayerAction } from '../http/record-payer.js';
import type { PageAnswer } from '../http/send-page.js';
import { isSecure } from '../http/session-proof.js';
import { textsOf } from '../language.js';
import { type Form, readAttempt, readCard, readCvc } from '../read-card-form.js';
import { readTotal } from '../read-total.js';
import { NEW_CARD } from '../views/card-choice.view.js';
import { type FieldErrors, savedCvcName } from '../views/card-form.view.js';
import { PAY_BY_WALLET } from '../views/wallet-button.view.js';
import type { CheckoutState } from './checkout-model.js';
import { issuerPageOf } from './issuer-page.js';
import { showCheckout } from './show-checkout.js';

/** Reads what the payer pays with. The form also sends the hidden fields of the other cards, so the cvc of a saved card has its own field. */
function sourceOf(form: Form, { token }: Session): HostedPaymentInput['source'] {
  if (form['action'] === PAY_BY_WALLET) {
    const walletToken = form['walletToken'];
    return walletToken === undefined ? { kind: 'mock-wallet' } : { kind: 'wallet', token: walletToken };
  }
  const source = form['source'] ?? NEW_CARD;
  if (source === NEW_CARD) return { kind: 'card', ...readCard(form) };
  return { kind: 'token', token: source, cvc: readCvc(form, source === token ? 'cvc' : savedCvcName(source)) };
}

function transferInputOf({ form, browserDetails, language }: HostedRequest): HostedTransferInput {
  const { total, currency } = form;
  const amount = currency === undefined ? {} : { amount: { total: readTotal(total, currency, language), currency } };
  return { attempt: readAttempt(form), browserDetails, ...amount };
}

function paymentInputOf(asked: HostedRequest): HostedPaymentInput {
  const { form, hosted } = asked;
  return {
    ...transferInputOf(asked),
    source: sourceOf(form, hosted.session),
    ...(/^\d{1,2}$/.test(form['installments'] ?? '') && { installments: Number(form['installments']) }),
    ...(form['save'] === '1' && { save: true }),
  };
}

/** What the page shows about a refusal. */
interface Complaint extends CheckoutState {
  readonly status: number;
}

/** Puts sentences at the fields, or one sentence above the form when no field is named. */
function toCorrect(error: GatewayError, named: FieldErrors, { form, language, hosted }: HostedRequest): Complaint {
  const texts = textsOf[language];
  const errors = withAmountProblem(named, form, hosted.session.settings.checkout?.flexibleAmount, language);
  const unclear = Object.keys(errors).length === 0;
  const refusal = unclear ? { title: texts.correctFirst, sentences: [unclearSentence(error, texts)] } : undefined;
  return { errors, form, refusal, status: 400 };
}

/** Moves errors of the card to where the chosen saved card is: its own cvc and the choice, because the fields of a new card are hidden. */
function atSavedCard(errors: FieldErrors, { form, hosted }: HostedRequest): FieldErrors {
  const { source = NEW_CARD } = form;
  if (source === NEW_CARD || source === hosted.session.token) return errors;
  const { cvc, number, ...others } = errors;
  return { ...others, ...defined({ savedCvc: cvc, source: number ?? others.source }) };
}

/**
 * Returns what to show about a refused payment. `undefined` for a decline or an outdated form: the page then shows the state itself,
 * and can be reloaded.
 */
function paymentComplaint(error: GatewayError, asked: HostedRequest): Complaint | undefined {
  const { form, language } = asked;
  const texts = textsOf[language];
  const byWallet = form['action'] === PAY_BY_WALLET;
  const refusal = byWallet ? walletRefusalOf(error, texts) : undefined;
  if (refusal) return { errors: {}, refusal, form, status: error.status };
  // A refusal without a payment leaves nothing from which the page could show the reason itself.
  if (error.status === 409 || error.params?.['paymentId'] !== undefined) return undefined;
  const named = atSavedCard(fieldErrorsOf(error, texts), asked);
  return toCorrect(error, byWallet ? named : { ...named, ...missingFields(form, named, texts, true) }, asked);
}

/**
 * Returns what to show about a refused transfer. `undefined` when the page itself shows the reason: the bank refused, or the form is
 * outdated.
 */
export function transferComplaint(error: GatewayError, asked: HostedRequest): Complaint | undefined {
  const { form, language } = asked;
  const texts = textsOf[language];
  const refusal = transferRefusalOf(error, texts);
  if (refusal) return { errors: {}, refusal, form, status: error.status };
  if (error.status !== 400 && error.status !== 403) return undefined;
  return toCorrect(error, fieldErrorsOf(error, texts), asked);
}

interface Action {
  readonly name: PayerAction;
  run(): Promise<{ readonly payment?: Payment; readonly card?: string }>;
  /** Absent: the page itself shows the result. */
  readonly complaint?: (error: GatewayError, asked: HostedRequest) => Complaint | undefined;
}

/** Returns the action of the button that sent the form. */
function actionOf(deps: HandlerDeps, response: Response, asked: HostedRequest): Action {
  const { hosted, form, caller } = asked;
  const { session } = hosted;
  const card = form['remove'];
  if (form['action'] === 'cancel') {
    return { name: 'cancelSession', run: () => cancelSession(deps, hosted).then(() => ({})) };
  }
  if (form['action'] === 'cancel-transfer') {
    // A page of an earlier release does not send the number of its try.
    const attempt = form['attempt'] === undefined ? undefined : readAttempt(form);
    return { name: 'cancelPayment', run: () => cancelSessionTransfer(deps, session, caller, attempt).then(() => ({})) };
  }
  if (form['method'] === 'transfer') {
    const run = async () => ({ payment: await paySessionByTransfer(deps, session, transferInputOf(asked), caller) });
    return { name: 'createPayment', run, complaint: transferComplaint };
  }
  if (card !== undefined) {
    return { name: 'deletePaymentInstrument', run: () => deleteSavedCard(deps, session, card).then(() => ({ card })) };
  }
  const run = async () => {
    keepName(response, `/checkout/${session._id}`, isSecure(deps), form['name']);
    return { payment: await paySession(deps, session, paymentInputOf(asked), caller) };
  };
  return { name: 'createPayment', run, complaint: paymentComplaint };
}

/**
 * Carries out the payer's action. The result is shown by another request, so going back or reloading does not repeat the action.
 * @param here path of the checkout page, with the chosen language.
 */
export async function submitCheckout(
  deps: HandlerDeps,
  response: Response,
  asked: HostedRequest,
  here: string,
): Promise<PageAnswer> {
  const { name, run, complaint } = actionOf(deps, response, asked);
  try {
    const { payment } = await auditedAsPayer(deps, asked, name, run, (made) => made);
    // When the issuer wants the payer's confirmation, its page leads back to this one.
    return { redirectTo: (payment && issuerPageOf(payment)) ?? here };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
    const wrong = complaint?.(error, asked);
    return wrong ? showCheckout(deps, asked, wrong, wrong.status) : { redirectTo: here };
  }
}
