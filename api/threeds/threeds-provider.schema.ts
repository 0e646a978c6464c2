/** A 3DS provider (docs/api.md#3ds-settings). */
import { body, Joi, named } from '../../shared/contract/joi.js';
import { pathId } from '../http/path-id.js';

interface ProviderParams {
  readonly code: string;
}

export const providerParams = body<ProviderParams>({
  code: pathId().description('Code of a provider, case-insensitive.'),
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
