/** Body of `POST /v1/payment-links` (docs/api.md#payment-links; docs/decisions.md, "Sessions and links"). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { amountSchema, currencyText } from '../../shared/contract/amount.schema.js';
import { shownDecimal } from '../../shared/contract/decimal.schema.js';
import { body, fieldErrors, Joi, named, nullable, text, withErrorCode } from '../../shared/contract/joi.js';
import { amountProblems, parseAmount, toDecimalText } from '../../shared/domain/money/amount.js';
import { boundProblem, isWithin } from '../../shared/domain/money/amount-range.js';
import type { PaymentAmount } from '../../shared/domain/payment/payment.js';
import {
  ANY_METHOD,
  type LinkSettings,
  type LinkType,
  linkTypes,
} from '../../shared/domain/payment-link/payment-link.js';
import type { SplitDestination } from '../../shared/domain/payment-link/split.js';
import { paymentMethodIds } from '../../shared/domain/payment-method-catalog.js';
import { urlField } from '../http/url-field.js';
import { type ItemBody, itemSchema, merchantIdField } from '../payments/payment-request.schema.js';
import { splitDestinationsSchema } from './split.schema.js';

export interface PaymentLinkBody {
  readonly merchantId: number;
  readonly type: LinkType;
  readonly amount?: PaymentAmount;
  readonly settings: Omit<LinkSettings, 'skipPreCheckout'> & { readonly skipPreCheckout?: boolean };
  readonly validFrom?: Date;
  readonly validUntil?: Date;
  readonly displayName?: string;
  readonly description?: string;
  readonly items?: readonly ItemBody[];
  readonly splitDestinations?: readonly SplitDestination[];
}

const methodIds: readonly string[] = paymentMethodIds;
const decimal = () => withErrorCode('payment-invalid-amount', shownDecimal());
const list = (values: readonly string[]) =>
  Joi.array()
    .items(Joi.string().valid(...values))
    .min(1)
    .unique();
const counts = () =>
  Joi.array().items(Joi.int32().min(1).max(limits.installmentsMax)).min(1).max(limits.installmentChoicesMax).unique();

const flexibleAmount = body({
  minAmount: nullable(decimal()),
  maxAmount: nullable(decimal()),
  suggestedAmount: nullable(decimal()).description('Prefilled on the page.'),
  allowedCurrencies: nullable(
    Joi.array().items(currencyText()).min(1).max(limits.linkCurrenciesMax).unique(),
  ).description('Absent: the currency of `amount`, else the merchant’s `defaultCurrency`.'),
});

const settings = named(
  'PaymentLinkSettings',
  body({
    amountMode: Joi.string().valid('fixed', 'flexible').required(),
    paymentMethodTypes: nullable(list(['card', 'bank-transfer'])).description(
      'Absent: every type the merchant supports.',
    ),
    paymentMethods: nullable(list(methodIds)).description('Absent: every configured method.'),
    installments: nullable(
      Joi.object(Object.fromEntries([...methodIds, ANY_METHOD].map((id) => [id, counts()]))),
    ).description(
      'Allowed numbers of payments by payment method; `*` is for all other methods. One payment is always allowed, and nothing else where this is absent.',
    ),
    callbackUrl: urlField().description('Overrides the merchant’s `notificationUrl`.'),
    flexibleAmount: nullable(flexibleAmount).description('Only with `flexible`.'),
    skipPreCheckout: nullable(Joi.boolean().strict()).description('Straight to the checkout. Absent means false.'),
  }),
);

interface Problem {
  readonly field: string;
  readonly reason: string;
  readonly code: 'request-validation-errors' | 'payment-invalid-amount';
}

const refused = (field: string, reason: string): Problem => ({ field, reason, code: 'request-validation-errors' });
const wrongAmount = (field: string, reason: string): Problem => ({ field, reason, code: 'payment-invalid-amount' });
const FLEXIBLE = 'settings.flexibleAmount';

/** Checks that a flexible amount is consistent. @param currencies currencies of the link, when the request names none */
export function flexibleProblems(
  { amount, settings: { flexibleAmount: bounds } }: PaymentLinkBody,
  currencies: readonly string[] = [],
): Problem[] {
  if (!bounds) return [];
  const { suggestedAmount, allowedCurrencies } = bounds;
  if (amount && allowedCurrencies && !allowedCurrencies.includes(amount.currency)) {
    return [refused('amount.currency', 'is not one of the allowed currencies')];
  }
  const wrong = boundProblem(bounds, allowedCurrencies ?? (amount ? [amount.currency] : currencies));
  if (wrong) return [wrongAmount(`${FLEXIBLE}.${wrong.bound}`, wrong.reason)];
  const suggestion = suggestedAmount ?? (amount && toDecimalText(amount.totalMinor, amount.currency));
  if (suggestion === undefined) return [];
  const field = suggestedAmount === undefined ? 'amount.total' : `${FLEXIBLE}.suggestedAmount`;
  const currency = amount?.currency ?? (allowedCurrencies ?? currencies)[0];
  const parsed = currency === undefined ? undefined : parseAmount(suggestion, currency);
  return [
    ...(isWithin(suggestion, bounds) ? [] : [wrongAmount(field, 'is outside the allowed range')]),
    ...(parsed?.kind === 'problem' ? [wrongAmount(field, amountProblems[parsed.problem])] : []),
  ];
}

