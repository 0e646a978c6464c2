import { limits } from '../../config/limits.js';
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { amountProblems, parseAmount } from '../../shared/domain/money/amount.js';
import type { Principal } from '../../shared/domain/principal.js';
import { type AuthenticationSource, decideAuthentication } from '../../shared/domain/threeds/decide-authentication.js';
import { findUsableCard } from '../customers/find-usable-card.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdParams } from '../merchants/merchant.schema.js';
import { merchantId } from '../merchants/merchant-examples.js';
import { findUnusedCryptogram } from '../payments/saved-cryptogram.js';
import { cardMethodOf } from './get-settings.js';
import { type ThreeDsCheckBody, threeDsCheckAnswerSchema, threeDsCheckSchema } from './threeds-check.schema.js';

interface ThreeDsCheck {
  readonly isRequired: boolean;
  readonly paymentMethodId: string;
}

async function sourceOf(
  deps: Pick<ApiDeps, 'walletUses'>,
  saved: PaymentInstrument | undefined,
): Promise<AuthenticationSource> {
  if (!saved) return 'card';
  return (await findUnusedCryptogram(deps, saved)) ? 'wallet-cryptogram' : 'token';
}

/** Processing methods on pages of the gateway: the thresholds of the checkout apply. */
const hostedMethods: ReadonlySet<string> = new Set(['checkout', 'link']);

/** @throws {GatewayError} 400 when neither token nor method is given, or one of the fields cannot be used. */
async function checkThreeDs(
  deps: Pick<ApiDeps, 'instruments' | 'methods' | 'clock' | 'walletUses'>,
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
  const saved = token === undefined ? undefined : await findUsableCard(deps, principal, token, 'token');
  const named = saved?.paymentMethodId ?? sent.paymentMethodId;
  if (named === undefined) {
    const reason = 'is required, unless paymentMethodId is given';
    throw invalidField('token', reason);
  }
  const { id, threeDs } = await cardMethodOf(deps, { merchantId, paymentMethodId: named });
  const facts = {
    channel: hostedMethods.has(sent.processingMethod ?? 'api') ? 'checkout' : 'api',
    source: await sourceOf(deps, saved),
    amountMinor: amount.minor,
    currency,
    purpose: 'payment',
    disabledForSession: false,
    recurring: undefined,
    external: false,
  } as const;
  return { isRequired: decideAuthentication(facts, threeDs)?.required ?? false, paymentMethodId: id };
}

export const checkThreeDsEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/merchants/:merchantId/threeds/check',
  operationId: 'checkThreeDs',
  summary: 'Check whether a payment would be authenticated',
  description: 'Nothing is stored and no 3DS session is created. Limited per address: 429 with Retry-After.',
  tags: ['3D Secure'],
  auth: 'basic',
  addressLimit: { requests: limits.threeDsChecksMax, windowSeconds: limits.threeDsChecksSeconds },
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams, body: threeDsCheckSchema },
  responses: { 200: threeDsCheckAnswerSchema },
  errors: ['invalid-card-payment-method-token'],
  examples: {
    params: merchantId,
    request: {
      method: { referenceId: 'order-1', paymentMethodId: 'visa', amount: 120.5, currency: 'USD', indicator: 'payment' },
      'saved card': { token: '5f0c9d3a-1b7e-4c6d-8a2f-0e1b3c5d7f90', amount: '120.50', currency: 'USD' },
    },
    response: { 200: { required: { isRequired: true, paymentMethodId: 'visa' } } },
  },
  handle: ({ params, body, principal }, deps) => checkThreeDs(deps, params.merchantId, body, principal),
});
