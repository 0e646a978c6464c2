/** `GET /v1/threeds/sessions` (docs/decisions.md, "session record"; docs/api.md#3ds-check). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { currencyText } from '../../shared/contract/amount.schema.js';
import { body, fieldError, Joi, named, query, text } from '../../shared/contract/joi.js';
import { isRange } from '../../shared/domain/money/amount-range.js';
import { type AuthenticationStatus, authenticationStatuses } from '../../shared/domain/threeds/authentication.js';
import { dateTime, money, orNull } from '../http/answer-fields.js';
import { dateOrderError, maxDate, minDate } from '../http/created-filters.js';
import { type PageQuery, pageAnswerFields, pageFields } from '../http/paging.js';

export interface ThreeDsSessionQuery extends PageQuery {
  readonly merchants?: readonly number[];
  readonly sessionId?: string;
  readonly status?: AuthenticationStatus;
  readonly paymentMethodId?: string;
  readonly currency?: string;
  /** Decimal text. */
  readonly minAmount?: string;
  readonly maxAmount?: string;
  readonly minDate?: Date;
  readonly maxDate?: Date;
}

const LIST = /^\d{1,9}(,\d{1,9})*$/;

function parseMerchants(list: string, helpers: CustomHelpers): unknown {
  if (!LIST.test(list)) return list;
  const ids = [...new Set(list.split(',').map(Number))];
  if (ids.length <= limits.sessionMerchantsMax) return ids;
  return helpers.error('field.invalid', { reason: `must name at most ${limits.sessionMerchantsMax} merchants` });
}

function checkRanges(asked: ThreeDsSessionQuery, helpers: CustomHelpers): unknown {
  const { minAmount, maxAmount } = asked;
  if (minAmount !== undefined && maxAmount !== undefined && !isRange(minAmount, maxAmount)) {
    return fieldError(helpers, 'maxAmount', 'must not be less than minAmount');
  }
  return dateOrderError(asked, helpers) ?? asked;
}

export const threeDsSessionQuery = query<ThreeDsSessionQuery>({
  merchants: Joi.string()
    .pattern(LIST, 'merchant ids, separated by commas')
    .custom(parseMerchants, 'merchants')
    .description('Ids, separated by commas. Default: all merchants that the key can access.'),
  sessionId: text(limits.referenceLengthMax),
  status: Joi.string().valid(...authenticationStatuses),
  paymentMethodId: text(limits.configurationCodeLengthMax),
  currency: currencyText(),
  minAmount: Joi.decimalText().description('In the decimals of the currency of each session.'),
  maxAmount: Joi.decimalText(),
  minDate: minDate(),
  maxDate: maxDate(),
  ...pageFields,
}).custom(checkRanges, 'filters');

const threeDsSessionSchema = named(
  'ThreeDSSession',
  body({
    sessionId: Joi.string().required(),
    paymentId: Joi.string().required(),
    merchantId: Joi.number().integer().required(),
    referenceId: Joi.string().required(),
    paymentMethodId: Joi.string().required(),
    provider: Joi.string().allow(null).required(),
    status: Joi.string()
      .valid(...authenticationStatuses)
      .required(),
    amount: money().required(),
    currency: Joi.string().required(),
    createdAt: dateTime().required(),
    updatedAt: dateTime().required(),
    completedAt: orNull(dateTime()),
  }),
);

const counts = () => Joi.object().pattern(Joi.string(), Joi.number().integer()).required();

export const threeDsSessionPageSchema = named(
  'ThreeDSSessionPage',
  body({
    ...pageAnswerFields(threeDsSessionSchema),
    summary: body({
      total: Joi.number().integer().required(),
      byStatus: counts(),
      byPaymentMethod: counts(),
      amountByCurrency: Joi.object().pattern(Joi.string(), money()).required(),
    })
      .required()
      .description('Over the whole filter, not the page.'),
  }),
);
