import { limits } from '../../config/limits.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { type MerchantIdParams, merchantIdParams } from '../merchants/merchant.schema.js';
import { merchantId } from '../merchants/merchant-examples.js';
import { type ThreeDsCheckBody, threeDsCheckAnswerSchema, threeDsCheckSchema } from './threeds-check.schema.js';

export const checkThreeDsEndpoint = defineEndpoint<MerchantIdParams, unknown, ThreeDsCheckBody>({
  method: 'post',
  path: '/v1/merchants/:merchantId/threeds/check',
  operationId: 'checkThreeDs',
  summary: 'Check whether a payment would be authenticated',
  description: 'Nothing is stored and no 3DS session is created. Limited per address: 429 with Retry-After.',
  tags: ['3D Secure'],
  auth: 'basic',
  addressLimit: { requests: limits.threeDsChecksMax, windowSeconds: limits.threeDsChecksSeconds },
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams, body: threeDsCheckSchema },
  responses: { 200: threeDsCheckAnswerSchema },
  errors: ['invalid-card-payment-method-token'],
  examples: {
    params: merchantId,
    request: {
      method: { referenceId: 'order-1', paymentMethodId: 'visa', amount: 120.5, currency: 'USD', indicator: 'payment' },
      'saved card': { token: '5f0c9d3a-1b7e-4c6d-8a2f-0e1b3c5d7f90', amount: '120.50', currency: 'USD' },
    },
    response: { 200: { required: { isRequired: true, paymentMethodId: 'visa' } } },
  },
  handle: ({ params, body, principal }, { usecases }) => usecases.checkThreeDs(params.merchantId, body, principal),
});
