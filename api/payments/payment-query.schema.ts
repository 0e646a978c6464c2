/** `GET /v1/payments/query` (docs/api.md#operations; docs/decisions.md, "cursor list"). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { currencyText } from '../../shared/contract/amount.schema.js';
import { body, fieldError, Joi, named, query, text } from '../../shared/contract/joi.js';
import { isRange } from '../../shared/domain/money/amount-range.js';
import { paymentStatuses } from '../../shared/domain/payment/statuses.js';
import type { PaymentFilter } from '../../shared/store/payment-query-conditions.js';
import { dateOrderError, maxDate, minDate } from '../http/created-filters.js';
import { paymentSchema } from './payment.schema.js';
import { merchantIdField, referenceText } from './payment-request.schema.js';

/** The filters of the store, with amounts as they are sent. */
export interface PaymentQueryFilters extends Omit<PaymentFilter, 'amounts'> {
  /** Decimal text, as is `maxAmount`. */
  readonly minAmount?: string;
  readonly maxAmount?: string;
}

export interface PaymentQuery extends PaymentQueryFilters {
  readonly size: number;
  readonly cursor?: string;
}

function checkTogether(asked: PaymentQuery, helpers: CustomHelpers): unknown {
  const { minAmount, maxAmount, metadataKey, metadataValue } = asked;
  if (minAmount !== undefined && maxAmount !== undefined && !isRange(minAmount, maxAmount)) {
    return fieldError(helpers, 'maxAmount', 'must not be less than minAmount');
  }
  const wrongOrder = dateOrderError(asked, helpers);
  if (wrongOrder) return wrongOrder;
  if (metadataValue !== undefined && metadataKey === undefined) {
    return fieldError(helpers, 'metadataKey', 'is required with metadataValue');
  }
  return asked;
}

const decimal = () => Joi.decimalText();

export const paymentQuerySchema = query<PaymentQuery>({
  id: text(limits.pathIdLengthMax),
  referenceId: referenceText().description('Reference of the payment, not of its operations.'),
  minAmount: decimal().description('Total of at least this, in the decimals of the currency of each payment.'),
  maxAmount: decimal().description('Total of at most this.'),
  currency: currencyText(),
  minDate: minDate(),
  maxDate: maxDate(),
  merchantId: merchantIdField().description('Default: all merchants that the key can access.'),
  paymentMethodId: text(limits.referenceLengthMax),
  status: Joi.string().valid(...paymentStatuses),
  metadataKey: text(limits.metadataKeyLengthMax).description('Payments with this key in their metadata.'),
  metadataValue: text(limits.metadataValueLengthMax).description('The value of that key. Needs `metadataKey`.'),
  size: Joi.int32()
    .min(1)
    .max(limits.pageSizeMax)
    .default(limits.pageSizeDefault)
    .description('Payments per page; it may change from page to page.'),
  cursor: text(limits.cursorLengthMax).description('`nextCursor` of the page before, with the same filters.'),
}).custom(checkTogether, 'filters');

export const paymentPageSchema = named(
  'PaymentPage',
  body({
    data: Joi.array().items(paymentSchema).required(),
    size: Joi.number().integer().required().description('Payments per page, as asked for.'),
    hasMore: Joi.boolean().required(),
    nextCursor: Joi.string().allow(null).required().description('Null at the end.'),
  }),
);
