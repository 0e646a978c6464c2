import {
  type PaymentMethodParams,
  paymentMethodParams,
} from '../../../shared/contract/merchant/payment-method.schema.js';
import {
  presentThreeDsSettings,
  type ThreeDsSettingsBody,
  threeDsSettingsAnswerSchema,
  threeDsSettingsSchema,
} from '../../../shared/contract/threeds/threeds-settings.schema.js';
import { defineEndpoint } from '../../http/define-endpoint.js';
import { visaOf1001 } from '../merchants/merchant-examples.js';
import { threeDsSettings } from './threeds-examples.js';

export const replaceThreeDsSettingsEndpoint = defineEndpoint<PaymentMethodParams, unknown, ThreeDsSettingsBody>({
  method: 'put',
  path: '/v1/merchants/:merchantId/payment-methods/:paymentMethodId/threeds',
  operationId: 'replaceThreeDsSettings',
  summary: 'Replace the 3DS settings of a payment method',
  description: 'Replaced whole. Payments that were accepted before keep the settings that they were made with.',
  tags: ['3D Secure'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: paymentMethodParams, body: threeDsSettingsSchema },
  responses: { 200: threeDsSettingsAnswerSchema },
  errors: ['threeds-settings-not-found'],
  examples: {
    params: visaOf1001,
    request: { settings: threeDsSettings },
    response: { 200: { settings: threeDsSettings } },
  },
  handle: async (context, { usecases }) =>
    presentThreeDsSettings(await usecases.replaceThreeDsSettings(context.params, context.body, context)),
});
