import { body, Joi, named } from '../../shared/contract/joi.js';
import { walletAuthMethods } from '../../shared/domain/wallet/integration.js';

/** The page uses it exactly as it is returned (docs/api.md#wallet-a). */
export const walletAConfigurationSchema = named(
  'WalletAPayConfiguration',
  body({
    apiVersion: Joi.number().integer().valid(2).required(),
    apiVersionMinor: Joi.number().integer().valid(0).required(),
    environment: Joi.string().valid('TEST', 'PRODUCTION').required(),
    merchantInfo: body({
      merchantId: Joi.string().required(),
      merchantName: Joi.string(),
      merchantOrigin: Joi.string(),
      authJwt: Joi.string().description(
        'Production, profile mode `service`, and the `Origin` header is an allowed origin.',
      ),
    }).required(),
    allowedPaymentMethods: Joi.array()
      .items(
        body({
          type: Joi.string().valid('CARD').required(),
          parameters: body({
            allowedAuthMethods: Joi.array()
              .items(Joi.string().valid(...walletAuthMethods))
              .required(),
            allowedCardNetworks: Joi.array().items(Joi.string()).required(),
          }).required(),
          tokenizationSpecification: body({
            type: Joi.string().valid('PAYMENT_GATEWAY').required(),
            parameters: body({
              gateway: Joi.string().required(),
              gatewayMerchantId: Joi.string().required(),
            }).required(),
          }).required(),
        }),
      )
      .required(),
  }),
);
