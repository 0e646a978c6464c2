/** `POST /v1/tokenizations`: a wallet token becomes a saved card. */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { TokenizationBody } from '../../shared/contract/tokenization/tokenization.schema.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import { binOf, last4Of } from '../../shared/domain/card/card-checks.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { guidFrom, newInstrumentToken } from '../../shared/ids.js';
import type { BinTable } from '../../shared/store/bin-range.repository.js';
import type { PaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { cardFingerprint } from '../../shared/vault/card-fingerprint.js';
import type { WalletCredential } from '../../shared/wallets/credential.js';
import { checkCustomer, refuseSuspended } from './check-payment-request.js';
import { openWallet, useOnce } from './open-wallet-token.js';
import type { Caller, PaymentDeps } from './payment-deps.js';
import { checkCredential } from './wallet-source.js';
import type { WalletTokenDeps } from './wallet-token-deps.js';

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

const LOCAL_COUNTRY = 'UY';

/** @throws {GatewayError} `MISSING_CARDHOLDER_INFO` */
function checkCardholder({ paymentMethod }: TokenizationBody): void {
  if (paymentMethod.source !== 'wallet-b-pay-token' || paymentMethod.walletBPayToken?.cardholder?.name !== undefined)
    return;
  const params = { 'paymentMethod.walletBPayToken.cardholder.name': ['is required for wallet-b'] };
  throw new GatewayError('MISSING_CARDHOLDER_INFO', { params });
}

/** A token for a day keeps the cryptogram for its charge; a lasting one is charged as a stored card, without. */
function sealedCard(credential: WalletCredential, type: TokenizationBody['type'], name: string | undefined): string {
  const { number, expMonth, expYear } = credential;
  const keeps = type === 'temporal' && credential.kind === 'cryptogram';
  return JSON.stringify({
    number,
    expMonth,
    expYear,
    ...(name !== undefined && { cardholder: { firstName: name } }),
    ...(keeps && { networkToken: { cryptogram: credential.cryptogram, eci: credential.eci } }),
  });
}

async function toInstrument(
  deps: TokenizationDeps,
  token: string,
  request: TokenizationBody,
  credential: WalletCredential,
  clientId: string,
): Promise<PaymentInstrument> {
  const { number, expMonth, expYear } = credential;
  const { merchantId, customerId, type, paymentMethod } = request;
  const brand = detectBrand(number);
  const method = brand && (await deps.methods.findPaymentMethod(merchantId, brand));
  if (!brand || !method?.enabled) throw new GatewayError('invalid-card-payment-method', { internal: 'not configured' });
  const sent = paymentMethod.walletAPayToken ?? paymentMethod.walletBPayToken;
  const name = sent?.cardholder?.name ?? credential.cardholderName;
  const now = deps.clock.now();
  const [known, card] = await Promise.all([
    deps.bins.find(number),
    deps.vault.seal('card', sealedCard(credential, type, name), { recordId: token, field: 'card', clientId }),
  ]);
  const expiresAt = type === 'temporal' ? new Date(now.getTime() + limits.temporalTokenMs) : undefined;
  return {
    _id: token,
    clientId,
    merchantId,
    tokenizationType: type === 'temporal' ? 'temporal' : 'persistent',
    paymentMethodId: brand,
    source: paymentMethod.source,
    bin: binOf(number),
    last4: last4Of(number),
    expMonth,
    expYear,
    card,
    cardFingerprint: cardFingerprint(deps.config.fingerprintKey, number),
    createdAt: now,
    ...(customerId !== undefined && { customerId }),
    ...(name !== undefined && { cardholderName: name }),
    ...(credential.kind === 'pan-only' && { panOnly: true as const }),
    ...(known?.cardType && { cardType: known.cardType }),
    ...(known?.issuer && {
      issuer: known.issuer,
      cardOrigin: known.issuer.countryCode === LOCAL_COUNTRY ? ('uruguay' as const) : ('international' as const),
    }),
    ...(expiresAt && { expiresAt, cardDestroyAt: expiresAt }),
  };
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
