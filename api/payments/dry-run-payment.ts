/** Shows what a payment would do. It is prepared like every payment, but never stored or sent. Even its card is not sealed. */
import { invalidField } from '../../shared/contract/gateway-error.js';
import { body, Joi, named } from '../../shared/contract/joi.js';
import { presentPayment, presentRouting } from '../../shared/contract/present-payment.js';
import { defined } from '../../shared/domain/defined.js';
import type { Envelope, Payment } from '../../shared/domain/payment/payment.js';
import { decideAuthentication } from '../../shared/domain/threeds/decide-authentication.js';
import type { ApiDeps } from '../deps.js';
import { type Caller, defineEndpoint } from '../http/define-endpoint.js';
import { originOfCall, preparePayment } from './pay.js';
import { amountAnswer, paymentMethodAnswer, routingSchema } from './payment.schema.js';
import { approvedPayment, paymentRequest, transferRequest } from './payment-examples.js';
import { cardErrors, type PaymentRequestBody, paymentRequestSchema } from './payment-request.schema.js';
import { isWalletMethod } from './wallet-source.js';

/** Nothing is stored, so nothing needs to be sealed: the card leaves memory when the call ends. */
const nothing: Envelope = { v: 2, alg: 'A256GCM', kid: '', iv: new Uint8Array(), ct: new Uint8Array() };
const sealsNothing = async () => nothing;

/** Returns what the `threeds` pool would decide, or the merchant's own authentication; undefined without 3D Secure on the method. */
function authenticationOf({ threeDs, threeDsFacts, threeDsSettings }: Payment): object | undefined {
  if (threeDs) return { required: threeDs.required, reason: threeDs.reason };
  const decision = threeDsFacts && threeDsSettings && decideAuthentication(threeDsFacts, threeDsSettings);
  if (!decision) return undefined;
  return { ...decision, ...(decision.required && { provider: threeDsSettings?.provider }) };
}

interface Shown {
  readonly amount: { readonly total: number };
}

function presentDryRun(payment: Payment): object {
  const shown = presentPayment(payment) as Record<string, unknown> & Shown;
  const { captured: _c, refunded: _r, ...amount } = shown.amount as Shown['amount'] & Record<string, unknown>;
  const { merchantId, processor, acquirer, installments, installmentPlan } = payment;
  const only = { candidates: [{ processor, acquirer, reason: 'chosen' }] } as const;
  return {
    merchantId,
    flow: shown['flow'],
    amount,
    paymentMethod: shown['paymentMethod'],
    capture: shown['capture'],
    ...defined({ installments, installmentPlan }),
    routing: presentRouting(payment.routing ?? only),
    ...defined({ threeDS: authenticationOf(payment) }),
    split: [{ merchantId, amount: amount.total }],
  };
}

/** Refuses wallet tokens: the `wallet` pool opens them, and stores them for that. */
function refuseWallets({ paymentMethod }: PaymentRequestBody): void {
  if (!isWalletMethod(paymentMethod)) return;
  const reason = 'must not be a wallet in a dry run: opening its token would store it';
  throw invalidField('paymentMethod.source', reason);
}

/** @throws {GatewayError} like a payment that is refused before it is stored */
async function dryRun(deps: ApiDeps, request: PaymentRequestBody, caller: Caller): Promise<object> {
  refuseWallets(request);
  const draft = { ...request, purpose: 'payment' } as const;
  const sealing = { ...deps, vault: { ...deps.vault, seal: sealsNothing } };
  const { payment } = await preparePayment(sealing, draft, originOfCall(draft, caller), caller, 0);
  return presentDryRun(payment);
}

const dryRunSchema = named(
  'DryRun',
  body({
    merchantId: Joi.number().integer().required(),
    flow: Joi.string().valid('direct', 'pos').required(),
    amount: amountAnswer().required(),
    paymentMethod: paymentMethodAnswer.required(),
    capture: body({
      method: Joi.string().valid('automatic', 'manual').required(),
      delay: Joi.number().integer(),
    }).required(),
    installments: Joi.number().integer(),
    installmentPlan: Joi.string(),
    routing: routingSchema.required().description('In the order in which they would be tried.'),
    threeDS: body({
      required: Joi.boolean().required().description('Whether the payer would be authenticated.'),
      reason: Joi.string().required(),
      provider: Joi.string(),
    }).description('Where 3D Secure is configured for the method.'),
    split: Joi.array()
      .items(body({ merchantId: Joi.number().integer().required(), amount: Joi.number().required() }))
      .required()
      .description('What each merchant would get. Only payments through a link are divided.'),
  }),
);

const { amount, paymentMethod } = approvedPayment;
const answered = {
  merchantId: 1001,
  flow: 'direct',
  amount: { total: amount.total, currency: amount.currency },
  paymentMethod,
  capture: { method: 'automatic' },
  routing: [
    { processor: 'sandbox', acquirer: 'second-bank', reason: 'chosen' },
    { processor: 'sandbox', acquirer: 'third-bank', reason: 'next' },
    { processor: 'sandbox', acquirer: 'first-bank', reason: 'condition', detail: 'currencies' },
  ],
  threeDS: { required: false, reason: 'amount-below-threshold' },
  split: [{ merchantId: 1001, amount: amount.total }],
};

export const dryRunPaymentEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/payments/dry-run',
  operationId: 'dryRunPayment',
  summary: 'See what a payment would do',
  description:
    'Takes the body of `POST /v1/payments` and answers which routes the payment would take and why, whether the payer would be ' +
    'authenticated, what would be charged and who would get it. Stores nothing and calls no processor; `referenceId` stays free. ' +
    'Where shares divide payments between routes, each payment draws anew. Wallet tokens are not taken.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  request: { body: paymentRequestSchema },
  responses: { 200: dryRunSchema },
  errors: [
    ...cardErrors,
    'wallet-a-pay-pan-only-cvc-required',
    'payment-invalid-amount',
    'payment-invalid-invoice-number',
    'currency-not-found',
  ],
  examples: {
    request: { card: paymentRequest, transfer: transferRequest },
    response: { 200: { routed: answered } },
  },
  handle: async (context, deps) => dryRun(deps, context.body, context),
});
