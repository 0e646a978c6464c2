import { body, Joi, nullable, withErrorCode } from '../../shared/contract/joi.js';
import { currencyText } from '../../shared/contract/payment/amount.schema.js';
import { walletAuthMethods, walletTypes } from '../../shared/domain/wallet/integration.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdField } from '../payments/payment-request.schema.js';
import { mintedKinds } from './forge/order.js';
import type { MintRequest } from './mint-sandbox-token.js';
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
  card: nullable(cardNumber()).description('A test card; by default one that is approved.'),
  authMethod: nullable(Joi.string().valid(...walletAuthMethods)).description('wallet-a; `CRYPTOGRAM_3DS` unless said.'),
  amount: nullable(amount).description('What the payer approves: wallet-b tokens hold it. 10.50 USD unless said.'),
  broken: nullable(Joi.string().valid(...mintedKinds)).description(
    'Wrong in this one way. `replayed`: correct, and counted as used.',
  ),
});

export const mintWalletTokenEndpoint = defineEndpoint<unknown, unknown, MintRequest>({
  method: 'post',
  path: '/v1/testing/wallet-tokens',
  operationId: 'mintWalletToken',
  summary: 'Mint a wallet token, to test without a phone',
  description:
    'Signed and encrypted as the wallet does it, under published test keys; in production there is nothing here (`404`). ' +
    'Send the `token` as `walletAPayToken.token` or `walletBPayToken.token`. wallet-b needs a certificate that the merchant ' +
    'uploaded, and the amount that will be charged.',
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
  handle: async ({ body: asked }, { usecases }) => ({ token: await usecases.mintWalletToken(asked) }),
});
