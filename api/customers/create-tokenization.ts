import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { presentInstrumentToken } from '../../shared/contract/present-instrument-token.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { after } from '../../shared/domain/time.js';
import { walletOfSource } from '../../shared/domain/wallet/integration.js';
import { guidFrom, newInstrumentToken } from '../../shared/ids.js';
import { buildInstrument, type CardToSave, type InstrumentOrder } from '../../shared/vault/build-instrument.js';
import { cardFingerprint } from '../../shared/vault/card-fingerprint.js';
import type { WalletCredential } from '../../shared/wallets/credential.js';
import type { ApiDeps } from '../deps.js';
import { type Asker, defineEndpoint } from '../http/define-endpoint.js';
import { checkCustomer, refuseSuspended, unknownCustomer } from '../payments/check-payment-request.js';
import { refuseOwnNumber } from '../payments/numbers-in-text.js';
import { checkCredential } from '../payments/wallet-source.js';
import { claimWalletToken, openWallet } from '../wallets/open-wallet-token.js';
import { instrumentTokenSchema, type TokenizationBody, tokenizationSchema } from './tokenization.schema.js';

/** @throws {GatewayError} `MISSING_CARDHOLDER_INFO` */
function checkCardholder({ paymentMethod }: TokenizationBody): void {
  if (paymentMethod.source !== 'wallet-b-pay-token' || paymentMethod.walletBPayToken?.cardholder?.name !== undefined)
    return;
  const params = { 'paymentMethod.walletBPayToken.cardholder.name': ['is required for wallet-b'] };
  throw new GatewayError('MISSING_CARDHOLDER_INFO', { params });
}

/**
 * Returns the card to save. A temporal token keeps the cryptogram for its charge; a lasting one is charged as a stored card,
 * without it.
 */
function cardToSave(credential: WalletCredential, { type, paymentMethod }: TokenizationBody): CardToSave {
  const { number, expMonth, expYear, cardholderName } = credential;
  const sent = paymentMethod.walletAPayToken ?? paymentMethod.walletBPayToken;
  const firstName = sent?.cardholder?.name ?? cardholderName;
  const card = { number, expMonth, expYear, ...(firstName !== undefined && { cardholder: { firstName } }) };
  if (type !== 'temporal' || credential.kind !== 'cryptogram') return card;
  const { cryptogram, eci } = credential;
  return { ...card, networkToken: { cryptogram, ...(eci !== undefined && { eci }) } };
}

async function toInstrument(
  deps: ApiDeps,
  token: string,
  request: TokenizationBody,
  credential: WalletCredential,
  clientId: string,
): Promise<PaymentInstrument> {
  const { number, kind } = credential;
  const { merchantId, customerId, type, paymentMethod } = request;
  const brand = detectBrand(number);
  const method = brand && (await deps.methods.findPaymentMethod(merchantId, brand));
  if (!brand || !method?.enabled) throw new GatewayError('invalid-card-payment-method', { internal: 'not configured' });
  const createdAt = deps.clock.now();
  const lasts =
    type === 'temporal'
      ? { type, expiresAt: after(createdAt, limits.temporalTokenMs) }
      : { type: 'persistent' as const };
  const order: InstrumentOrder = {
    ...lasts,
    createdAt,
    token,
    clientId,
    merchantId,
    customerId,
    paymentMethodId: brand,
    source: paymentMethod.source,
    cardFingerprint: cardFingerprint(deps.config.fingerprintKey, number),
    ...(kind === 'pan-only' && { panOnly: true }),
  };
  return buildInstrument(deps, order, cardToSave(credential, request));
}

/** Saves the card of a wallet token. @throws {GatewayError} */
async function tokenizeWallet(deps: ApiDeps, request: TokenizationBody, caller: Asker): Promise<PaymentInstrument> {
  const { merchantId, paymentMethod } = request;
  const { clientId } = caller.principal;
  const { idempotency } = caller;
  const token = idempotency ? guidFrom(idempotency.seed) : newInstrumentToken();
  const made = idempotency?.resumed ? await deps.instruments.find(clientId, token) : undefined;
  if (made) return made;
  await refuseSuspended(deps, merchantId);
  await checkCustomer(deps, clientId, request.customerId);
  checkCardholder(request);
  const walletType = walletOfSource[paymentMethod.source];
  const sent = paymentMethod.walletAPayToken ?? paymentMethod.walletBPayToken;
  const credential = await openWallet(deps, { merchantId, walletType, token: sent?.token ?? '' }, caller);
  checkCredential(credential, deps.clock.now());
  refuseOwnNumber(request, credential.number);
  const instrument = await toInstrument(deps, token, request, credential, clientId);
  await claimWalletToken(deps, {
    walletType,
    uniqueId: credential.uniqueId,
    owner: `${clientId}:tokenization:${token}`,
  });
  // The customer was deleted in the meantime, and its cards with it.
  if (!(await deps.instruments.insert(instrument))) throw unknownCustomer();
  return instrument;
}

export const createTokenizationEndpoint = defineEndpoint({
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
  handle: async (context, deps) =>
    presentInstrumentToken(await tokenizeWallet(deps, context.body, context), deps.clock.now()),
});
