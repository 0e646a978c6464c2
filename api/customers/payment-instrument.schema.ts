import { issuerSchema } from '../../shared/contract/issuer.js';
import { body, Joi, named } from '../../shared/contract/joi.js';

/** A saved card in the list of its customer (docs/api.md#saved-cards). */
export const listedInstrumentSchema = named(
  'PaymentInstrument',
  body({
    token: Joi.string().guid().required(),
    name: Joi.string().required().description('Masked card name.'),
    type: Joi.string().valid('credit', 'debit', 'prepaid').allow(null).required(),
    issuer: issuerSchema(),
    expMonth: Joi.number().integer().required(),
    expYear: Joi.number().integer().required(),
    status: Joi.string().valid('active', 'expired').required(),
    tokenizationType: Joi.string().valid('persistent', 'temporal').required(),
  }),
);
