/** Body of `POST /v1/payments` (docs/api.md#payment-request) and of `POST /v1/payments/verify`. */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { amountSchema, currencyText } from '../../shared/contract/amount.schema.js';
import { shownDecimal } from '../../shared/contract/decimal.schema.js';
import { body, fieldError, Joi, metadata, named, nullable, text, withErrorCode } from '../../shared/contract/joi.js';
import { challengeWindowSizes } from '../../shared/domain/payment/browser-details.js';
import { type Exemption, exemptions, recurringReasons } from '../../shared/domain/payment/charge-reasons.js';
import type { BrowserDetails, PaymentAmount, PaymentItem, Recurring } from '../../shared/domain/payment/payment.js';
import { urlField } from '../http/url-field.js';
import { type PaymentMethodBody, paymentMethodSchema, verifiedMethodSchema } from './payment-method.schema.js';

/** Error codes for the card of a request and for the details of the payer's browser. */
export const cardErrors = [
  'invalid-card-number',
  'invalid-card-cvc',
  'invalid-card-expiration-date',
  'invalid-cardholder',
  'invalid-browser-details',
  'invalid-card-payment-method',
  'invalid-card-payment-method-token',
] as const;

export interface ItemBody extends Omit<PaymentItem, 'metadata'> {
  readonly metadata?: Record<string, string>;
}

export interface PaymentRequestBody {
  readonly merchantId: number;
  readonly flow?: 'direct' | 'pos';
  readonly referenceId: string;
  readonly invoiceNumber: string;
  readonly paymentMethod: PaymentMethodBody;
  readonly items?: readonly ItemBody[];
  readonly installments?: number;
  readonly installmentPlan?: string;
  readonly allowPartialApproval?: boolean;
  readonly exemption?: Exemption;
  readonly amount: PaymentAmount;
  readonly browserDetails?: BrowserDetails;
  readonly statementDescriptor?: string;
  readonly capture?: { readonly method?: 'automatic' | 'manual'; readonly delay?: number };
  readonly customerId?: string;
  readonly redirectUrl?: string;
  readonly callbackUrl?: string;
  readonly recurring?: Recurring;
  readonly metadata?: Record<string, string>;
}

export interface VerifyRequestBody {
  readonly merchantId: number;
  readonly referenceId: string;
  readonly invoiceNumber?: string;
  readonly amount: { readonly currency: string };
  readonly paymentMethod: PaymentMethodBody;
  readonly browserDetails?: BrowserDetails;
  readonly metadata?: Record<string, string>;
}

export const referenceText = () => text(limits.referenceLengthMax);
export const merchantIdField = () => Joi.int32().min(1).description('Merchant receiving the payment.');

const invoiceNumber = () =>
  withErrorCode('payment-invalid-invoice-number', text(limits.invoiceLengthMax)).description('Your invoice number.');

const COLOR_DEPTHS: readonly number[] = limits.browserColorDepths;

function checkColorDepth(bits: number, helpers: CustomHelpers): unknown {
  const reason = `must be one of ${COLOR_DEPTHS.join(', ')}`;
  return COLOR_DEPTHS.includes(bits) ? bits : helpers.error('field.invalid', { reason });
}

/** Browser details that EMV 3DS asks for, in its ranges (docs/threeds-server.md#browser). */
const emvBrowserFields = () => ({
  acceptHeader: nullable(
    Joi.string()
      .max(limits.browserAcceptLengthMax)
      .pattern(/^[\x20-\x7e]+$/, 'printable ASCII'),
  ).description('`Accept` header of the payer’s browser.'),
  language: nullable(
    Joi.string()
      .max(limits.browserLanguageLengthMax)
      .pattern(/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/, 'a language tag of BCP 47'),
  ).description('`navigator.language`, at most 8 characters.'),
  javascriptEnabled: nullable(Joi.boolean().strict()).description('Default true.'),
  javaEnabled: nullable(Joi.boolean().strict()).description('`navigator.javaEnabled()`.'),
  colorDepth: nullable(
    Joi.int32().min(1).max(limits.browserColorDepthMax).custom(checkColorDepth, 'color depth'),
  ).description('`screen.colorDepth`: 1, 4, 8, 15, 16, 24, 32 or 48; of another value, the next lower one.'),
  screenHeight: nullable(Joi.int32().min(0).max(limits.browserScreenMax)).description('`screen.height`.'),
  screenWidth: nullable(Joi.int32().min(0).max(limits.browserScreenMax)).description('`screen.width`.'),
  timeZoneOffset: nullable(
    Joi.int32().min(-limits.browserOffsetMinutesMax).max(limits.browserOffsetMinutesMax),
  ).description('`new Date().getTimezoneOffset()`: minutes, positive west of UTC.'),
  challengeWindowSize: nullable(Joi.string().valid(...challengeWindowSizes)).description(
    'Window that a challenge is shown in: 01 250 × 400, 02 390 × 400, 03 500 × 600, 04 600 × 400, 05 (default) the whole one.',
  ),
});

export const browserDetailsSchema = named(
  'BrowserDetails',
  withErrorCode(
    'invalid-browser-details',
    body({
      ipAddress: nullable(Joi.string().ip({ version: ['ipv4', 'ipv6'], cidr: 'forbidden' })),
      userAgent: nullable(text(limits.userAgentLengthMax)),
      deviceFingerprint: nullable(text(limits.textLengthMax)),
      device: nullable(text(limits.textLengthMax)),
      operativeSystem: nullable(text(limits.textLengthMax)),
      ...emvBrowserFields(),
    }),
  ),
);

