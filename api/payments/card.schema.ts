/** The card of a payment request (docs/api.md#payment-sources). */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { body, Joi, metadata, named, nullable, text, withErrorCode } from '../../shared/contract/joi.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import {
  EXPIRY_YEARS_MAX,
  expiryProblem,
  validateCardNumber,
  validateCvc,
} from '../../shared/domain/card/card-checks.js';
import { isCountryCode } from '../../shared/domain/country.js';

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

const short = () => nullable(text(limits.shortTextLengthMax));

export const documentSchema = named('Document', body({ type: nullable(Joi.int32()), value: short() }));

/** The pattern is published, the list is checked. Both fail with one message. */
const countryCode = Joi.string()
  .pattern(/^[A-Z]{2}$/, 'a country code of ISO 3166-1 alpha-2, such as UY')
  .custom((value: string, helpers) =>
    !/^[A-Z]{2}$/.test(value) || isCountryCode(value)
      ? value
      : helpers.error('field.invalid', { reason: 'must be a country code of ISO 3166-1 alpha-2' }),
  );

export const addressSchema = named(
  'Address',
  body({
    city: short(),
    country: nullable(countryCode),
    line1: text(limits.lineLengthMax).required(),
    line2: nullable(text(limits.lineLengthMax)),
    postalCode: short(),
    state: short(),
  }),
);

export const cardholderSchema = named(
  'CardHolder',
  withErrorCode(
    'invalid-cardholder',
    body({
      firstName: short(),
      lastName: short(),
      email: nullable(Joi.string().max(limits.emailLengthMax).email({ tlds: false })),
      birthdate: nullable(Joi.dateTime()),
      identification: nullable(documentSchema),
      billingAddress: nullable(addressSchema),
      phoneNumber: nullable(text(limits.phoneLengthMax)),
    }),
  ),
);

const numberProblems = {
  digits: 'must be digits only',
  length: 'does not have a valid length for its brand',
  'check-digit': 'fails its check digit',
} as const;

const CARD_DIGITS = /^\d{12,19}$/;
const CVC_DIGITS = /^\d{3,4}$/;

/** Returns the card around the checked field. Only fields above this one in the schema are converted, and they may be invalid. */
const cardAround = (helpers: CustomHelpers): Partial<CardBody> => helpers.state.ancestors[0] ?? {};

// Each rule belongs to one field, so that two wrong fields of a card are both named.

function checkNumber(number: string, helpers: CustomHelpers): unknown {
  // The pattern has already reported it.
  if (!CARD_DIGITS.test(number)) return number;
  const checked = validateCardNumber(number);
  return checked.valid ? number : helpers.error('field.invalid', { reason: numberProblems[checked.reason] });
}

const expiryProblems = {
  past: 'is in the past with expMonth',
  'too-far': `is more than ${EXPIRY_YEARS_MAX} years ahead with expMonth`,
} as const;

function checkExpiry(expYear: number, helpers: CustomHelpers): unknown {
  const { expMonth } = cardAround(helpers);
  if (typeof expMonth !== 'number') return expYear;
  // Only validation reads the clock directly: a schema has no injected time, and one day more does no harm.
  const problem = expiryProblem(expMonth, expYear, new Date());
  // A month that does not exist is reported at its own field.
  if (problem === undefined || problem === 'no-month') return expYear;
  return helpers.error('field.invalid', { reason: expiryProblems[problem] });
}

function checkCvc(cvc: string, helpers: CustomHelpers): unknown {
  const { number } = cardAround(helpers);
  const brand = typeof number === 'string' ? detectBrand(number) : undefined;
  if (!CVC_DIGITS.test(cvc) || validateCvc(cvc, brand)) return cvc;
  return helpers.error('field.invalid', { reason: 'does not have the number of digits of the card brand' });
}

const tokenizationSettings = named(
  'TokenizationSettings',
  body({ type: Joi.string().valid('temporal', 'store').required(), expiration: nullable(Joi.dateTime()) }),
);

/** A card number or network token: digits only, a length of its brand, a correct check digit. */
export const numberField = () =>
  withErrorCode(
    'invalid-card-number',
    Joi.string().pattern(CARD_DIGITS, '12 to 19 digits').custom(checkNumber, 'card number'),
  );
export const expMonthField = () => withErrorCode('invalid-card-expiration-date', Joi.int32().min(1).max(12));
/** With `expMonth` it must not be in the past, nor further ahead than cards are issued for. */
export const expYearField = () =>
  withErrorCode(
    'invalid-card-expiration-date',
    Joi.int32()
      .min(2000)
      .max(9999)
      .custom(checkExpiry, 'expiry')
      .description(`Four digits; at most ${EXPIRY_YEARS_MAX} years ahead.`),
  );
export const cvcField = () =>
  withErrorCode('invalid-card-cvc', Joi.string().pattern(CVC_DIGITS, '3 or 4 digits').custom(checkCvc, 'cvc'));

export const cardSchema = named(
  'Card',
  body({
    number: numberField().required(),
    expMonth: expMonthField().required(),
    expYear: expYearField().required(),
    cvc: nullable(cvcField()),
    cardholder: nullable(cardholderSchema),
    tokenizationSettings: nullable(tokenizationSettings),
    metadata: metadata(),
  }),
);
