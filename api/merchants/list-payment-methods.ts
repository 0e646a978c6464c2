import { answerList, listHeaders } from '../http/answer-list.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdParams } from './merchant.schema.js';
import { configuredVisa, merchantId } from './merchant-examples.js';
import { paymentMethodListQuery, paymentMethodListSchema } from './payment-method.schema.js';
import { presentPaymentMethod } from './present-payment-method.js';

export const listPaymentMethodsEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/merchants/:merchantId/payment-methods',
  operationId: 'listPaymentMethods',
  summary: 'List the payment methods of a merchant',
  description: 'The configured payment methods, newest first.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams, query: paymentMethodListQuery },
  responses: { 200: paymentMethodListSchema },
  responseHeaders: listHeaders,
  errors: [],
  examples: { params: merchantId, response: { 200: { configured: [configuredVisa] } } },
  async handle({ params, query: { page, size } }, { methods, config }) {
    // Reads all methods: there are never more than the catalog has.
    const all = (await methods.findPaymentMethodsOf(params.merchantId)).toReversed();
    const items = all.slice((page - 1) * size, page * size);
    const url = `${config.publicBaseUrl}/v1/merchants/${params.merchantId}/payment-methods`;
    return answerList(url, { items: items.map((item) => presentPaymentMethod(item)), total: all.length, page, size });
  },
});
