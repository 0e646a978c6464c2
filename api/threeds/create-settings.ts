import { defineEndpoint } from '../http/define-endpoint.js';
import type { PaymentMethodParams } from '../merchants/payment-method.schema.js';
import { presentThreeDsSettings, type ThreeDsSettingsBody } from './threeds-settings.schema.js';
import { writesSettings } from './write-settings.js';

export const createThreeDsSettingsEndpoint = defineEndpoint<PaymentMethodParams, unknown, ThreeDsSettingsBody>({
  ...writesSettings,
  method: 'post',
  operationId: 'createThreeDsSettings',
  recordsItself: true,
  summary: 'Switch 3D Secure on for a payment method',
  description: 'Payments follow within a few seconds. Change existing settings with PUT.',
  idempotent: true,
  errors: ['conflict'],
  handle: async (context, { usecases }) =>
    presentThreeDsSettings(await usecases.createThreeDsSettings(context.params, context.body, context)),
});
