/** Body of `POST /v1/sessions` (docs/api.md#sessions; docs/decisions.md, "Sessions and links"). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { currencyText } from '../../shared/contract/amount.schema.js';
import { plainDecimalText, shownDecimal } from '../../shared/contract/decimal.schema.js';
import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import { body, fieldErrors, Joi, metadata, named, nullable, text, withErrorCode } from '../../shared/contract/joi.js';
import { type AmountProblem, amountProblems, parseAmount } from '../../shared/domain/money/amount.js';
import { boundProblem, isWithin } from '../../shared/domain/money/amount-range.js';
import type { BrowserDetails } from '../../shared/domain/payment/payment.js';
import {
  type CheckoutSettings,
  fieldModes,
  type SessionSettings,
  type SessionType,
  sessionFeatures,
  sessionMethodTypes,
  sessionTypes,
  type TokenizationSettings,
} from '../../shared/domain/session/session.js';
import { urlField } from '../http/url-field.js';
import { cardholderSchema } from '../payments/card.schema.js';
import { browserDetailsSchema, merchantIdField, referenceText } from '../payments/payment-request.schema.js';

/** The request body. Decimals are text, as they were sent. */
export interface SessionBody {
  readonly merchantId: number;
  readonly referenceId: string;
  readonly type: SessionType;
  readonly customerId?: string;
  readonly paymentRequest?: {
    readonly referenceId: string;
    readonly invoiceNumber: string;
    readonly installments?: number;
    readonly amount?: { readonly total?: string; readonly currency?: string };
    readonly metadata?: Record<string, string>;
  };
  readonly token?: string;
  readonly browserDetails?: BrowserDetails;
  readonly settings?: SessionSettingsBody;
}

/** The settings as they are stored, with amounts as text; everything may be left out. */
export interface SessionSettingsBody extends Partial<Omit<SessionSettings, 'tokenization' | 'checkout'>> {
  readonly tokenization?: Partial<Omit<TokenizationSettings, 'verifyFunds'>> & {
    readonly verifyFunds?: { readonly amount: string; readonly currency: string };
  };
  readonly checkout?: Partial<CheckoutSettings>;
}

interface Problem {
  readonly field: string;
  readonly reason: string;
  readonly code: ErrorCode;
}

const TOTAL = 'paymentRequest.amount.total';
const CURRENCY = 'paymentRequest.amount.currency';
const FLEXIBLE = 'settings.checkout.flexibleAmount';
const plain = (field: string, reason: string): Problem => ({ field, reason, code: 'request-validation-errors' });
const codeOf = (problem: AmountProblem): ErrorCode =>
  problem === 'unknown-currency' ? 'currency-not-found' : 'payment-invalid-amount';

function decimalProblem(field: string, total: string, currency: string): Problem[] {
  const parsed = parseAmount(total, currency);
  return parsed.kind === 'amount'
    ? []
    : [{ field, reason: amountProblems[parsed.problem], code: codeOf(parsed.problem) }];
}

function fixedProblems({ paymentRequest }: SessionBody): Problem[] {
  const { total, currency } = paymentRequest?.amount ?? {};
  const missing = [
    ...(total === undefined ? [plain(TOTAL, 'is required')] : []),
    ...(currency === undefined ? [plain(CURRENCY, 'is required')] : []),
  ];
  return total === undefined || currency === undefined ? missing : decimalProblem(TOTAL, total, currency);
}

/** Returns the currency of the amount: as sent, or the only one that a flexible amount allows. */
export function currencyOf({ paymentRequest, settings }: SessionBody): string | undefined {
  const [only, ...others] = settings?.checkout?.flexibleAmount?.allowedCurrencies ?? [];
  return paymentRequest?.amount?.currency ?? (others.length === 0 ? only : undefined);
}

/** Checks a flexible amount. Total and currency are suggestions, which must be allowed. */
function flexibleProblems(session: SessionBody): Problem[] {
  const bounds = session.settings?.checkout?.flexibleAmount;
  if (!bounds) return [plain(`${FLEXIBLE}.allowedCurrencies`, 'is required for a flexible amount')];
  const { allowedCurrencies } = bounds;
  const wrong = boundProblem(bounds, allowedCurrencies);
  if (wrong) return [plain(`${FLEXIBLE}.${wrong.bound}`, wrong.reason)];
  const { total, currency } = session.paymentRequest?.amount ?? {};
  if (currency !== undefined && !allowedCurrencies.includes(currency)) {
    return [plain(CURRENCY, 'is not one of the allowed currencies')];
  }
  const meant = currencyOf(session);
  if (total === undefined) return [];
  if (meant === undefined) return [plain(CURRENCY, 'is required with total where several currencies are allowed')];
  const outside: Problem = { field: TOTAL, reason: 'is outside the allowed range', code: 'payment-invalid-amount' };
  return [...decimalProblem(TOTAL, total, meant), ...(isWithin(total, bounds) ? [] : [outside])];
}

function checkoutProblems(session: SessionBody): Problem[] {
  if (!session.paymentRequest) return [plain('paymentRequest', 'is required for a checkout')];
  return session.settings?.checkout?.amountMode === 'flexible' ? flexibleProblems(session) : fixedProblems(session);
}

