/** The session in answers, and `GET /v1/sessions`. */
import type { CustomHelpers } from 'joi';
import { body, fieldError, Joi, named, query } from '../../shared/contract/joi.js';
import { fieldModes, sessionFeatures, sessionTypes } from '../../shared/domain/session/session.js';
import { sessionStatuses } from '../../shared/domain/session/statuses.js';
import type { SessionFilter } from '../../shared/store/session.repository.js';
import { dateTime, money } from '../http/answer-fields.js';
import { dateOrderError, maxDate, minDate } from '../http/created-filters.js';
import { type PageQuery, pageAnswerFields, pageFields } from '../http/paging.js';
import { merchantIdField, referenceText } from '../payments/payment-request.schema.js';

const fieldMode = () => Joi.string().valid(...fieldModes);

const action = body({
  rel: Joi.string()
    .valid('self', 'REDIRECT', 'EMBEDDED')
    .required()
    .description('`self`: the checkout. `REDIRECT`: tokenization as a full page. `EMBEDDED`: tokenization in a frame.'),
  href: Joi.string().uri().required().description('Use it unchanged: it contains the token of the session.'),
  method: Joi.string().valid('REDIRECT'),
});

const address = body({
  city: Joi.string(),
  country: Joi.string(),
  line1: Joi.string().required(),
  line2: Joi.string(),
  postalCode: Joi.string(),
  state: Joi.string(),
});

const cardholder = body({
  firstName: Joi.string(),
  lastName: Joi.string(),
  email: Joi.string(),
  birthdate: dateTime(),
  identification: body({ type: Joi.number().integer(), value: Joi.string() }),
  billingAddress: address,
  phoneNumber: Joi.string(),
});

const settings = body({
  paymentMethodTypes: Joi.array().items(Joi.string()).required(),
  tokenization: body({
    type: Joi.string().valid('store', 'temporal'),
    allowedCardTypes: Joi.array().items(Joi.string().valid('credit', 'debit')),
    features: Joi.array()
      .items(Joi.string().valid(...sessionFeatures))
      .required(),
    verifyFunds: body({ amount: money().required(), currency: Joi.string().required() }),
    fields: body({ cvc: fieldMode(), cardholder: fieldMode() }),
    cardholder,
  }).required(),
  checkout: body({
    amountMode: Joi.string().valid('fixed', 'flexible').required(),
    disableThreeds: Joi.boolean().required(),
    flexibleAmount: body({
      allowedCurrencies: Joi.array().items(Joi.string()).required(),
      minAmount: money(),
      maxAmount: money(),
    }),
    walletIntegrations: body({
      walletAPay: body({
        enabled: Joi.boolean().required(),
        mode: Joi.string().allow(null).required().description('Null where the merchant has no active integration.'),
        dynamicShipping: Joi.boolean().required(),
      }),
    }),
  }),
  callbacks: body({ paymentCallbackUrl: Joi.string(), tokenizationCallbackUrl: Joi.string() }),
  redirects: body({ defaultUrl: Joi.string(), cancelUrl: Joi.string(), receipt: Joi.boolean() }),
});

export const sessionSchema = named(
  'Session',
  body({
    id: Joi.string().required(),
    merchantId: Joi.number().integer().required(),
    referenceId: Joi.string().required(),
    type: Joi.string()
      .valid(...sessionTypes)
      .required(),
    status: Joi.string()
      .valid(...sessionStatuses)
      .required(),
    createdAt: dateTime().required(),
    updatedAt: dateTime().required(),
    expiresAt: dateTime().required(),
    customerId: Joi.string(),
    paymentRequest: body({
      referenceId: Joi.string().required(),
      invoiceNumber: Joi.string().required(),
      installments: Joi.number().integer(),
      amount: body({ total: money(), currency: Joi.string() }).required(),
      metadata: Joi.object().pattern(Joi.string(), Joi.string().allow('')),
    }),
    actions: Joi.array().items(action).required(),
    settings: settings.required(),
  }),
);

type SessionQuery = PageQuery & SessionFilter;

function checkDates(asked: SessionQuery, helpers: CustomHelpers): unknown {
  const { minDate, maxDate } = asked;
  if (minDate && !maxDate) return fieldError(helpers, 'maxDate', 'is required with minDate');
  if (maxDate && !minDate) return fieldError(helpers, 'minDate', 'is required with maxDate');
  return dateOrderError(asked, helpers) ?? asked;
}

export const sessionQuerySchema = query<SessionQuery>({
  merchantId: merchantIdField().description('Default: all merchants that the key can access.'),
  referenceId: referenceText().description('Reference of the session, not of its payment.'),
  minDate: minDate('Only together with maxDate.'),
  maxDate: maxDate('Only together with minDate.'),
  ...pageFields,
}).custom(checkDates, 'dates');

export const sessionPageSchema = named('SessionPage', body(pageAnswerFields(sessionSchema)));
