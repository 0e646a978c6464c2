/** `POST …/threeds/check`: would a payment like this be authenticated? Nothing is stored and no session is made. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { instrumentStatus, type PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { amountProblems, parseAmount } from '../../shared/domain/money/amount.js';
import type { Principal } from '../../shared/domain/principal.js';
import { type AuthenticationSource, decideAuthentication } from '../../shared/domain/threeds/decide-authentication.js';
import type { ThreeDsCheckBody } from './threeds-check.schema.js';
import type { ThreeDsDeps } from './threeds-deps.js';
import { cardMethodOf } from './threeds-settings.js';

export interface ThreeDsCheck {
  readonly isRequired: boolean;
  readonly paymentMethodId: string;
}

/** A saved card that can be charged. @throws {GatewayError} `invalid-card-payment-method-token`: one answer for all reasons. */
async function usableCard(deps: ThreeDsDeps, token: string, principal: Principal): Promise<PaymentInstrument> {
  const instrument = await deps.instruments.find(principal.clientId, token.toLowerCase());
  const usable = instrument?.card && instrumentStatus(instrument, deps.clock.now()) !== 'expired';
  const granted = instrument && (principal.merchants === 'all' || principal.merchants.includes(instrument.merchantId));
  if (!usable || !granted) throw new GatewayError('invalid-card-payment-method-token');
  return instrument;
}

const sourceOf = (saved: PaymentInstrument | undefined): AuthenticationSource => {
  if (!saved) return 'card';
  return saved.withCryptogram ? 'wallet-cryptogram' : 'token';
};

/** Payments on pages of the gateway: by the thresholds of the checkout. */
const hostedMethods: ReadonlySet<string> = new Set(['checkout', 'link']);

/** @throws {GatewayError} 400 when neither token nor method is given, or one of the fields cannot be used. */
export async function checkThreeDs(
  deps: ThreeDsDeps,
  merchantId: number,
  sent: ThreeDsCheckBody,
  principal: Principal,
): Promise<ThreeDsCheck> {
  const { token, currency } = sent;
  const amount = parseAmount(sent.amount, currency);
  if (amount.kind === 'problem') {
    const params = { amount: [amountProblems[amount.problem]] };
    throw new GatewayError('payment-invalid-amount', { params });
  }
  const saved = token === undefined ? undefined : await usableCard(deps, token, principal);
  const named = saved?.paymentMethodId ?? sent.paymentMethodId;
  if (named === undefined) {
    const reason = 'is required, unless paymentMethodId is given';
    throw new GatewayError('request-validation-errors', { params: { token: [reason] } });
  }
  const { id, threeDs } = await cardMethodOf(deps, { merchantId, paymentMethodId: named });
  const facts = {
    channel: hostedMethods.has(sent.processingMethod ?? 'api') ? 'checkout' : 'api',
    source: sourceOf(saved),
    amountMinor: amount.minor,
    currency,
    purpose: 'payment',
    disabledForSession: false,
    recurring: undefined,
    external: false,
  } as const;
  return { isRequired: decideAuthentication(facts, threeDs)?.required ?? false, paymentMethodId: id };
}
