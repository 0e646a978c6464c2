/** Split destinations of a payment link (docs/api.md#splits). */
import { Decimal } from 'decimal.js';
import type { ArraySchema, CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { fraction, shownDecimal } from '../../shared/contract/decimal.schema.js';
import {
  body,
  fieldError,
  Joi,
  jsonMetadata,
  named,
  nullable,
  shownJsonMetadata,
  text,
} from '../../shared/contract/joi.js';
import type { SplitDestination, SplitRule } from '../../shared/domain/payment-link/split.js';

const HUNDRED = 100;

function checkRule({ type, value }: { type: SplitRule['type']; value?: string }, helpers: CustomHelpers): unknown {
  if (type === 'residual') {
    return value === undefined ? { type } : fieldError(helpers, 'value', 'must be null for a residual');
  }
  if (value === undefined) return fieldError(helpers, 'value', 'is required unless the rule is residual');
  if (type === 'percentage' && new Decimal(value).gt(HUNDRED))
    return fieldError(helpers, 'value', 'must be from 0 to 100');
  if (type === 'fixed' && new Decimal(value).isZero()) return fieldError(helpers, 'value', 'must be greater than 0');
  return { type, value };
}

const amountRule = named(
  'SplitAmountRule',
  body({
    type: Joi.string()
      .valid('percentage', 'fixed', 'residual')
      .required()
      .description('`fixed` first, then `percentage` rounded down to the minor unit, then `residual` gets the rest.'),
    value: nullable(shownDecimal()).description(
      'Percent of the total (0 to 100), or an amount in the currency of the payment; null for a residual.',
    ),
  }).custom(checkRule, 'rule'),
);

const vatRule = named(
  'SplitVatRule',
  body({
    type: Joi.string()
      .valid('included', 'excluded', 'exempt')
      .required()
      .description('`excluded`: the percentage applies to the total without tax.'),
    rate: nullable(fraction()).description(
      'Fraction from 0 to 1, for example 0.22. Used to compute the tax in the total when the payment has none. Absent: the rate in `details.tax` of the amount.',
    ),
  }),
);

const splitDestinationSchema = named(
  'SplitDestination',
  body({
    destinationMerchantId: Joi.int32().min(1).required().description('Your merchant that receives the part.'),
    subMerchantReference: nullable(text(limits.referenceLengthMax)).description('Your own reference of the part.'),
    amountRule: amountRule.required(),
    vatRule: nullable(vatRule),
    routingMetadata: nullable(jsonMetadata()).description('Your own data. Objects and arrays are kept as sent.'),
  }),
);

const sumOf = (destinations: readonly SplitDestination[], type: SplitRule['type']) =>
  destinations.reduce(
    (sum, { amountRule: rule }) => (rule.type === type && 'value' in rule ? sum.plus(rule.value) : sum),
    new Decimal(0),
  );

/** Whether a rule is valid by itself. An invalid rule is reported at its own field; only valid rules are checked together. */
function isRule(rule: Partial<SplitRule> | null | undefined): boolean {
  if (rule?.type === 'residual') return true;
  const value = rule && 'value' in rule ? rule.value : undefined;
  return typeof value === 'string' && (rule?.type === 'fixed' || new Decimal(value).lte(HUNDRED));
}

function checkTogether(destinations: readonly SplitDestination[], helpers: CustomHelpers): unknown {
  if (!destinations.every((destination) => isRule(destination?.amountRule))) return destinations;
  const residuals = destinations.filter(({ amountRule: rule }) => rule.type === 'residual').length;
  const problems = [
    ...(residuals > 1 ? ['must hold at most one residual'] : []),
    ...(sumOf(destinations, 'percentage').gt(HUNDRED) ? ['has percentages that add up to more than 100'] : []),
  ];
  const [reason] = problems;
  return reason === undefined ? destinations : helpers.error('field.invalid', { reason });
}

/** An empty array: the payment is not divided. */
export const splitDestinationsSchema = Joi.array()
  .items(splitDestinationSchema)
  .max(limits.splitDestinationsMax)
  .custom(checkTogether, 'split') as unknown as ArraySchema<readonly SplitDestination[]>;

/** The same in answers: decimals are JSON numbers and absent values are null. */
export const splitDestinationAnswer = named(
  'SplitDestinationAnswer',
  body({
    destinationMerchantId: Joi.number().integer().required(),
    subMerchantReference: Joi.string().allow(null).required(),
    amountRule: body({
      type: Joi.string().valid('percentage', 'fixed', 'residual').required(),
      value: Joi.number().min(0).unsafe().allow(null).required(),
    }).required(),
    vatRule: body({
      type: Joi.string().valid('included', 'excluded', 'exempt').required(),
      rate: Joi.number().min(0).allow(null).required(),
    })
      .allow(null)
      .required(),
    routingMetadata: shownJsonMetadata().allow(null).required(),
  }),
);
