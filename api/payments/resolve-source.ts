/**
 * Where the card of a payment comes from: what is shown of it, what is sealed with the payment, and what is only referred to.
 * Card data goes no further than this file and the sealing (docs/security.md#sealing).
 */

import { GatewayError } from '../../shared/contract/gateway-error.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import { binOf, expiryProblem, last4Of, luhnValid, validateCvc } from '../../shared/domain/card/card-checks.js';
import {
  type CardType,
  instrumentStatus,
  type PaymentInstrument,
} from '../../shared/domain/instrument/payment-instrument.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { CardSource, CardView } from '../../shared/domain/payment/payment.js';
import type { CardBrand } from '../../shared/domain/payment-method-catalog.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { WalletType } from '../../shared/domain/wallet/integration.js';
import type { WalletCredential } from '../../shared/wallets/credential.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { openWallet } from '../wallets/open-wallet-token.js';
import { refuseOtherCustomer } from './check-payment-request.js';
import {
  type ExternalAuthentication,
  externalAuthenticationOf,
  withoutAuthentication,
} from './external-authentication.js';
import type { PaymentDraft } from './payment-draft.js';
import type { PaymentMethodBody } from './payment-method.schema.js';

export const walletOf = { 'wallet-a-pay-token': 'wallet-a-pay', 'wallet-b-pay-token': 'wallet-b-pay' } as const;
export type WalletSource = keyof typeof walletOf;
export const isWalletSource = (source: string): source is WalletSource => Object.hasOwn(walletOf, source);

export const isWalletMethod = (
  method: PaymentMethodBody,
): method is PaymentMethodBody & { readonly source: WalletSource } => isWalletSource(method.source);

/** The use of a token that a payment claims before it is stored. */
export interface SourceUse {
  readonly walletType: WalletType;
  readonly uniqueId: string;
}

export interface ResolvedSource {
  /** A wallet token, which is used once. */
  readonly use?: SourceUse;
  /** What a wallet token held, also one that was saved for a day: a card, or a network token with its cryptogram. */
  readonly chargedAs?: 'wallet-cryptogram' | 'wallet-pan-only';
  /** A PAN-only credential of wallet-a without its cvc: it must be authenticated. */
  readonly needsCvc?: true;
  readonly source: CardSource;
  /** `undefined`: the number belongs to no brand of the catalog. */
  readonly brand: CardBrand | undefined;
  readonly view: Omit<CardView, 'brand'> | undefined;
  /** Sealed as JSON until the card is needed no more. */
  readonly card?: object;
  /** Sealed apart and destroyed with the outcome: the cvc, or a cryptogram. */
  readonly secret?: string;
  /** Number to make the fingerprint of. */
  readonly number?: string;
  /** Saved card that is charged; its own envelope holds the card. */
  readonly instrument?: string;
  /** What is known of that saved card. */
  readonly saved?: SavedCardFacts;
  /** Of a wallet's card at a hosted page, where the issuer table knows it. */
  readonly cardType?: CardType | undefined;
  /** The merchant's own authentication of the payer. */
  readonly external?: ExternalAuthentication;
}

export type SavedCardFacts = Pick<PaymentInstrument, 'customerId' | 'paymentId' | 'cardFingerprint' | 'cardOrigin'>;

type Resolve = (method: PaymentMethodBody) => ResolvedSource;

interface Numbered {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
}

const viewOf = ({ number, expMonth, expYear }: Numbered) => ({
  last4: last4Of(number),
  bin: binOf(number),
  expirationMonth: expMonth,
  expirationYear: expYear,
});

/** The schema has seen to it that the member of the source is there. */
function member<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the payment method has no member for its source');
  return value;
}

const card: Resolve = (method) => {
  const { number, expMonth, expYear, cvc, cardholder, metadata } = member(method.card);
  const external = externalAuthenticationOf(metadata);
  return {
    source: 'card',
    brand: detectBrand(number),
    view: viewOf({ number, expMonth, expYear }),
    number,
    card: { number, expMonth, expYear, cardholder, metadata: withoutAuthentication(metadata) },
    ...(external && { external }),
    ...(cvc !== undefined && { secret: JSON.stringify({ cvc }) }),
  };
};

