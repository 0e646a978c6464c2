/** Shared by the two endpoints that write the 3DS settings of a payment method. */

import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { textOf } from '../../shared/domain/json-metadata.js';
import type { PaymentMethodId } from '../../shared/domain/payment-method-catalog.js';
import type { ThreeDsSettings } from '../../shared/domain/threeds/settings.js';
import { metadataProblems } from '../../shared/threeds-providers/metadata-rules.js';
import type { ApiDeps } from '../deps.js';
import { visaOf1001 } from '../merchants/merchant-examples.js';
import { paymentMethodParams } from '../merchants/payment-method.schema.js';
import { findProvider } from './provider-catalogue.js';
import { threeDsSettings } from './threeds-examples.js';
import {
  type ThreeDsSettingsBody,
  threeDsSettingsAnswerSchema,
  threeDsSettingsSchema,
  toThreeDsSettings,
} from './threeds-settings.schema.js';

/** Returns the settings of a body after checking them for the provider. @throws {GatewayError} `request-validation-errors` */
export async function checkedSettings(
  { threeDsProviders }: Pick<ApiDeps, 'threeDsProviders'>,
  sent: ThreeDsSettingsBody,
  methodId: PaymentMethodId,
): Promise<ThreeDsSettings> {
  const provider = findProvider(await threeDsProviders.list(), sent.provider);
  if (!provider?.enabled) throw invalidField('provider', 'is not an enabled 3D Secure provider');
  if (!provider.supportedPaymentMethods.includes(methodId)) {
    throw invalidField('provider', 'does not support this payment method');
  }
  const missing = provider.requiredFields.filter((key) => textOf(sent.metadata?.[key] ?? '').trim() === '');
  if (missing.length > 0) {
    const params = Object.fromEntries(missing.map((key) => [`metadata.${key}`, ['is required by the provider']]));
    throw new GatewayError('request-validation-errors', { params });
  }
  const given = Object.entries(sent.metadata ?? {}).map(([key, value]) => [key, textOf(value)]);
  const wrong = Object.entries(metadataProblems(provider.code, Object.fromEntries(given)));
  if (wrong.length > 0) {
    const params = Object.fromEntries(wrong.map(([key, reason]) => [`metadata.${key}`, [reason]]));
    throw new GatewayError('request-validation-errors', { params });
  }
  return toThreeDsSettings(sent, provider.code);
}

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
