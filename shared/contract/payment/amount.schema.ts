/** `amount` of a payment request: decimals in, minor units out (contract, "PaymentAmount"; docs/decisions.md, "money"). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../../config/limits.js';
import { type AmountProblem, amountProblems, parseAmount, toDecimal } from '../../domain/money/amount.js';
import { findCurrency } from '../../domain/money/currency.js';
import type { AmountDetails, NamedAmount, PaymentAmount, TaxDetail } from '../../domain/payment/payment.js';
import type { ErrorCode } from '../error-catalogue.js';
import { body, fieldError, Joi, named, text, withErrorCode } from '../joi.js';

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
    readonly tax?: { readonly type: TaxDetail['type']; readonly amount?: string; readonly rate?: string };
    readonly taxedAmount?: string;
    readonly tip?: NamedText;
    readonly discount?: NamedText;
    readonly shipping?: NamedText;
  };
}

class FieldProblem extends Error {
  constructor(
    readonly field: string,
    readonly reason: string,
    readonly code: ErrorCode = 'payment-invalid-amount',
  ) {
    super(field);
  }
}

const codeOf = (problem: AmountProblem): ErrorCode =>
  problem === 'unknown-currency' ? 'currency-not-found' : 'payment-invalid-amount';

function minorOf(value: string, currency: string, field: string, zeroAllowed: boolean): number {
  const parsed = parseAmount(value, currency, { zeroAllowed });
  if (parsed.kind === 'amount') return parsed.minor;
  throw new FieldProblem(field, amountProblems[parsed.problem], codeOf(parsed.problem));
}

function namedMinor(group: NamedText | undefined, currency: string, field: string): NamedAmount | undefined {
  if (!group) return undefined;
  const amountMinor = minorOf(group.amount, currency, `${field}.amount`, true);
  return { amountMinor, ...(group.description !== undefined && { description: group.description }) };
}

function taxOf(tax: NonNullable<AmountText['details']>['tax'], currency: string): TaxDetail | undefined {
  if (!tax) return undefined;
  return {
    type: tax.type,
    ...(tax.amount !== undefined && { amountMinor: minorOf(tax.amount, currency, 'details.tax.amount', true) }),
    ...(tax.rate !== undefined && { rate: tax.rate }),
  };
}

/** Drops members that are absent, so that stored documents have no empty ones. */
const present = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;

function detailsOf(amount: AmountText): AmountDetails | undefined {
  const { details, currency } = amount;
  if (!details) return undefined;
  return present({
    tax: taxOf(details.tax, currency),
    taxedAmountMinor:
      details.taxedAmount === undefined
        ? undefined
        : minorOf(details.taxedAmount, currency, 'details.taxedAmount', true),
    tip: namedMinor(details.tip, currency, 'details.tip'),
    discount: namedMinor(details.discount, currency, 'details.discount'),
    shipping: namedMinor(details.shipping, currency, 'details.shipping'),
  }) as AmountDetails;
}

/** Parts of the total that are given at the top and in `details` must agree, and none may exceed the total. */
function checkParts(amount: PaymentAmount): void {
  const { details, totalMinor } = amount;
  const pairs = [
    ['tip', amount.tipMinor, details?.tip?.amountMinor],
    ['tax', amount.taxMinor, details?.tax?.amountMinor],
    ['taxedAmount', amount.taxedAmountMinor, details?.taxedAmountMinor],
  ] as const;
  for (const [field, top, detailed] of pairs) {
    if (top !== undefined && detailed !== undefined && top !== detailed) {
      throw new FieldProblem(field, 'does not agree with amount.details', 'request-validation-errors');
    }
    if ((top ?? 0) > totalMinor) throw new FieldProblem(field, 'must not be more than amount.total');
    if ((detailed ?? 0) > totalMinor) throw new FieldProblem(`details.${field}`, 'must not be more than amount.total');
  }
}

function toPaymentAmount(amount: AmountText): PaymentAmount {
  const { currency } = amount;
  const part = (field: 'tip' | 'tax' | 'taxedAmount') => {
    const value = amount[field];
    return value === undefined ? undefined : minorOf(value, currency, field, true);
  };
  const result = present({
    totalMinor: minorOf(amount.total, currency, 'total', false),
    currency,
    tipMinor: part('tip'),
    taxMinor: part('tax'),
    taxedAmountMinor: part('taxedAmount'),
    details: detailsOf(amount),
  }) as PaymentAmount;
  checkParts(result);
  return result;
}

function parseAmountObject(amount: AmountText, helpers: CustomHelpers): unknown {
  if (!findCurrency(amount.currency)) {
    return fieldError(helpers, 'currency', 'is not an ISO 4217 currency code', 'currency-not-found');
  }
  try {
    return toPaymentAmount(amount);
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return fieldError(helpers, error.field, error.reason, error.code);
  }
}

const invalidAmount = <S extends Parameters<typeof withErrorCode>[1]>(schema: S) =>
  withErrorCode('payment-invalid-amount', schema) as S;
const decimal = () => invalidAmount(Joi.decimalText());
const namedAmount = () => body({ amount: decimal().required(), description: text(limits.textLengthMax) });

export const currencyText = () => withErrorCode('currency-not-found', text(3).length(3));

const taxSchema = body({
  type: Joi.string().valid('17934', '19210', 'none').required(),
  amount: decimal(),
  rate: Joi.decimalText().description('Decimal fraction, for example 0.22.'),
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

/** `details` as it is echoed. */
export function presentDetails(details: AmountDetails | undefined, currency: string): object | undefined {
  if (!details) return undefined;
  return present({
    tax:
      details.tax &&
      present({
        type: details.tax.type,
        amount: presentPart(details.tax.amountMinor, currency),
        rate: details.tax.rate === undefined ? undefined : Number(details.tax.rate),
      }),
    taxedAmount: presentPart(details.taxedAmountMinor, currency),
    tip: presentNamed(details.tip, currency),
    discount: presentNamed(details.discount, currency),
    shipping: presentNamed(details.shipping, currency),
  });
}

/** The parts of an amount that are shown beside `total`. */
export function presentParts(amount: PaymentAmount): object {
  return present({
    tip: presentPart(amount.tipMinor, amount.currency),
    tax: presentPart(amount.taxMinor, amount.currency),
    taxedAmount: presentPart(amount.taxedAmountMinor, amount.currency),
    details: presentDetails(amount.details, amount.currency),
  });
}
