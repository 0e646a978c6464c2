/** `amount` of a payment request: decimals in, minor units out (docs/api.md#money; docs/decisions.md, "money"). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { defined } from '../domain/defined.js';
import { type AmountProblem, amountProblems, parseAmount, toDecimal } from '../domain/money/amount.js';
import { findCurrency } from '../domain/money/currency.js';
import type { AmountDetails, NamedAmount, PaymentAmount, TaxDetail } from '../domain/payment/payment.js';
import { fraction } from './decimal.schema.js';
import type { ErrorCode } from './error-catalogue.js';
import { body, fieldErrors, Joi, named, text, withErrorCode } from './joi.js';

interface NamedText {
  readonly amount: string;
  readonly description?: string;
}

/** The amount as sent, each decimal still text. */
interface AmountText {
  readonly total: string;
  readonly currency: string;
  readonly tip?: string;
  readonly tax?: string;
  readonly taxedAmount?: string;
  readonly details?: {
    readonly tax?: {
      readonly type: TaxDetail['type'] | 17934 | 19210;
      readonly amount?: string;
      readonly rate?: string;
    };
    readonly taxedAmount?: string;
    readonly tip?: NamedText;
    readonly discount?: NamedText;
    readonly shipping?: NamedText;
    readonly surcharge?: NamedText;
  };
}

interface FieldProblem {
  readonly field: string;
  readonly reason: string;
  readonly code: ErrorCode;
}

const codeOf = (problem: AmountProblem): ErrorCode =>
  problem === 'unknown-currency' ? 'currency-not-found' : 'payment-invalid-amount';

/** Reads the decimals of one amount and gathers what is wrong, so that every wrong field is named. */
class AmountReader {
  readonly problems: FieldProblem[] = [];
  constructor(readonly currency: string) {}

  /** Returns minor units. An invalid value becomes 0, and the request is refused before the 0 is used. */
  minor(value: string, field: string, zeroAllowed: boolean): number {
    const parsed = parseAmount(value, this.currency, { zeroAllowed });
    if (parsed.kind === 'amount') return parsed.minor;
    this.refuse(field, amountProblems[parsed.problem], codeOf(parsed.problem));
    return 0;
  }

  optional(value: string | undefined, field: string): number | undefined {
    return value === undefined ? undefined : this.minor(value, field, true);
  }

  refuse(field: string, reason: string, code: ErrorCode = 'payment-invalid-amount'): void {
    this.problems.push({ field, reason, code });
  }
}

function namedMinor(group: NamedText | undefined, reader: AmountReader, field: string): NamedAmount | undefined {
  if (!group) return undefined;
  const amountMinor = reader.minor(group.amount, `${field}.amount`, true);
  return { amountMinor, ...(group.description !== undefined && { description: group.description }) };
}

function taxOf(tax: NonNullable<AmountText['details']>['tax'], reader: AmountReader): TaxDetail | undefined {
  if (!tax) return undefined;
  return {
    type: String(tax.type) as TaxDetail['type'],
    ...(tax.amount !== undefined && { amountMinor: reader.minor(tax.amount, 'details.tax.amount', true) }),
    ...(tax.rate !== undefined && { rate: tax.rate }),
  };
}

function detailsOf({ details }: AmountText, reader: AmountReader): AmountDetails | undefined {
  if (!details) return undefined;
  return defined({
    tax: taxOf(details.tax, reader),
    taxedAmountMinor: reader.optional(details.taxedAmount, 'details.taxedAmount'),
    tip: namedMinor(details.tip, reader, 'details.tip'),
    discount: namedMinor(details.discount, reader, 'details.discount'),
    shipping: namedMinor(details.shipping, reader, 'details.shipping'),
    surcharge: namedMinor(details.surcharge, reader, 'details.surcharge'),
  });
}

/** Checks that parts of the total given both at the top and in `details` agree, and that none exceeds the total. */
function checkParts(amount: PaymentAmount, reader: AmountReader): void {
  const { details, totalMinor } = amount;
  const pairs = [
    ['tip', amount.tipMinor, 'details.tip.amount', details?.tip?.amountMinor],
    ['tax', amount.taxMinor, 'details.tax.amount', details?.tax?.amountMinor],
    ['taxedAmount', amount.taxedAmountMinor, 'details.taxedAmount', details?.taxedAmountMinor],
    ['surcharge', undefined, 'details.surcharge.amount', details?.surcharge?.amountMinor],
  ] as const;
  for (const [field, top, detailField, detailed] of pairs) {
    if (top !== undefined && detailed !== undefined && top !== detailed) {
      reader.refuse(field, 'does not agree with amount.details', 'request-validation-errors');
    }
    if ((top ?? 0) > totalMinor) reader.refuse(field, 'must not be more than amount.total');
    if ((detailed ?? 0) > totalMinor) reader.refuse(detailField, 'must not be more than amount.total');
  }
}

