import { defineEndpoint } from '../http/define-endpoint.js';
import type { PaymentMethodParams } from '../merchants/payment-method.schema.js';
import { presentThreeDsSettings, type ThreeDsSettingsBody } from './threeds-settings.schema.js';
import { writesSettings } from './write-settings.js';

export const replaceThreeDsSettingsEndpoint = defineEndpoint<PaymentMethodParams, unknown, ThreeDsSettingsBody>({
  ...writesSettings,
  method: 'put',
  operationId: 'replaceThreeDsSettings',
  recordsItself: true,
  summary: 'Replace the 3DS settings of a payment method',
  description: 'Replaced as a whole. Payments that are already accepted keep the earlier settings.',
  errors: ['threeds-settings-not-found'],
  handle: async (context, { usecases }) =>
    presentThreeDsSettings(await usecases.replaceThreeDsSettings(context.params, context.body, context)),
});
