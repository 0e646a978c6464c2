/** Payment links in answers: an absent value is null (docs/api.md#payment-links). */

import { body, Joi, named, query } from '../../shared/contract/joi.js';
import { linkStatuses, linkTypes } from '../../shared/domain/payment-link/payment-link.js';
import type { PaymentLinkFilter } from '../../shared/store/payment-link.repository.js';
import { dateTime, money, orNull } from '../http/answer-fields.js';
import { type PageQuery, pageAnswerFields, pageFields } from '../http/paging.js';
import { amountAnswer, itemAnswer, paymentSchema } from '../payments/payment.schema.js';
import { merchantIdField } from '../payments/payment-request.schema.js';
import { splitDestinationAnswer } from './split.schema.js';

const strings = () => Joi.array().items(Joi.string()).allow(null).required();

const settings = body({
  amountMode: Joi.string().valid('fixed', 'flexible').required(),
  paymentMethodTypes: strings(),
  paymentMethods: strings(),
  installments: Joi.object().pattern(Joi.string(), Joi.array().items(Joi.number().integer())).allow(null).required(),
  callbackUrl: Joi.string().allow(null).required(),
  flexibleAmount: body({
    minAmount: orNull(money()),
    maxAmount: orNull(money()),
    suggestedAmount: orNull(money()),
    allowedCurrencies: strings(),
  })
    .allow(null)
    .required(),
  skipPreCheckout: Joi.boolean().required(),
});

export const paymentLinkSchema = named(
  'PaymentLink',
  body({
    id: Joi.string().guid().required(),
    externalId: Joi.string().required(),
    shareUrl: Joi.string().uri().required().description('The address for payers.'),
    qrCodeUrl: Joi.string().uri().required().description('QR code of the address (SVG), public.'),
    merchantId: Joi.number().integer().required(),
    type: Joi.string()
      .valid(...linkTypes)
      .required(),
    amount: amountAnswer().allow(null).required(),
    settings: settings.required(),
    validFrom: orNull(dateTime()),
    validUntil: orNull(dateTime()),
    displayName: Joi.string().allow(null).required(),
    description: Joi.string().allow(null).required(),
    items: Joi.array().items(itemAnswer).allow(null).required(),
    status: Joi.string()
      .valid(...linkStatuses)
      .required(),
    createdAt: dateTime().required(),
    updatedAt: dateTime().required(),
    splitDestinations: Joi.array().items(splitDestinationAnswer).required(),
  }),
);

export const paymentLinkPageSchema = named('PaymentLinkPage', body(pageAnswerFields(paymentLinkSchema)));
export const linkPaymentPageSchema = named('PaymentLinkPaymentPage', body(pageAnswerFields(paymentSchema)));

export const paymentLinkQuerySchema = query<PageQuery & PaymentLinkFilter>({
  merchantId: merchantIdField().description('Default: all merchants that the key can access.'),
  type: Joi.string().valid(...linkTypes),
  status: Joi.string().valid(...linkStatuses),
  ...pageFields,
});

export const linkSettingsSchema = named(
  'PaymentLinkMerchantSettings',
  body({
    merchantId: Joi.number().integer().required(),
    defaultExpirationMinutes: Joi.number().integer().allow(null).required(),
    defaultCurrency: Joi.string().allow(null).required(),
    notificationUrl: Joi.string().allow(null).required(),
    businessUrlName: Joi.string().allow(null).required(),
    quickPayEnabled: Joi.boolean().required(),
  }),
);
