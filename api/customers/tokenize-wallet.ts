/** `POST /v1/tokenizations`: a wallet token becomes a saved card. */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { guidFrom, newInstrumentToken } from '../../shared/ids.js';
import type { BinTable } from '../../shared/store/bin-range.repository.js';
import type { PaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { buildInstrument, type CardToSave, type InstrumentOrder } from '../../shared/vault/build-instrument.js';
import { cardFingerprint } from '../../shared/vault/card-fingerprint.js';
import type { WalletCredential } from '../../shared/wallets/credential.js';
import { checkCustomer, refuseSuspended } from '../payments/check-payment-request.js';
import type { Caller, PaymentDeps } from '../payments/payment-deps.js';
import { checkCredential } from '../payments/wallet-source.js';
import { openWallet, useOnce } from '../wallets/open-wallet-token.js';
import type { WalletTokenDeps } from '../wallets/wallet-token-deps.js';
import type { TokenizationBody } from './tokenization.schema.js';

export interface TokenizationDeps extends WalletTokenDeps {
  readonly config: Pick<PaymentDeps['config'], 'fingerprintKey'>;
  readonly merchants: PaymentDeps['merchants'];
  readonly customers: PaymentDeps['customers'];
  readonly methods: PaymentDeps['methods'];
  readonly bins: BinTable;
  readonly savedCards: Pick<PaymentInstrumentRepository, 'insert' | 'find'>;
}

export type TokenizeWallet = (request: TokenizationBody, caller: Caller) => Promise<PaymentInstrument>;

declare module '../deps.js' {
  interface UseCases {
    tokenizeWallet: TokenizeWallet;
  }
}

/** @throws {GatewayError} `MISSING_CARDHOLDER_INFO` */
function checkCardholder({ paymentMethod }: TokenizationBody): void {
  if (paymentMethod.source !== 'wallet-b-pay-token' || paymentMethod.walletBPayToken?.cardholder?.name !== undefined)
    return;
  const params = { 'paymentMethod.walletBPayToken.cardholder.name': ['is required for wallet-b'] };
  throw new GatewayError('MISSING_CARDHOLDER_INFO', { params });
}

/** A token for a day keeps the cryptogram for its charge; a lasting one is charged as a stored card, without. */
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
  deps: TokenizationDeps,
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
      ? { type, expiresAt: new Date(createdAt.getTime() + limits.temporalTokenMs) }
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

export function makeTokenizeWallet(deps: TokenizationDeps): TokenizeWallet {
  return async (request, caller) => {
    const { merchantId, paymentMethod } = request;
    const { clientId } = caller.principal;
    const { idempotency } = caller;
    const token = idempotency ? guidFrom(idempotency.seed) : newInstrumentToken();
    const made = idempotency?.resumed ? await deps.savedCards.find(clientId, token) : undefined;
    if (made) return made;
    await refuseSuspended(deps, merchantId);
    await checkCustomer(deps, clientId, request.customerId);
    checkCardholder(request);
    const walletType = paymentMethod.source === 'wallet-a-pay-token' ? 'wallet-a-pay' : 'wallet-b-pay';
    const sent = paymentMethod.walletAPayToken ?? paymentMethod.walletBPayToken;
    const credential = await openWallet(deps, { merchantId, walletType, token: sent?.token ?? '' }, caller);
    checkCredential(credential, deps.clock.now());
    const instrument = await toInstrument(deps, token, request, credential, clientId);
    await useOnce(deps, { walletType, uniqueId: credential.uniqueId, owner: `${clientId}:tokenization:${token}` });
    await deps.savedCards.insert(instrument);
    return instrument;
  };
}
