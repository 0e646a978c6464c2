/** A 3DS provider (docs/api.md#3ds-settings). */
import { limits } from '../../config/limits.js';
import { body, Joi, named } from '../../shared/contract/joi.js';

export interface ProviderParams {
  readonly code: string;
}

export const providerParams = body<ProviderParams>({
  code: Joi.string().max(limits.pathIdLengthMax).required().description('Code of a provider, case-insensitive.'),
});

export const threeDsProviderSchema = named(
  'ThreeDSProvider',
  body({
    name: Joi.string().required(),
    code: Joi.string().required(),
    enabled: Joi.boolean().required(),
    requiredFields: Joi.array()
      .items(Joi.string())
      .required()
      .description('Keys that `metadata` of settings must have.'),
    supportedPaymentMethods: Joi.array().items(Joi.string()).required(),
  }),
);

export const threeDsProviderListSchema = Joi.array().items(threeDsProviderSchema);