function problemsOf(link: PaymentLinkBody): Problem[] {
  const { settings: said, amount, validFrom, validUntil } = link;
  const fixed = said.amountMode === 'fixed';
  return [
    ...(fixed && !amount ? [refused('amount', 'is required for a fixed amount')] : []),
    ...(fixed && said.flexibleAmount ? [refused(FLEXIBLE, 'is only allowed with amountMode flexible')] : []),
    ...(validFrom && validUntil && validUntil <= validFrom
      ? [refused('validUntil', 'must be later than validFrom')]
      : []),
    ...(fixed ? [] : flexibleProblems(link)),
  ];
}

function checkTogether(link: PaymentLinkBody, helpers: CustomHelpers): unknown {
  const problems = problemsOf(link);
  return problems.length === 0 ? link : fieldErrors(helpers, problems);
}

export const paymentLinkRequestSchema = named(
  'PaymentLinkRequest',
  body<PaymentLinkBody>({
    merchantId: merchantIdField().required(),
    type: Joi.string()
      .valid(...linkTypes)
      .required()
      .description('`one-time`: one successful payment. `quick-pay`: amount and card on one page.'),
    amount: nullable(amountSchema).description('Required for a fixed amount; a suggestion for a flexible one.'),
    settings: settings.required(),
    validFrom: nullable(Joi.dateTime()).description('Absent: immediately.'),
    validUntil: nullable(Joi.dateTime()).description(
      'Absent: no end, unless the merchant has `defaultExpirationMinutes`.',
    ),
    displayName: nullable(text(limits.linkNameLengthMax)).description('Heading of the page.'),
    description: nullable(text(limits.textLengthMax)),
    items: nullable(Joi.array().items(itemSchema).max(limits.itemsMax)).description('Shown before the checkout.'),
    splitDestinations: nullable(splitDestinationsSchema),
  }).custom(checkTogether, 'link'),
);

/** Body of `PUT /v1/payment-links/settings`. */
export interface LinkSettingsBody {
  readonly merchantId: number;
  readonly defaultExpirationMinutes?: number;
  readonly defaultCurrency?: string;
  readonly notificationUrl?: string;
  readonly businessUrlName?: string;
  readonly quickPayEnabled?: boolean;
}

function checkName(name: string, helpers: CustomHelpers): unknown {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)
    ? name
    : helpers.error('field.invalid', { reason: 'must be lowercase letters, digits and single hyphens between them' });
}

export const linkSettingsRequestSchema = named(
  'PaymentLinkMerchantSettingsRequest',
  body<LinkSettingsBody>({
    merchantId: merchantIdField().required(),
    defaultExpirationMinutes: nullable(Joi.int32().min(1)).description('For links without `validUntil`.'),
    defaultCurrency: nullable(currencyText()).description('For flexible amounts without currencies.'),
    notificationUrl: urlField().description('For links without `settings.callbackUrl`.'),
    businessUrlName: nullable(text(limits.businessNameLengthMax).min(3).custom(checkName, 'name')).description(
      'Unique in the installation: `{links_url}/m/{name}` opens the newest active quick-pay link.',
    ),
    quickPayEnabled: nullable(Joi.boolean().strict()).description('Absent means true.'),
  }),
);
