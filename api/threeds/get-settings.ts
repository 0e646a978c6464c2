import { defineEndpoint } from '../http/define-endpoint.js';
import { visaOf1001 } from '../merchants/merchant-examples.js';
import { type PaymentMethodParams, paymentMethodParams } from '../merchants/payment-method.schema.js';
import { threeDsSettings } from './threeds-examples.js';
import { presentThreeDsSettings, threeDsSettingsAnswerSchema } from './threeds-settings.schema.js';

export const getThreeDsSettingsEndpoint = defineEndpoint<PaymentMethodParams>({
  method: 'get',
  path: '/v1/merchants/:merchantId/payment-methods/:paymentMethodId/threeds',
  operationId: 'getThreeDsSettings',
  summary: 'Read the 3DS settings of a payment method',
  description: 'The settings for new payments; payments that are already accepted keep theirs.',
  tags: ['3D Secure'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: paymentMethodParams },
  responses: { 200: threeDsSettingsAnswerSchema },
  errors: ['threeds-settings-not-found', 'request-validation-errors'],
  examples: { params: visaOf1001, response: { 200: { settings: threeDsSettings } } },
  handle: async ({ params }, { usecases }) => presentThreeDsSettings(await usecases.readThreeDsSettings(params)),
});
