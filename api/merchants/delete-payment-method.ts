import { body } from '../../shared/contract/joi.js';
import type { ApiDeps } from '../deps.js';
import { type Changer, defineEndpoint } from '../http/define-endpoint.js';
import { recordChange } from '../http/record-change.js';
import { codeOf, notConfigured } from './check-configuration.js';
import { visaOf1001 } from './merchant-examples.js';
import { type PaymentMethodParams, paymentMethodParams } from './payment-method.schema.js';

/** @throws {GatewayError} `payment-method-not-found` */
async function deletePaymentMethod(
  deps: Pick<ApiDeps, 'methods' | 'audit'>,
  params: PaymentMethodParams,
  changer: Changer,
): Promise<void> {
  const { merchantId } = params;
  const id = codeOf(params);
  if (!(await deps.methods.deletePaymentMethod(merchantId, id))) throw notConfigured();
  await recordChange(deps, changer, { action: 'payment-method.deleted', merchantId, object: id });
}

export const deletePaymentMethodEndpoint = defineEndpoint({
  method: 'delete',
  path: '/v1/merchants/:merchantId/payment-methods/:paymentMethodId',
  operationId: 'deletePaymentMethod',
  flowWritesAudit: true,
  summary: 'Remove a payment method of a merchant',
  description:
    'New payments with it are refused. Existing payments can still be captured and refunded. Its 3D Secure settings are removed with it: a method that is configured again is without 3D Secure until they are created again.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: paymentMethodParams },
  responses: { 200: body({}) },
  errors: ['payment-method-not-found'],
  examples: { params: visaOf1001, response: { 200: { removed: {} } } },
  async handle(context, deps) {
    await deletePaymentMethod(deps, context.params, context);
    return {};
  },
});
