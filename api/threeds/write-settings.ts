/** What the two ways to write the 3DS settings of a payment method have in common. */

import { visaOf1001 } from '../merchants/merchant-examples.js';
import { paymentMethodParams } from '../merchants/payment-method.schema.js';
import { threeDsSettings } from './threeds-examples.js';
import { threeDsSettingsAnswerSchema, threeDsSettingsSchema } from './threeds-settings.schema.js';

export const writesSettings = {
  path: '/v1/merchants/:merchantId/payment-methods/:paymentMethodId/threeds',
  tags: ['3D Secure'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: paymentMethodParams, body: threeDsSettingsSchema },
  responses: { 200: threeDsSettingsAnswerSchema },
  examples: {
    params: visaOf1001,
    request: { settings: threeDsSettings },
    response: { 200: { settings: threeDsSettings } },
  },
} as const;
