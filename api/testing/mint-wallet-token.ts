import { currencyText } from '../../shared/contract/amount.schema.js';
import { body, Joi, nullable, withErrorCode } from '../../shared/contract/joi.js';
import { walletAuthMethods, walletTypes } from '../../shared/domain/wallet/integration.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdField } from '../payments/payment-request.schema.js';
import { mintedKinds } from './forge/order.js';
import { type MintRequest, mintSandboxToken } from './mint-sandbox-token.js';
import { numberFor } from './test-figures.js';

const cardNumber = () => withErrorCode('invalid-card-number', Joi.string().pattern(/^\d{13,19}$/, 'card number'));
const amount = body({
  total: withErrorCode('payment-invalid-amount', Joi.decimalText()).required(),
  currency: currencyText().required(),
});

const request = body<MintRequest>({
  type: Joi.string()
    .valid(...walletTypes)
    .required(),
  merchantId: merchantIdField().required(),
  card: nullable(cardNumber()).description('A test card; default: one that is approved.'),
  authMethod: nullable(Joi.string().valid(...walletAuthMethods)).description('For wallet-a; default `CRYPTOGRAM_3DS`.'),
  amount: nullable(amount).description(
    'The amount the payer approves, contained in wallet-b tokens. Default 10.50 USD.',
  ),
  broken: nullable(Joi.string().valid(...mintedKinds)).description(
    'The defect of the token. `replayed`: valid, but already used.',
  ),
});

export const mintWalletTokenEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/testing/wallet-tokens',
  operationId: 'mintWalletToken',
  summary: 'Create a wallet token for tests',
  description:
    'Signed and encrypted with published test keys as the wallet does it; `404` in production. ' +
    'Send the `token` as `walletAPayToken.token` or `walletBPayToken.token`. wallet-b needs an uploaded certificate and the ' +
    'amount of the payment.',
  tags: ['Testing'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  request: { body: request },
  responses: { 200: body({ token: Joi.string().required() }) },
  errors: [
    'not-found',
    'invalid-card-number',
    'payment-invalid-amount',
    'currency-not-found',
    'WALLET_B_PAY_CERTIFICATE_NOT_FOUND',
  ],
  examples: {
    request: {
      walletA: { type: 'wallet-a-pay', merchantId: 1001, card: numberFor('approved') },
      walletB: { type: 'wallet-b-pay', merchantId: 1001, amount: { total: 10.5, currency: 'USD' }, broken: 'tampered' },
    },
    response: { 200: { minted: { token: 'eyJwcm90b2NvbFZlcnNpb24iOiJFQ3YyIn0=' } } },
  },
  handle: async ({ body: asked }, deps) => ({ token: await mintSandboxToken(deps, asked) }),
});
