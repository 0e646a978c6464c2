/** The payer of a tokenization session saves a card: at once, or by a verification payment whose success saves the card. */

import { limits } from '../../config/limits.js';
import { pause } from '../../shared/clock.js';
import { conflict } from '../../shared/contract/gateway-error.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { authorizationOf } from '../../shared/domain/payment/attempts.js';
import type { Payment, Tokenization } from '../../shared/domain/payment/payment.js';
import { hasFeature, savesAs } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import { after } from '../../shared/domain/time.js';
import { buildInstrument } from '../../shared/vault/build-instrument.js';
import { cardFingerprint } from '../../shared/vault/card-fingerprint.js';
import type { ApiDeps } from '../deps.js';
import type { CardBody } from '../payments/card.schema.js';
import { checkCustomer, refuseSuspended, unknownCustomer } from '../payments/check-payment-request.js';
import { invoiceNumberFrom, type PaymentDraft } from '../payments/payment-draft.js';
import { brandRefused, checkHostedCard } from './hosted-card.js';
import type { HostedCaller, HostedTokenizationInput } from './hosted-inputs.js';
import { type HostedSession, viewSession } from './hosted-session.js';
import { claimTry, settleOrLog, submitTry } from './submit-try.js';

export interface TokenizationOutcome {
  readonly session: HostedSession;
  /** The saved card; absent while its verification is under way. */
  readonly instrument?: PaymentInstrument;
  /** The payment that verified the card. */
  readonly verification?: Payment;
}

/** A tokenization with the stored session, before the page's view of the session is built. */
interface SettledTokenization extends Omit<TokenizationOutcome, 'session'> {
  readonly session: Session;
}

type Verification = NonNullable<Session['settings']['tokenization']['verifyFunds']>;

async function verificationOf(
  deps: ApiDeps,
  session: Session,
  { amountMinor: totalMinor, currency }: Verification,
  { card: typed, browserDetails }: HostedTokenizationInput,
): Promise<PaymentDraft> {
  const card = await checkHostedCard(deps, session, typed);
  const type = savesAs(session);
  return {
    purpose: 'verification',
    merchantId: session.merchantId,
    referenceId: session.referenceId,
    invoiceNumber: invoiceNumberFrom(session.referenceId),
    amount: { totalMinor, currency },
    paymentMethod: { source: 'card', card: { ...card, tokenizationSettings: { type } } },
    browserDetails: { ...session.browserDetails, ...browserDetails },
    ...(session.customerId !== undefined && { customerId: session.customerId }),
  };
}

/** Waits for the saved card: the worker saves it a moment after the payment succeeds. */
async function awaitInstrument(deps: ApiDeps, payment: Payment): Promise<PaymentInstrument | undefined> {
  const { tokenization, clientId } = payment;
  if (!tokenization || authorizationOf(payment)?.status !== 'approved') return undefined;
  for (let waitedMs = 0; waitedMs < limits.instrumentAwaitedMs; waitedMs += limits.instrumentPollMs) {
    const instrument = await deps.instruments.find(clientId, tokenization.token);
    if (instrument) return instrument;
    await pause(limits.instrumentPollMs);
  }
  return undefined;
}

async function verify(
  deps: ApiDeps,
  session: Session,
  verifyFunds: Verification,
  input: HostedTokenizationInput,
  caller: HostedCaller,
): Promise<SettledTokenization> {
  const makeDraft = () => verificationOf(deps, session, verifyFunds, input);
  const verification = await submitTry(deps, { session, attempt: input.attempt, makeDraft }, caller);
  const instrument = await awaitInstrument(deps, verification);
  return { session: await settleOrLog(deps, session, caller.log), verification, ...(instrument && { instrument }) };
}

function tokenOf(session: Session, now: Date): Tokenization {
  const { instrumentToken } = session;
  if (instrumentToken === undefined) throw new Error('a tokenization session has no token chosen');
  if (savesAs(session) === 'store') return { token: instrumentToken, type: 'persistent' };
  const expiresAt = after(now, limits.temporalTokenMs);
  return { token: instrumentToken, type: 'temporal', expiresAt };
}

/** @throws {GatewayError} `invalid-card-payment-method` when the merchant does not accept the brand. */
async function instrumentOf(deps: ApiDeps, session: Session, card: CardBody): Promise<PaymentInstrument> {
  const { clientId, merchantId, customerId } = session;
  const brand = detectBrand(card.number);
  const method = brand && (await deps.methods.findPaymentMethod(merchantId, brand));
  if (!brand || !method?.enabled) throw brandRefused();
  const createdAt = deps.clock.now();
  const order = {
    ...tokenOf(session, createdAt),
    createdAt,
    clientId,
    merchantId,
    customerId,
    paymentMethodId: brand,
    cardFingerprint: cardFingerprint(deps.config.fingerprintKey, card.number),
  };
  return buildInstrument(deps, order, card);
}

/**
 * Saves the card without a verification. The token was chosen with the session, so saving the card twice, even at the same time, makes
 * one saved card.
 */
async function saveAtOnce(
  deps: ApiDeps,
  session: Session,
  input: HostedTokenizationInput,
  caller: HostedCaller,
): Promise<SettledTokenization> {
  const find = () => deps.instruments.find(session.clientId, session.instrumentToken ?? '');
  const made = session.tries >= input.attempt ? await find() : undefined;
  if (!made) await saveTyped(deps, session, input, find);
  const instrument = made ?? (await find());
  return { session: await settleOrLog(deps, session, caller.log), ...(instrument && { instrument }) };
}

async function saveTyped(
  deps: ApiDeps,
  session: Session,
  { attempt, card }: HostedTokenizationInput,
  find: () => Promise<PaymentInstrument | undefined>,
): Promise<void> {
  await refuseSuspended(deps, session.merchantId);
  await checkCustomer(deps, session.clientId, session.customerId);
  const instrument = await instrumentOf(deps, session, await checkHostedCard(deps, session, card));
  try {
    await claimTry(deps, session, attempt);
  } catch (error) {
    // The same form was sent twice at once, and the other request has saved the card and ended the session.
    if (await find()) return;
    throw error;
  }
  if (!(await deps.instruments.insert(instrument))) throw unknownCustomer();
}

/**
 * Saves the card that the payer typed.
 * @throws {GatewayError} `conflict`, also for a checkout session, which cannot tokenize (docs/security.md#purpose-of-a-session); `422`
 * when the verification is refused.
 */
export async function tokenizeSession(
  deps: ApiDeps,
  { session }: HostedSession,
  input: HostedTokenizationInput,
  caller: HostedCaller,
): Promise<TokenizationOutcome> {
  if (session.type !== 'tokenization') {
    throw conflict('This session is not for saving cards.');
  }
  if (!hasFeature(session, 'create')) {
    throw conflict('This session accepts saved cards only.');
  }
  const { verifyFunds } = session.settings.tokenization;
  const { session: after, ...outcome } = verifyFunds
    ? await verify(deps, session, verifyFunds, input, caller)
    : await saveAtOnce(deps, session, input, caller);
  return { session: await viewSession(deps, after), ...outcome };
}
