import { GatewayError } from '../../shared/contract/gateway-error.js';
import { presentPayment } from '../../shared/contract/present-payment.js';
import { parseAmount } from '../../shared/domain/money/amount.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { ApiDeps } from '../deps.js';
import { type Caller, defineEndpoint } from '../http/define-endpoint.js';
import { pay } from './pay.js';
import { paymentSchema } from './payment.schema.js';
import { invoiceNumberFrom, type PaymentDraft } from './payment-draft.js';
import { verificationRequest, verifiedPayment } from './payment-examples.js';
import { cardErrors, type VerifyRequestBody, verifyRequestSchema } from './payment-request.schema.js';

/** Amount that an account verification authorizes, per currency (docs/api.md#verification). */
const verificationTotals: Readonly<Record<string, string>> = { USD: '1', UYU: '25' };

/** Authorizes a small amount, which the gateway cancels by itself once it is approved. @throws {GatewayError} */
export async function verifyPayment(deps: ApiDeps, request: VerifyRequestBody, caller: Caller): Promise<Payment> {
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
    invoiceNumber: request.invoiceNumber ?? invoiceNumberFrom(request.referenceId),
    amount: { totalMinor: parsed.minor, currency },
    purpose: 'verification',
  };
  return pay(deps, draft, caller);
}

export const verifyPaymentEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/payments/verify',
  operationId: 'verifyPayment',
  summary: 'Verify a card',
  description:
    'Authorizes a small amount (1 USD or 25 UYU; `total` is not sent) and answers `authorized`; the gateway then cancels the ' +
    'authorization, so that the payment ends as `cancelled`.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  idempotent: true,
  request: { body: verifyRequestSchema },
  responses: { 200: paymentSchema },
  errors: [
    ...cardErrors,
    'wallet-a-pay-pan-only-cvc-required',
    'currency-not-found',
    'duplicated-reference-id',
    'declined-by-acquirer',
    // A soft decline: the issuer wants the payer authenticated first.
    'authentication-required',
    'funds-verification-failed',
    'acquirer-offline',
    'service-unavailable',
    'timeout',
  ],
  examples: {
    request: { usd: verificationRequest },
    response: { 200: { verified: verifiedPayment } },
  },
  handle: async (context, deps) => presentPayment(await verifyPayment(deps, context.body, context)),
});