const networkToken: Resolve = (method) => {
  const { number, expMonth, expYear, cryptogram, eci } = member(method.networkToken);
  return {
    source: 'network-token',
    brand: detectBrand(number),
    view: viewOf({ number, expMonth, expYear }),
    number,
    card: { number, expMonth, expYear },
    secret: JSON.stringify({ cryptogram, eci }),
  };
};

const clickToPay: Resolve = (method) => {
  const clickToPayToken = member(method.clickToPayToken);
  return {
    source: 'click-to-pay-token',
    brand: clickToPayToken.scheme as CardBrand,
    view: undefined,
    card: { clickToPay: clickToPayToken },
  };
};

const resolvers: Readonly<Partial<Record<string, Resolve>>> = {
  card,
  'network-token': networkToken,
  'click-to-pay-token': clickToPay,
};

/** A source whose card data is in the request; `undefined` for one that the request refers to. */
export const resolveSent = (method: PaymentMethodBody): ResolvedSource | undefined =>
  resolvers[method.source]?.(method);

const unusable = (internal: string) => new GatewayError('invalid-card-payment-method-token', { internal });

/** One answer for a token that is unknown, expired, deleted, another client's or of a merchant that is not granted. */
async function savedCard(
  deps: Pick<ApiDeps, 'instruments' | 'clock'>,
  method: PaymentMethodBody,
  principal: Principal,
): Promise<ResolvedSource> {
  const { token: id, cvc } = member(method.paymentInstrument);
  const instrument = await deps.instruments.find(principal.clientId, id);
  if (!instrument?.card) throw unusable('there is no such token');
  if (instrumentStatus(instrument, deps.clock.now()) === 'expired') throw unusable('the token has run out');
  if (principal.merchants !== 'all' && !principal.merchants.includes(instrument.merchantId)) {
    throw unusable('the merchant of the token is not granted to the key');
  }
  const brand = instrument.paymentMethodId as CardBrand;
  if (cvc !== undefined && !validateCvc(cvc, brand)) {
    const params = { 'paymentMethod.paymentInstrument.cvc': ['does not have the number of digits of the card brand'] };
    throw new GatewayError('invalid-card-cvc', { params });
  }
  const { last4, bin, expMonth, expYear } = instrument;
  return {
    source: 'token',
    brand,
    view: { last4, bin, expirationMonth: expMonth, expirationYear: expYear },
    instrument: instrument._id,
    saved: instrument,
    ...(cvc !== undefined && { secret: JSON.stringify({ cvc }) }),
    ...(instrument.withCryptogram && { chargedAs: 'wallet-cryptogram' as const }),
    ...(instrument.panOnly && cvc === undefined && { needsCvc: true as const }),
  };
}

interface Order {
  /** The payer's try of a session. */
  readonly sessionTry?: object | undefined;
  readonly merchantId: number;
  readonly amount: { readonly totalMinor: number; readonly currency: string };
}

/** wallet-b has no cardholder, so the caller sends it. @throws {GatewayError} `MISSING_CARDHOLDER_INFO` */
function checkCardholder(method: PaymentMethodBody): void {
  if (method.source !== 'wallet-b-pay-token') return;
  const { firstName, lastName, email } = method.walletBPayToken?.cardholder ?? {};
  const given = { firstName, lastName, email };
  const missing = Object.entries(given).filter(([, value]) => value === undefined);
  if (missing.length === 0) return;
  const at = (name: string) => `paymentMethod.walletBPayToken.cardholder.${name}`;
  throw new GatewayError('MISSING_CARDHOLDER_INFO', {
    params: Object.fromEntries(missing.map(([name]) => [at(name), ['is required for wallet-b']])),
  });
}

