/** A wallet token as the source of a payment: opened, checked against the order, and from then on like a card or a network token. */

import { GatewayError } from '../../shared/contract/gateway-error.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import { binOf, expiryProblem, last4Of, luhnValid, validateCvc } from '../../shared/domain/card/card-checks.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { WalletCredential } from '../../shared/wallets/credential.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { openWallet } from '../wallets/open-wallet-token.js';
import type { PaymentMethodBody } from './payment-method.schema.js';
import type { ResolvedSource } from './resolve-source.js';
import { type SourceUse, type WalletSource, walletOf } from './source-use.js';

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
export async function resolveWalletSource(
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
  const common = { source: method.source, brand, view, number, card, use };
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
 * A PAN-only credential is either authenticated or comes with its cvc (docs/api.md#wallet-a).
 * @throws {GatewayError} `wallet-a-pay-pan-only-cvc-required`
 */
export function checkPanOnly(source: Pick<ResolvedSource, 'needsCvc'>, authenticates: boolean): void {
  if (source.needsCvc && !authenticates) throw new GatewayError('wallet-a-pay-pan-only-cvc-required');
}