export const itemSchema = named(
  'PaymentRequestItem',
  body({
    referenceId: nullable(referenceText()),
    name: text(limits.nameLengthMax).required(),
    description: nullable(text(limits.textLengthMax)),
    quantity: Joi.int32().min(1).required(),
    price: shownDecimal().required(),
    discount: nullable(shownDecimal()),
    tax: nullable(body({ amount: shownDecimal().required(), currency: currencyText().required() })),
    metadata: nullable(metadata()),
  }),
);

function checkCapture(capture: NonNullable<PaymentRequestBody['capture']>, helpers: CustomHelpers): unknown {
  if (capture.method === 'manual' && capture.delay !== undefined) {
    return fieldError(helpers, 'delay', 'is only allowed with automatic capture');
  }
  return capture;
}

const captureSchema = body({
  method: Joi.string().valid('automatic', 'manual').description('Absent means automatic.'),
  delay: Joi.int32().min(0).max(limits.captureDelaySecondsMax).description('Seconds until the automatic capture.'),
}).custom(checkCapture, 'capture');

/** Refuses an earlier payment with type `initial`: the payer is present, so a later charge was probably meant. */
function checkRecurring(recurring: Recurring, helpers: CustomHelpers): unknown {
  if (recurring.type === 'initial' && recurring.initialPaymentId !== undefined) {
    return fieldError(helpers, 'initialPaymentId', 'is only allowed with type subsequent');
  }
  return recurring;
}

const recurringSchema = named(
  'Recurring',
  body({
    type: Joi.string().valid('initial', 'subsequent').required(),
    initialPaymentId: nullable(text(limits.idLengthMax)).description('Only with type `subsequent`.'),
    frequency: nullable(Joi.string().valid('daily', 'weekly', 'monthly', 'yearly', 'unscheduled')),
    reason: nullable(Joi.string().valid(...recurringReasons)).description(
      'Why the card is charged again, as the card networks ask. Absent: `recurring` with a frequency of days to years, else `unscheduled`.',
    ),
    expiresAt: nullable(Joi.dateTime()),
  }).custom(checkRecurring, 'recurring'),
);

/** Fields without a meaning for a bank transfer, where the payer's bank sends the money at once. */
export const cardOnlyFields = [
  'recurring',
  'statementDescriptor',
  'installmentPlan',
  'allowPartialApproval',
  'exemption',
] as const satisfies readonly (keyof PaymentRequestBody)[];

function checkFlow(request: PaymentRequestBody, helpers: CustomHelpers): unknown {
  const transfer = request.paymentMethod.source === 'bank-transfer';
  if (!transfer) {
    return request.flow === 'pos'
      ? fieldError(helpers, 'flow', 'must not be pos without source bank-transfer')
      : request;
  }
  if (request.flow !== 'pos') return fieldError(helpers, 'flow', 'must be pos with source bank-transfer');
  // `allowPartialApproval: false` asks for nothing that a bank transfer lacks.
  const other = cardOnlyFields.find((name) => request[name] !== undefined && request[name] !== false);
  if (other) return fieldError(helpers, other, 'is only allowed with cards');
  if ((request.installments ?? 1) > 1) return fieldError(helpers, 'installments', 'is only allowed with cards');
  const { method, delay = 0 } = request.capture ?? {};
  return method === 'manual' || delay > 0
    ? fieldError(helpers, 'capture', 'must be automatic and immediate with source bank-transfer')
    : request;
}

export const paymentRequestSchema = named(
  'PaymentRequest',
  body<PaymentRequestBody>({
    merchantId: merchantIdField().required(),
    flow: nullable(Joi.string().valid('direct', 'pos')).description('`pos` is for source `bank-transfer`.'),
    referenceId: referenceText().required().description('Unique per payment attempt.'),
    invoiceNumber: invoiceNumber().required(),
    paymentMethod: paymentMethodSchema.required(),
    items: nullable(Joi.array().items(itemSchema).max(limits.itemsMax)),
    installments: Joi.int32().min(1).max(limits.installmentsMax),
    installmentPlan: nullable(text(limits.installmentPlanLengthMax)).description(
      'Code of the installment plan at the acquirer, where it has several.',
    ),
    allowPartialApproval: nullable(Joi.boolean().strict()).description(
      'Take what the issuer approves, even if it is less than the total. Absent or false: a partial approval is reversed and the payment is denied.',
    ),
    exemption: nullable(Joi.string().valid(...exemptions)).description(
      'Exemption from strong customer authentication that you claim. It goes to the issuer; whether the payer is authenticated is decided by the 3DS settings.',
    ),
    amount: amountSchema.required(),
    browserDetails: nullable(browserDetailsSchema),
    statementDescriptor: nullable(text(limits.shortTextLengthMax)),
    capture: nullable(captureSchema),
    customerId: nullable(text(limits.idLengthMax)),
    redirectUrl: urlField().description('Where the payer returns after a redirect.'),
    callbackUrl: urlField().description('Receives the payment by POST when it changes after the response.'),
    recurring: nullable(recurringSchema),
    metadata: nullable(metadata()),
  }).custom(checkFlow, 'flow'),
);

export const verifyRequestSchema = named(
  'VerifyRequest',
  body<VerifyRequestBody>({
    merchantId: merchantIdField().required(),
    referenceId: referenceText().required(),
    invoiceNumber: nullable(invoiceNumber()),
    amount: body({
      currency: currencyText().required().description('USD (1 is verified) or UYU (25).'),
    }).required(),
    paymentMethod: verifiedMethodSchema.required(),
    browserDetails: nullable(browserDetailsSchema),
    metadata: nullable(metadata()),
  }),
);
