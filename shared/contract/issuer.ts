/** The issuer of a saved card as answers show it (docs/api.md#saved-cards); null when the BIN table does not know the issuer. */
import type { Issuer } from '../domain/instrument/payment-instrument.js';
import { body, Joi, named } from './joi.js';

export const issuerSchema = () =>
  named(
    'Issuer',
    body({
      id: Joi.string().required(),
      name: Joi.string().required(),
      shortName: Joi.string().required(),
      country: Joi.string().required(),
      countryCode: Joi.string().required().description('ISO 3166-1 alpha-2.'),
    }),
  )
    .allow(null)
    .required();

/** Copies field by field: other columns of the BIN table stay internal. */
export function presentIssuer(issuer: Issuer | undefined): Issuer | null {
  if (!issuer) return null;
  const { id, name, shortName, country, countryCode } = issuer;
  return { id, name, shortName, country, countryCode };
}
