/** Configured routes of a merchant's payment method (docs/routing.md). */
import { limits } from '../../config/limits.js';
import { shownDecimal } from '../../shared/contract/decimal.schema.js';
import { body, Joi, nullable, text } from '../../shared/contract/joi.js';
import { cardOrigins } from '../../shared/domain/instrument/payment-instrument.js';
import { cardBrands } from '../../shared/domain/payment-method-catalog.js';

const code = () => text(limits.configurationCodeLengthMax);

const bound = () => nullable(shownDecimal());

const conditionsSchema = body({
  currencies: nullable(
    Joi.array()
      .items(Joi.string().pattern(/^[A-Z]{3}$/, 'three capital letters'))
      .min(1)
      .max(limits.routeCurrenciesMax)
      .unique(),
  ).description('ISO 4217 codes.'),
  brands: nullable(
    Joi.array()
      .items(Joi.string().valid(...cardBrands))
      .min(1)
      .unique(),
  ).description('Card brands. Only of use where several methods are given one list.'),
  amount: nullable(
    body({ from: bound().description('At least this.'), to: bound().description('Less than this.') }).or('from', 'to'),
  ).description('Total of the payment, in its own currency. Goes with `currencies`.'),
  origins: nullable(
    Joi.array()
      .items(Joi.string().valid(...cardOrigins))
      .min(1)
      .unique(),
  ).description('Where the card was issued. A card that the BIN table does not know meets neither.'),
}).description('All that are given have to be met.');

const routeSchema = body({
  paymentProcessor: body({
    id: code().required().description('Code of a processor of this installation.'),
    acquirer: code().required(),
  }).required(),
  merchantIdentificationNumber: nullable(code()).description('Absent: that of the settings.'),
  terminalNumber: nullable(code()).description('Absent: that of the settings.'),
  conditions: nullable(conditionsSchema),
  share: nullable(Joi.int32().min(0).max(limits.percentMax)).description(
    'Percent of the payments that go to this route first. 0: only when others fail. Absent: what the shares of the others leave.',
  ),
});

export const routesField = nullable(Joi.array().items(routeSchema).min(1).max(limits.routesMax)).description(
  'In order of preference, `paymentProcessor` among them. Absent: that is the only route. Gateway mode.',
);

const target = { processor: Joi.string().required(), acquirer: Joi.string().required() };

/** A route in answers. */
export const routeAnswer = body({
  paymentProcessor: body({ id: Joi.string().required(), acquirer: target.acquirer }).required(),
  merchantIdentificationNumber: Joi.string(),
  terminalNumber: Joi.string(),
  conditions: body({
    currencies: Joi.array().items(Joi.string()),
    brands: Joi.array().items(Joi.string().valid(...cardBrands)),
    amount: body({ from: Joi.number(), to: Joi.number() }),
    origins: Joi.array().items(Joi.string().valid(...cardOrigins)),
  }),
  share: Joi.number().integer(),
});
