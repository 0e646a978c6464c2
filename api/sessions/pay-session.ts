/** The payer of a checkout session pays. The session decides what is charged, not the form (docs/security.md#amounts-of-sessions). */

import { conflict, GatewayError } from '../../shared/contract/gateway-error.js';
import { toMap } from '../../shared/contract/present-payment.js';
import { defined } from '../../shared/domain/defined.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { hasFeature, savesAs } from '../../shared/domain/session/rules.js';
import type { CheckoutSettings, Session, SessionPaymentRequest } from '../../shared/domain/session/session.js';
import { cardToAuthenticate } from '../../shared/domain/threeds/step-up.js';
import { paymentIdOfTry } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';
import type { PaymentDraft } from '../payments/payment-draft.js';
import type { PaymentMethodBody } from '../payments/payment-method.schema.js';
import { chosenAmount } from './chosen-amount.js';
import { checkHostedCard } from './hosted-card.js';
import type { HostedCaller, HostedPaymentInput, HostedTransferInput } from './hosted-inputs.js';
import { mockWalletMethod, walletMethod } from './hosted-wallet.js';
import { findCardOfSession } from './session-cards.js';
import { submitTry } from './submit-try.js';

interface Checkout {
  readonly request: SessionPaymentRequest;
  readonly settings: CheckoutSettings;
}

/** @throws {GatewayError} `conflict`: a tokenization session cannot pay (docs/security.md#purpose-of-a-session). */
export function checkoutOf({ paymentRequest, settings }: Session): Checkout {
  if (paymentRequest && settings.checkout) return { request: paymentRequest, settings: settings.checkout };
  throw conflict('This session is not for payments.');
}

function amountOf({ request, settings }: Checkout, chosen: HostedPaymentInput['amount']): PaymentDraft['amount'] {
  const { totalMinor, currency } = request.amount;
  if (settings.amountMode === 'fixed' || !settings.flexibleAmount) {
    if (totalMinor === undefined || currency === undefined) throw new Error('a fixed session has no amount');
    return { totalMinor, currency };
  }
  if (!chosen) throw new GatewayError('payment-invalid-amount', { params: { 'amount.total': ['is required'] } });
  return chosenAmount(settings.flexibleAmount, chosen);
}

const notItsCard = () => conflict('This session must be paid with its saved card.');

/**
 * Returns the payment method of a saved card. A session for one saved card accepts only that card with its cvc, whatever the form says.
 * @throws {GatewayError} `conflict`, `invalid-card-cvc`; as {@link findCardOfSession}
 */
async function savedCardMethod(
  deps: ApiDeps,
  session: Session,
  { token: chosen, cvc }: Extract<HostedPaymentInput['source'], { kind: 'token' }>,
): Promise<PaymentMethodBody> {
  if (session.token === undefined && !hasFeature(session, 'select')) {
    throw conflict('This session does not accept saved cards.');
  }
  if (session.token !== undefined) {
    if (chosen !== session.token) throw notItsCard();
    if (cvc === undefined) throw new GatewayError('invalid-card-cvc', { params: { cvc: ['is required'] } });
  }
  const { _id: token } = await findCardOfSession(deps, session, chosen);
  return { source: 'token', paymentInstrument: { token, ...(cvc !== undefined && { cvc }) } };
}

/** @throws {GatewayError} when the source is refused; `conflict` when the session does not let the payer choose this method. */
async function methodOf(deps: ApiDeps, session: Session, input: HostedPaymentInput): Promise<PaymentMethodBody> {
  const { source } = input;
  if (source.kind === 'mock-wallet') return mockWalletMethod(deps, session);
  if (source.kind === 'wallet') return walletMethod(deps, session, source.token);
  if (!session.settings.paymentMethodTypes.includes('card')) {
    throw conflict('This session does not accept cards.');
  }
  if (source.kind === 'token') return savedCardMethod(deps, session, source);
  if (session.token !== undefined) throw notItsCard();
  const { kind: _card, ...typed } = source;
  const card = await checkHostedCard(deps, session, typed);
  const saves = input.save === true && session.customerId !== undefined && hasFeature(session, 'create');
  const type = savesAs(session);
  return { source: 'card', card: { ...card, ...(saves && { tokenizationSettings: { type } }) } };
}

/** Returns the payment request without its method: the terms of the session, and the payer's choices where the session allows them. */
export function orderOf(session: Session, input: HostedTransferInput): Omit<PaymentDraft, 'paymentMethod'> {
  const checkout = checkoutOf(session);
  const { referenceId, invoiceNumber, metadata } = checkout.request;
  const callbackUrl = session.settings.callbacks?.paymentCallbackUrl;
  return {
    purpose: 'payment',
    merchantId: session.merchantId,
    referenceId,
    invoiceNumber,
    amount: amountOf(checkout, input.amount),
    browserDetails: { ...session.browserDetails, ...input.browserDetails },
    ...defined({ customerId: session.customerId, callbackUrl }),
    ...(metadata && { metadata: toMap(metadata) }),
  };
}

/** Returns the card of the try before, if its issuer wants the payer to be authenticated. */
async function cardDeclinedBefore({ payments }: ApiDeps, { _id }: Session, { attempt }: HostedPaymentInput) {
  const before = attempt > 1 ? await payments.findById(paymentIdOfTry(_id, attempt - 1)) : undefined;
  return before && cardToAuthenticate(before);
}

async function draftOf(deps: ApiDeps, session: Session, input: HostedPaymentInput): Promise<PaymentDraft> {
  const { request, settings } = checkoutOf(session);
  // Only a link lets the payer choose installments; otherwise the agreed number stays.
  const installments = session.paymentLink ? input.installments : request.installments;
  return {
    ...orderOf(session, input),
    paymentMethod: await methodOf(deps, session, input),
    // After a challenge the payer returns to the page itself. Its token is neither stored nor shown
    // (docs/security.md#tokens-of-hosted-pages).
    redirectUrl: `${deps.config.publicBaseUrl}/checkout/${session._id}`,
    ...(settings.disableThreeds && { disableThreeds: true }),
    ...defined({ installments, cardToAuthenticate: await cardDeclinedBefore(deps, session, input) }),
  };
}

/**
 * Pays by a try of the session. The same try sent twice is one payment.
 * @throws {GatewayError} `conflict` when the session cannot pay, or not with this method; as {@link submitTry}
 */
export async function paySession(
  deps: ApiDeps,
  session: Session,
  input: HostedPaymentInput,
  caller: HostedCaller,
): Promise<Payment> {
  checkoutOf(session);
  const makeDraft = () => draftOf(deps, session, input);
  return submitTry(deps, { session, attempt: input.attempt, makeDraft }, caller);
}
