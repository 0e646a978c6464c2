import { presentInstrumentToken } from '../../shared/contract/present-instrument-token.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { instrumentTokenSchema, type TokenizationBody, tokenizationSchema } from './tokenization.schema.js';

export const createTokenization = defineEndpoint<unknown, unknown, TokenizationBody>({
  method: 'post',
  path: '/v1/tokenizations',
  operationId: 'createTokenization',
  summary: 'Save the card of a wallet token',
  description:
    'Verifies and decrypts the wallet token and returns a token of the gateway: `temporal` for 24 hours, `store` until the card ' +
    'expires. Cards are tokenized through sessions or with a payment. No callback is sent.',
  tags: ['Tokenizations'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  idempotent: true,
  request: { body: tokenizationSchema },
  responses: { 200: instrumentTokenSchema },
  errors: [
    'invalid-card-payment-method',
    'invalid-card-payment-method-token',
    'invalid-card-number',
    'invalid-card-expiration-date',
    'INVALID_WALLET_B_PAY_TOKEN',
    'WALLET_B_PAY_SIGNATURE_INVALID',
    'WALLET_B_PAY_NOT_ENABLED',
    'WALLET_B_PAY_CERTIFICATE_NOT_FOUND',
    'WALLET_B_PAY_CERTIFICATE_EXPIRED',
    'WALLET_B_PAY_TOKEN_REPLAY',
    'MISSING_CARDHOLDER_INFO',
    'service-unavailable',
  ],
  examples: {
    request: {
      'for a day': {
        merchantId: 1001,
        type: 'temporal',
        paymentMethod: {
          source: 'wallet-a-pay-token',
          walletAPayToken: { token: 'eyJwcm90b2NvbFZlcnNpb24iOiJFQ3YyIn0=', cardholder: { name: 'Ana Núñez' } },
        },
      },
    },
    response: {
      200: {
        'for a day': {
          token: '5f0c9d3a-1b7e-4c6d-8a2f-0e1b3c5d7f90',
          paymentMethodId: 'visa',
          paymentMethodType: 'card',
          tokenizationType: 'temporal',
          status: 'active',
          source: 'wallet-a-pay-token',
          bin: '41111111',
          last4: '1111',
          expMonth: 12,
          expYear: 2034,
          cardName: 'Visa **** 1111',
          cardholderName: 'Ana Núñez',
          cardType: 'credit',
          cardOrigin: 'international',
          issuer: null,
          createdAt: '2026-11-20T12:00:00.000Z',
          expiresAt: '2026-11-21T12:00:00.000Z',
        },
      },
    },
  },
  handle: async (context, { usecases, clock }) =>
    presentInstrumentToken(await usecases.tokenizeWallet(context.body, context), clock.now()),
});
