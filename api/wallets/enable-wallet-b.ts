import { defineEndpoint } from '../http/define-endpoint.js';
import { type MerchantIdParams, merchantIdParams } from '../merchants/merchant.schema.js';
import { presentWalletB } from './present-wallet-integration.js';
import { merchant1001, pendingCertificate, walletB } from './wallet-examples.js';
import { type EnableWalletBBody, enableWalletBSchema, walletBSchema } from './wallet-integration.schema.js';

export const enableWalletBEndpoint = defineEndpoint<MerchantIdParams, unknown, EnableWalletBBody>({
  method: 'put',
  path: '/v1/merchants/:merchantId/wallet-integrations/wallet-b-pay',
  operationId: 'enableWalletBPay',
  recordsItself: true,
  summary: 'Enable wallet-b',
  description: '`pending` until a certificate is uploaded; with a valid certificate it is `active` at once.',
  tags: ['Wallets'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams, body: enableWalletBSchema },
  responses: { 200: walletBSchema },
  errors: [],
  examples: {
    params: merchant1001,
    request: { 'with the defaults': {}, 'API only': { mode: 'api', certificateType: 'self-managed' } },
    response: { 200: { pending: { ...walletB, status: 'pending', certificate: pendingCertificate } } },
  },
  async handle(context, { usecases, clock }) {
    const enabled = await usecases.enableWalletB(context.params.merchantId, context.body, context);
    return presentWalletB(enabled, clock.now(), usecases.walletProblem(enabled));
  },
});
