import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import type { ApiDeps } from '../deps.js';
import { type Changer, defineEndpoint } from '../http/define-endpoint.js';
import { recordChange } from '../http/record-change.js';
import { checkConfiguration, codeOf, notConfigured, refused } from './check-configuration.js';
import { configuredVisa, gatewaySettings, visaOf1001 } from './merchant-examples.js';
import {
  type PaymentMethodParams,
  paymentMethodParams,
  paymentMethodSchema,
  type ReplacePaymentMethodBody,
  replacePaymentMethodSchema,
} from './payment-method.schema.js';
import { modeOf } from './payment-method-configuration.js';
import { presentPaymentMethod } from './present-payment-method.js';

/** @throws {GatewayError} `payment-method-not-found` or `request-validation-errors` */
async function replacePaymentMethod(
  deps: Pick<ApiDeps, 'config' | 'methods' | 'audit'>,
  params: PaymentMethodParams,
  { id: given, enabled, settings }: ReplacePaymentMethodBody,
  changer: Changer,
): Promise<MerchantPaymentMethod> {
  const { merchantId } = params;
  const id = codeOf(params);
  if (given !== undefined && given !== id) throw refused('id', 'must be the code in the path, or left out');
  checkConfiguration(deps, id, settings);
  const replacement = { merchantId, id, mode: modeOf(settings), settings, ...(enabled !== undefined && { enabled }) };
  const method = await deps.methods.replacePaymentMethod(replacement);
  if (!method) throw notConfigured();
  await recordChange(deps, changer, { action: 'payment-method.replaced', merchantId, object: id });
  return method;
}

export const replacePaymentMethodEndpoint = defineEndpoint({
  method: 'put',
  path: '/v1/merchants/:merchantId/payment-methods/:paymentMethodId',
  operationId: 'replacePaymentMethod',
  flowWritesAudit: true,
  summary: 'Replace the configuration of a payment method',
  description:
    '`settings` is replaced as a whole: fields that are left out are removed. `enabled` keeps its value unless it is ' +
    'sent. Read-only fields of a GET are ignored.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: paymentMethodParams, body: replacePaymentMethodSchema },
  responses: { 200: paymentMethodSchema },
  errors: ['payment-method-not-found'],
  examples: {
    params: visaOf1001,
    request: { settings: { settings: gatewaySettings }, 'what a GET answered': configuredVisa },
    response: { 200: { replaced: configuredVisa } },
  },
  handle: async (context, deps) =>
    presentPaymentMethod(await replacePaymentMethod(deps, context.params, context.body, context)),
});