function toPaymentAmount(amount: AmountText, reader: AmountReader): PaymentAmount {
  const result = defined({
    totalMinor: reader.minor(amount.total, 'total', false),
    currency: amount.currency,
    tipMinor: reader.optional(amount.tip, 'tip'),
    taxMinor: reader.optional(amount.tax, 'tax'),
    taxedAmountMinor: reader.optional(amount.taxedAmount, 'taxedAmount'),
    details: detailsOf(amount, reader),
  });
  if (reader.problems.length === 0) checkParts(result, reader);
  return result;
}

function parseAmountObject(amount: AmountText, helpers: CustomHelpers): unknown {
  const reader = new AmountReader(amount.currency);
  const parsed = toPaymentAmount(amount, reader);
  if (reader.problems.length === 0) return parsed;
  return fieldErrors(helpers, reader.problems);
}

function checkCurrency(currency: string, helpers: CustomHelpers): unknown {
  return findCurrency(currency)
    ? currency
    : helpers.error('field.invalid', { reason: 'is not an ISO 4217 currency code in uppercase, such as USD' });
}

const invalidAmount = <S extends Parameters<typeof withErrorCode>[1]>(schema: S) =>
  withErrorCode('payment-invalid-amount', schema) as S;
const decimal = () => invalidAmount(Joi.decimalText());
const namedAmount = () => body({ amount: decimal().required(), description: text(limits.textLengthMax) });

export const currencyText = () =>
  withErrorCode('currency-not-found', text(3).length(3).custom(checkCurrency, 'currency'));

const taxSchema = body({
  type: Joi.any()
    .valid('17934', '19210', 'none', 17934, 19210)
    // Joi's own text would name each code twice: as text and as number.
    .messages({ 'any.only': '{{#label}} must be one of [17934, 19210, none]' })
    .required()
    .description('A code, as text or number; text in responses.'),
  amount: decimal(),
  rate: fraction().description('Fraction from 0 to 1, for example 0.22.'),
});

/** The handler gets a {@link PaymentAmount}. */
export const amountSchema = named(
  'PaymentAmountRequest',
  body({
    total: decimal().required().description('What the payer pays, in the currency’s own decimals.'),
    currency: currencyText().required().description('ISO 4217 alphabetic code.'),
    tip: decimal().description('Part of total.'),
    tax: decimal().description('Part of total, for tax reporting.'),
    taxedAmount: decimal().description('Taxable part of total, for tax reporting.'),
    details: body({
      tax: taxSchema,
      taxedAmount: decimal(),
      tip: namedAmount(),
      discount: namedAmount(),
      shipping: namedAmount(),
      surcharge: namedAmount().description('Part of total that is charged for the way of paying.'),
    }),
  }).custom(parseAmountObject, 'money'),
);

const presentNamed = (group: NamedAmount | undefined, currency: string) =>
  group && {
    amount: toDecimal(group.amountMinor, currency),
    ...(group.description !== undefined && { description: group.description }),
  };

const presentPart = (minor: number | undefined, currency: string) =>
  minor === undefined ? undefined : toDecimal(minor, currency);

/** Presents `details` as answers show them. */
function presentDetails(details: AmountDetails | undefined, currency: string): object | undefined {
  if (!details) return undefined;
  return defined({
    tax:
      details.tax &&
      defined({
        type: details.tax.type,
        amount: presentPart(details.tax.amountMinor, currency),
        rate: details.tax.rate === undefined ? undefined : Number(details.tax.rate),
      }),
    taxedAmount: presentPart(details.taxedAmountMinor, currency),
    tip: presentNamed(details.tip, currency),
    discount: presentNamed(details.discount, currency),
    shipping: presentNamed(details.shipping, currency),
    surcharge: presentNamed(details.surcharge, currency),
  });
}

/** Presents the parts of an amount that answers show beside `total`. */
export function presentParts(amount: PaymentAmount): object {
  return defined({
    tip: presentPart(amount.tipMinor, amount.currency),
    tax: presentPart(amount.taxMinor, amount.currency),
    taxedAmount: presentPart(amount.taxedAmountMinor, amount.currency),
    details: presentDetails(amount.details, amount.currency),
  });
}
