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

export const createThreeDsSettingsEndpoint = defineEndpoint<PaymentMethodParams, unknown, ThreeDsSettingsBody>({
  method: 'post',
  path: '/v1/merchants/:merchantId/payment-methods/:paymentMethodId/threeds',
  operationId: 'createThreeDsSettings',
  summary: 'Switch 3D Secure on for a payment method',
  description:
    'Payments follow at once, on every process within a few seconds. Where settings exist already, change them with PUT.',
  tags: ['3D Secure'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  idempotent: true,
  request: { params: paymentMethodParams, body: threeDsSettingsSchema },
  responses: { 200: threeDsSettingsAnswerSchema },
  errors: ['conflict'],
  examples: {
    params: visaOf1001,
    request: { settings: threeDsSettings },
    response: { 200: { settings: threeDsSettings } },
  },
  handle: async (context, { usecases }) =>
    presentThreeDsSettings(await usecases.createThreeDsSettings(context.params, context.body, context)),
});