/** What the payer approved must be what is charged. @throws {GatewayError} `INVALID_WALLET_B_PAY_TOKEN` */
function checkOrder({ approved }: WalletCredential, { amount }: Order): void {
  if (!approved) return;
  const same =
    approved.totalMinor === amount.totalMinor && approved.currencyNumber === findCurrency(amount.currency)?.numeric;
  if (!same) throw new GatewayError('INVALID_WALLET_B_PAY_TOKEN', { internal: 'amount or currency differ' });
}

/** @throws {GatewayError} for a card that could not be charged however it came. */
export function checkCredential({ number, expMonth, expYear }: WalletCredential, now: Date): void {
  if (!luhnValid(number))
    throw new GatewayError('invalid-card-number', { internal: 'the wallet holds no card number' });
  if (expiryProblem(expMonth, expYear, now)) throw new GatewayError('invalid-card-expiration-date');
}

/** @throws {GatewayError} */
async function resolveWalletSource(
  deps: ApiDeps,
  method: PaymentMethodBody & { readonly source: WalletSource },
  order: Order,
  caller: Pick<Caller, 'principal' | 'traceId'>,
): Promise<ResolvedSource> {
  checkCardholder(method);
  const sent = method.source === 'wallet-a-pay-token' ? method.walletAPayToken : method.walletBPayToken;
  if (!sent) throw new Error('the payment method has no member for its source');
  const walletType = walletOf[method.source];
  const { merchantId, sessionTry } = order;
  const way = sessionTry ? 'hosted' : 'api';
  const credential = await openWallet(deps, { merchantId, walletType, token: sent.token, way }, caller);
  checkOrder(credential, order);
  checkCredential(credential, deps.clock.now());
  const { number, expMonth, expYear, uniqueId } = credential;
  const brand = detectBrand(number);
  if (sent.cvc !== undefined && !validateCvc(sent.cvc, brand)) {
    const params = { 'paymentMethod.walletAPayToken.cvc': ['does not have the number of digits of the card brand'] };
    throw new GatewayError('invalid-card-cvc', { params });
  }
  const view = { last4: last4Of(number), bin: binOf(number), expirationMonth: expMonth, expirationYear: expYear };
  const card = { number, expMonth, expYear, ...(sent.cardholder && { cardholder: sent.cardholder }) };
  const use: SourceUse = { walletType, uniqueId };
  // A session may take cards of one type only: what a wallet holds is known here first.
  const cardType = sessionTry ? (await deps.bins.find(number))?.cardType : undefined;
  const common = { source: method.source, brand, view, number, card, use, cardType };
  if (credential.kind === 'cryptogram') {
    const { cryptogram, eci } = credential;
    const secret = JSON.stringify({ cryptogram, ...(eci !== undefined && { eci }) });
    return { ...common, chargedAs: 'wallet-cryptogram', secret };
  }
  return sent.cvc === undefined
    ? { ...common, chargedAs: 'wallet-pan-only', needsCvc: true }
    : { ...common, chargedAs: 'wallet-pan-only', secret: JSON.stringify({ cvc: sent.cvc }) };
}

/**
 * A source that the request refers to: a saved card, or a wallet token. `undefined` for a bank transfer.
 * @throws {GatewayError} `invalid-card-payment-method-token`, `invalid-card-cvc`, `request-validation-errors` naming
 * `customerId`; for wallets as {@link resolveWalletSource}.
 */
export async function resolveReferred(
  deps: ApiDeps,
  draft: PaymentDraft,
  caller: Caller,
): Promise<ResolvedSource | undefined> {
  const { paymentMethod, customerId } = draft;
  if (isWalletMethod(paymentMethod)) return resolveWalletSource(deps, paymentMethod, draft, caller);
  if (paymentMethod.source !== 'token') return undefined;
  const resolved = await savedCard(deps, paymentMethod, caller.principal);
  refuseOtherCustomer(resolved.saved, customerId);
  return resolved;
}
