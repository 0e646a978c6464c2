/** Configuration of a merchant's payment methods (docs/api.md#merchant-payment-methods). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { body, fieldErrors, Joi, named, nullable, query, text } from '../../shared/contract/joi.js';
import { type PaymentMethodId, paymentMethodIds } from '../../shared/domain/payment-method-catalog.js';
import { type PageQuery, pageFields } from '../http/paging.js';
import { pathId } from '../http/path-id.js';
import { type MerchantIdParams, merchantIdField } from './merchant.schema.js';
import { categoryCodeProblem } from './merchant-category-code.js';
import { type SettingsDraft, settingsProblems } from './payment-method-configuration.js';
import { routeProblems } from './route-problems.js';
import { routeAnswer, routesField } from './routes.schema.js';
import { taxIdProblem } from './tax-id.js';

export interface PaymentMethodParams extends MerchantIdParams {
  /** Any text: a code that is not in the catalog is answered like a method that is not configured. */
  readonly paymentMethodId: string;
}

export const paymentMethodParams = body<PaymentMethodParams>({
  merchantId: merchantIdField,
  paymentMethodId: pathId().description('Code of the method, for example `visa`.'),
});

export const paymentMethodListQuery = query<PageQuery>(pageFields);

const code = () => text(limits.configurationCodeLengthMax);

/** A number whose pattern is published and whose check digits are verified. Both fail with one message. */
const digits = (pattern: RegExp, form: string, problemOf: (value: string) => string | undefined) =>
  Joi.string()
    .pattern(pattern, form)
    .custom((value: string, helpers) => {
      const reason = pattern.test(value) ? problemOf(value) : undefined;
      return reason === undefined ? value : helpers.error('field.invalid', { reason });
    });

function checkMode(settings: SettingsDraft, helpers: CustomHelpers) {
  const problems = [...settingsProblems(settings), ...routeProblems(settings)];
  if (problems.length === 0) return settings;
  return fieldErrors(
    helpers,
    problems.map((problem) => ({ ...problem, code: 'request-validation-errors' as const })),
  );
}

const settingFields = {
  merchantIdentificationNumber: nullable(code()).description('Merchant number at the acquirer. Gateway mode.'),
  terminalNumber: nullable(code()).description('Gateway mode.'),
  paymentProcessor: nullable(
    body({
      id: nullable(code()).description('Code of a processor of this installation. Gateway mode, required there.'),
      acquirer: code().required(),
    }),
  ),
  rut: nullable(
    digits(/^(\d{12}|\d{14})$/, '12 digits (RUT) or 14 digits (CNPJ), without separators', taxIdProblem),
  ).description('Tax id with its check digits: 12 digits (RUT) or 14 digits (CNPJ). Gateway mode.'),
  merchantCategoryCode: nullable(digits(/^\d{4}$/, '4 digits', categoryCodeProblem)).description(
    '4 digits, ISO 18245. Gateway mode.',
  ),
  paymentFacilitator: nullable(
    body({ id: code().required(), merchantId: code().required().description('Id of the sub-merchant.') }),
  ).description('Selects payment-facilitator mode.'),
  routes: routesField,
  retrySoftDeclines: nullable(Joi.boolean().strict()).description(
    'Whether the next route is tried after a decline whose advice is `retry-later`. Default: false. Goes with `routes`.',
  ),
};

const settings = named(
  'PaymentMethodSettings',
  body<SettingsDraft>(settingFields)
    .custom(checkMode)
    .description(
      'Of one mode: gateway mode takes merchantIdentificationNumber and paymentProcessor with its id (both required), ' +
        'terminalNumber, rut, merchantCategoryCode and routes; payment-facilitator mode takes paymentFacilitator and ' +
        'paymentProcessor.acquirer (both required) and nothing else.',
    ),
).required();

const enabled = nullable(Joi.boolean().strict()).description('Whether payments may use it.');

export interface CreatePaymentMethodBody {
  readonly id: PaymentMethodId;
  readonly enabled?: boolean;
  readonly settings: SettingsDraft;
}

const id = Joi.string().valid(...paymentMethodIds);

export const createPaymentMethodSchema = body<CreatePaymentMethodBody>({
  id: id.required().description('Code of the method.'),
  enabled,
  settings,
});

export type ReplacePaymentMethodBody = Omit<CreatePaymentMethodBody, 'id'> & { readonly id?: string };

const readOnly = () => Joi.any().strip().description('Read-only: taken from a GET and ignored.');

export const replacePaymentMethodSchema = body<ReplacePaymentMethodBody>(
  {
    id: nullable(text(limits.pathIdLengthMax)).description('If sent, the code of the path.'),
    enabled: enabled.description('Default: unchanged.'),
    settings,
  },
  {
    name: readOnly(),
    type: readOnly(),
    mode: readOnly(),
    threeDS: readOnly(),
    createdAt: readOnly(),
    updatedAt: readOnly(),
  },
);

/** docs/decisions.md, "merchant payment method (response)". */
export const paymentMethodSchema = named(
  'MerchantPaymentMethod',
  body({
    id: id.required(),
    name: Joi.string().required(),
    type: Joi.string().valid('card', 'bank-transfer').required(),
    mode: Joi.string().valid('gateway', 'payment-facilitator').required(),
    enabled: Joi.boolean().required(),
    settings: body({
      merchantIdentificationNumber: Joi.string(),
      terminalNumber: Joi.string(),
      paymentProcessor: body({ id: Joi.string(), acquirer: Joi.string().required() }),
      rut: Joi.string(),
      merchantCategoryCode: Joi.string(),
      paymentFacilitator: body({ id: Joi.string().required(), merchantId: Joi.string().required() }),
      routes: Joi.array().items(routeAnswer),
      retrySoftDeclines: Joi.boolean(),
    }).required(),
    threeDS: body({ enabled: Joi.boolean().required(), provider: Joi.string().allow(null).required() }).required(),
    createdAt: Joi.dateTime().required(),
    updatedAt: Joi.dateTime().required(),
  }),
);

export const paymentMethodListSchema = Joi.array().items(paymentMethodSchema);