function tokenizationProblems({ paymentRequest, token, settings }: SessionBody): Problem[] {
  const transfer = settings?.paymentMethodTypes?.includes('bank-transfer') === true;
  return [
    ...(transfer ? [plain('settings.paymentMethodTypes', 'bank-transfer is only allowed for a checkout')] : []),
    ...(paymentRequest ? [plain('paymentRequest', 'is only allowed for a checkout')] : []),
    ...(token === undefined ? [] : [plain('token', 'is only allowed for a checkout')]),
  ];
}

/** Checks `verifyFunds`. A checkout may send it too: it is stored with the session. */
function verificationProblems({ settings }: SessionBody): Problem[] {
  const { verifyFunds } = settings?.tokenization ?? {};
  if (!verifyFunds) return [];
  return decimalProblem('settings.tokenization.verifyFunds.amount', verifyFunds.amount, verifyFunds.currency);
}

function checkTogether(session: SessionBody, helpers: CustomHelpers): unknown {
  const ofType = session.type === 'checkout' ? checkoutProblems(session) : tokenizationProblems(session);
  const problems = [...ofType, ...verificationProblems(session)];
  return problems.length === 0 ? session : fieldErrors(helpers, problems);
}

const decimal = () => withErrorCode('payment-invalid-amount', plainDecimalText());
const bound = () => withErrorCode('payment-invalid-amount', shownDecimal());
const list = (values: readonly string[]) =>
  Joi.array()
    .items(Joi.string().valid(...values))
    .min(1)
    .unique();

const paymentRequest = named(
  'SessionPaymentRequest',
  body({
    referenceId: referenceText()
      .required()
      .description('Reference of the payment, reserved for the attempts of the session.'),
    invoiceNumber: withErrorCode('payment-invalid-invoice-number', text(limits.invoiceLengthMax)).required(),
    installments: nullable(Joi.int32().min(1).max(limits.installmentsMax)),
    amount: nullable(
      body({
        total: nullable(decimal()).description('Required unless the amount is flexible; then a suggestion.'),
        currency: nullable(currencyText()).description('Required unless the amount is flexible.'),
      }),
    ),
    metadata: nullable(metadata()),
  }),
);

const tokenization = body({
  type: nullable(Joi.string().valid('store', 'temporal')).description('Default `temporal` (one day).'),
  allowedCardTypes: nullable(list(['credit', 'debit'])).description('Absent: all.'),
  features: nullable(
    Joi.array()
      .items(Joi.string().valid(...sessionFeatures))
      .unique(),
  ).description('What the payer can do with the customer’s saved cards. Absent: everything.'),
  verifyFunds: nullable(
    body({
      amount: decimal().required().description('Authorized and released immediately.'),
      currency: withErrorCode('currency-not-found', Joi.string().valid('USD', 'UYU')).required(),
    }),
  ),
  fields: nullable(
    body({
      cvc: nullable(Joi.string().valid(...fieldModes)),
      cardholder: nullable(Joi.string().valid(...fieldModes)),
    }),
  ),
  cardholder: nullable(cardholderSchema).description('Prefilled in the form.'),
});

const checkout = body({
  amountMode: nullable(Joi.string().valid('fixed', 'flexible')).description('Absent means fixed.'),
  disableThreeds: nullable(Joi.boolean().strict()).description('Skips 3D Secure for payments of this session.'),
  flexibleAmount: nullable(
    body({
      allowedCurrencies: Joi.array().items(currencyText()).min(1).max(limits.sessionListItemsMax).unique().required(),
      minAmount: nullable(bound()),
      maxAmount: nullable(bound()),
    }),
  ),
  walletIntegrations: nullable(
    body({
      walletAPay: nullable(
        body({
          enabled: nullable(Joi.boolean().strict()),
          mode: nullable(Joi.string().valid('hosted', 'api', 'both')).description(
            'Read only: the gateway fills it in.',
          ),
          dynamicShipping: nullable(Joi.boolean().strict()).description(
            'The wallet asks the payer for a shipping address. Refused when the installation has no wallet script.',
          ),
        }),
      ),
    }),
  ),
});

export const sessionRequestSchema = named(
  'SessionRequest',
  body<SessionBody>({
    merchantId: merchantIdField().required(),
    referenceId: referenceText().required().description('Unique per session.'),
    type: Joi.string()
      .valid(...sessionTypes)
      .required(),
    customerId: nullable(text(limits.idLengthMax)),
    paymentRequest: nullable(paymentRequest),
    token: nullable(text(limits.idLengthMax)).description('Saved card to pay with: the payer enters only its cvc.'),
    browserDetails: nullable(browserDetailsSchema),
    settings: nullable(
      named(
        'SessionSettings',
        body({
          paymentMethodTypes: nullable(list(sessionMethodTypes)).description('Absent: every type the merchant has.'),
          tokenization: nullable(tokenization),
          checkout: nullable(checkout),
          callbacks: nullable(
            body({
              paymentCallbackUrl: urlField().description('Receives the payment by POST at each change.'),
              tokenizationCallbackUrl: urlField().description('Receives the tokenization result by POST.'),
            }),
          ),
          redirects: nullable(
            body({
              defaultUrl: urlField().description('Where the payer goes immediately after success.'),
              cancelUrl: urlField().description('Where the payer goes immediately after cancelling.'),
              receipt: nullable(Joi.boolean().strict()).description(
                'True: after success the payer first sees a receipt with a button to `defaultUrl`.',
              ),
            }),
          ),
        }),
      ),
    ),
  }).custom(checkTogether, 'session'),
);
