import { isDeepStrictEqual } from 'node:util';
import { conflict } from '../../shared/contract/gateway-error.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { isDuplicateKey } from '../../shared/store/database.js';
import type { ApiDeps } from '../deps.js';
import { type Changer, defineEndpoint } from '../http/define-endpoint.js';
import { recordChange } from '../http/record-change.js';
import { checkConfiguration } from './check-configuration.js';
import { merchantIdParams } from './merchant.schema.js';
import { configuredVisa, facilitatorSettings, gatewaySettings, merchantId } from './merchant-examples.js';
import {
  type CreatePaymentMethodBody,
  createPaymentMethodSchema,
  paymentMethodSchema,
} from './payment-method.schema.js';
import { modeOf } from './payment-method-configuration.js';
import { presentPaymentMethod } from './present-payment-method.js';

/** @throws {GatewayError} `request-validation-errors`, or `conflict` when the method is configured already. */
export async function createPaymentMethod(
  deps: Pick<ApiDeps, 'config' | 'methods' | 'audit'>,
  merchantId: number,
  { id, enabled = true, settings }: CreatePaymentMethodBody,
  changer: Changer,
): Promise<MerchantPaymentMethod> {
  checkConfiguration(deps, id, settings);
  const mode = modeOf(settings);
  const record = () => recordChange(deps, changer, { action: 'payment-method.created', merchantId, object: id });
  try {
    const method = await deps.methods.insertPaymentMethod({ merchantId, id, mode, enabled, settings });
    await record();
    return method;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // A call with the same Idempotency-Key may have created the method and then been cut off, perhaps before the audit record.
    const made = changer.idempotency?.resumed ? await deps.methods.readPaymentMethod(merchantId, id) : undefined;
    if (made && made.mode === mode && made.enabled === enabled && isDeepStrictEqual(made.settings, settings)) {
      await record();
      return made;
    }
    throw conflict('This payment method is already configured. Change it with PUT.');
  }
}

export const createPaymentMethodEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/merchants/:merchantId/payment-methods',
  operationId: 'createPaymentMethod',
  flowWritesAudit: true,
  summary: 'Configure a payment method of a merchant',
  description:
    'In gateway mode, or in payment-facilitator mode when `settings.paymentFacilitator` is given. The fields of the two ' +
    'modes cannot be combined, and not every method supports both. Payments use it within a few seconds.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  idempotent: true,
  request: { params: merchantIdParams, body: createPaymentMethodSchema },
  responses: { 200: paymentMethodSchema },
  errors: ['conflict'],
  examples: {
    params: merchantId,
    request: {
      gateway: { id: 'visa', settings: gatewaySettings },
      'payment-facilitator': { id: 'mastercard', settings: facilitatorSettings },
    },
    response: { 200: { configured: configuredVisa } },
  },
  handle: async (context, deps) =>
    presentPaymentMethod(await createPaymentMethod(deps, context.params.merchantId, context.body, context)),
});
