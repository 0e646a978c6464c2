/** A payment by a wallet token: the `wallet` pool opens the token, then its content is checked here. */

import { GatewayError } from '../../shared/contract/gateway-error.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import { binOf, expiryProblem, last4Of, luhnValid, validateCvc } from '../../shared/domain/card/card-checks.js';
import type { CardType } from '../../shared/domain/instrument/payment-instrument.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { CardView } from '../../shared/domain/payment/payment.js';
import type { CardBrand } from '../../shared/domain/payment-method-catalog.js';
import {
  isWalletSource,
  type WalletSource,
  type WalletType,
  walletOfSource,
} from '../../shared/domain/wallet/integration.js';
import type { WalletCredential } from '../../shared/wallets/credential.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { openWallet } from '../wallets/open-wallet-token.js';
import type { PaymentChannel } from './payment-draft.js';
import type { PaymentMethodBody } from './payment-method.schema.js';

export type WalletMethod = PaymentMethodBody & { readonly source: WalletSource };

export const isWalletMethod = (method: PaymentMethodBody): method is WalletMethod => isWalletSource(method.source);

/** The use of a token, which a payment claims before it is stored. */
export interface SourceUse {
  readonly walletType: WalletType;
  readonly uniqueId: string;
}

/** Content of a token: a card, or a network token with its cryptogram. */
export interface WalletCard {
  readonly source: WalletSource;
  readonly use: SourceUse;
  readonly chargedAs: 'wallet-cryptogram' | 'wallet-pan-only';
  /** Set for a PAN-only credential of wallet-a without its cvc: it must be authenticated. */
  readonly needsCvc?: true;
  /** `undefined` when the number belongs to no brand of the catalog. */
  readonly brand: CardBrand | undefined;
  readonly view: Omit<CardView, 'brand'>;
  /** Only at a hosted page, when the issuer table knows it. */
  readonly cardType: CardType | undefined;
  readonly number: string;
  readonly card: object;
  readonly secret?: string;
}

/** What the payer approved in the wallet, and the channel by which the token came. */
export interface WalletOrder {
  readonly merchantId: number;
  readonly amount: { readonly totalMinor: number; readonly currency: string };
  readonly channel: PaymentChannel;
}

/** wallet-b has no cardholder, so the caller sends it. @throws {GatewayError} `MISSING_CARDHOLDER_INFO` */
function checkCardholder(method: WalletMethod): void {
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

/** Checks that the payer approved what is charged. @throws {GatewayError} `INVALID_WALLET_B_PAY_TOKEN` */
function checkOrder({ approved }: WalletCredential, { amount }: WalletOrder): void {
  if (!approved) return;
  const same =
    approved.totalMinor === amount.totalMinor && approved.currencyNumber === findCurrency(amount.currency)?.numeric;
  if (!same) throw new GatewayError('INVALID_WALLET_B_PAY_TOKEN', { internal: 'amount or currency differ' });
}

/** @throws {GatewayError} for a card that could not be charged even without a wallet. */
export function checkCredential({ number, expMonth, expYear }: WalletCredential, now: Date): void {
  if (!luhnValid(number))
    throw new GatewayError('invalid-card-number', { internal: 'the wallet holds no card number' });
  if (expiryProblem(expMonth, expYear, now)) throw new GatewayError('invalid-card-expiration-date');
}

/**
 * Opens the wallet token and checks its content.
 * @throws {GatewayError} `MISSING_CARDHOLDER_INFO`; a code of the wallet table; the errors of a card, when its content is refused;
 * `service-unavailable` when no pool opened it in time.
 */
export async function openWalletSource(
  deps: ApiDeps,
  method: WalletMethod,
  order: WalletOrder,
  caller: Pick<Caller, 'principal' | 'traceId'>,
): Promise<WalletCard> {
  checkCardholder(method);
  const sent = method.source === 'wallet-a-pay-token' ? method.walletAPayToken : method.walletBPayToken;
  if (!sent) throw new Error('the payment method has no member for its source');
  const walletType = walletOfSource[method.source];
  const { merchantId, channel } = order;
  const credential = await openWallet(deps, { merchantId, walletType, token: sent.token, channel }, caller);
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
  // A session may take cards of one type only. The type of a wallet's card is known only now.
  const cardType = channel === 'hosted' ? (await deps.bins.find(number))?.cardType : undefined;
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
