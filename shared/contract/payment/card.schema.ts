/** `paymentMethod` of a payment request: the card (contract, "PaymentMethod", "Card", "CardHolder"). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../../config/limits.js';
import { detectBrand } from '../../domain/card/brand.js';
import { validateCardNumber, validateCvc, validateExpiry } from '../../domain/card/card-checks.js';
import { body, fieldError, Joi, metadata, named, nullable, text, withErrorCode } from '../joi.js';

export interface DocumentBody {
  readonly type?: number;
  readonly value?: string;
}

export interface AddressBody {
  readonly city?: string;
  readonly country?: string;
  readonly line1: string;
  readonly line2?: string;
  readonly postalCode?: string;
  readonly state?: string;
}

export interface CardholderBody {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly birthdate?: Date;
  readonly identification?: DocumentBody;
  readonly billingAddress?: AddressBody;
  readonly phoneNumber?: string;
}

export interface CardBody {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvc?: string;
  readonly cardholder?: CardholderBody;
  readonly tokenizationSettings?: { readonly type: 'temporal' | 'store'; readonly expiration?: Date };
  readonly metadata?: Record<string, string>;
}

export interface PaymentMethodBody {
  readonly source?: 'card';
  readonly id?: string;
  readonly card: CardBody;
  readonly fields?: Record<string, string>;
}

const short = () => nullable(text(100));

export const documentSchema = named('Document', body({ type: nullable(Joi.int32()), value: short() }));

export const addressSchema = named(
  'Address',
  body({
    city: short(),
    country: nullable(Joi.string().pattern(/^[A-Z]{2}$/, 'ISO 3166-1 alpha-2 code')),
    line1: text(200).required(),
    line2: nullable(text(200)),
    postalCode: short(),
    state: short(),
  }),
);

const cardholderSchema = named(
  'CardHolder',
  withErrorCode(
    'invalid-cardholder',
    body({
      firstName: short(),
      lastName: short(),
      email: nullable(Joi.string().max(254).email({ tlds: false })),
      birthdate: nullable(Joi.dateTime()),
      identification: nullable(documentSchema),
      billingAddress: nullable(addressSchema),
      phoneNumber: nullable(text(32)),
    }),
  ),
);

const numberProblems = {
  digits: 'must be digits only',
  length: 'does not have a length that its brand has',
  'check-digit': 'fails its check digit',
} as const;

function checkCard(card: CardBody, helpers: CustomHelpers): unknown {
  const number = validateCardNumber(card.number);
  if (!number.valid) {
    return fieldError(helpers, 'number', numberProblems[number.reason], 'invalid-card-number');
  }
  // Validation is the one place that reads the clock itself: a schema has no injected time, and a day more does no harm.
  if (!validateExpiry(card.expMonth, card.expYear, new Date())) {
    return fieldError(helpers, 'expYear', 'lies in the past with expMonth', 'invalid-card-expiration-date');
  }
  if (card.cvc !== undefined && !validateCvc(card.cvc, detectBrand(card.number))) {
    return fieldError(helpers, 'cvc', 'does not have the digits of its brand', 'invalid-card-cvc');
  }
  return card;
}

const tokenizationSettings = named(
  'TokenizationSettings',
  body({ type: Joi.string().valid('temporal', 'store').required(), expiration: nullable(Joi.dateTime()) }),
);

export const cardSchema = named(
  'Card',
  body({
    number: withErrorCode('invalid-card-number', Joi.string().pattern(/^\d{12,19}$/, '12 to 19 digits')).required(),
    expMonth: withErrorCode('invalid-card-expiration-date', Joi.int32().min(1).max(12)).required(),
    expYear: withErrorCode('invalid-card-expiration-date', Joi.int32().min(2000).max(9999)).required(),
    cvc: nullable(withErrorCode('invalid-card-cvc', Joi.string().pattern(/^\d{3,4}$/, '3 or 4 digits'))),
    cardholder: nullable(cardholderSchema),
    tokenizationSettings: nullable(tokenizationSettings),
    metadata: metadata(),
  }).custom(checkCard, 'card'),
);

/** Sources that are not taken yet may be sent as null only. */
const absent = () => nullable(Joi.any().valid(null));

export const paymentMethodSchema = named(
  'PaymentMethodRequest',
  body({
    source: nullable(Joi.string().valid('card')),
    id: nullable(text(limits.referenceLengthMax)),
    card: cardSchema.required(),
    paymentInstrument: absent(),
    networkToken: absent(),
    walletAPayToken: absent(),
    walletBPayToken: absent(),
    clickToPayToken: absent(),
    fields: nullable(metadata()),
  }),
);
