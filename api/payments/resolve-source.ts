/**
 * Where the card of a payment comes from: what is shown of it, what is sealed with the payment, and what is only referred to.
 * Card data goes no further than this file and the sealing (docs/security.md#sealing).
 */

import { GatewayError } from '../../shared/contract/gateway-error.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import { binOf, last4Of, validateCvc } from '../../shared/domain/card/card-checks.js';
import { instrumentStatus, type PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import type { CardSource, CardView } from '../../shared/domain/payment/payment.js';
import type { CardBrand } from '../../shared/domain/payment-method-catalog.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import {
  type ExternalAuthentication,
  externalAuthenticationOf,
  withoutAuthentication,
} from './external-authentication.js';
import type { PaymentMethodBody } from './payment-method.schema.js';
import type { SourceUse, WalletSource } from './source-use.js';

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
  /** The merchant's own authentication of the payer. */
  readonly external?: ExternalAuthentication;
}

export type SavedCardFacts = Pick<PaymentInstrument, 'customerId' | 'paymentId' | 'cardFingerprint'>;

type Resolve = (deps: ApiDeps, method: PaymentMethodBody, principal: Principal) => Promise<ResolvedSource>;

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

const card: Resolve = async (_deps, method) => {
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

const unusable = (internal: string) => new GatewayError('invalid-card-payment-method-token', { internal });

/** One answer for a token that is unknown, expired, deleted, another client's or of a merchant that is not granted. */
const token: Resolve = async (deps, method, principal) => {
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
};

const networkToken: Resolve = async (_deps, method) => {
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

const clickToPay: Resolve = async (_deps, method) => {
  const clickToPayToken = member(method.clickToPayToken);
  return {
    source: 'click-to-pay-token',
    brand: clickToPayToken.scheme as CardBrand,
    view: undefined,
    card: { clickToPay: clickToPayToken },
  };
};

const resolvers = {
  card,
  token,
  'network-token': networkToken,
  'click-to-pay-token': clickToPay,
} as const satisfies Record<Exclude<CardSource, WalletSource>, Resolve>;

/**
 * For every source but the wallets, whose tokens are opened elsewhere.
 * @throws {GatewayError} `invalid-card-payment-method-token`, `invalid-card-cvc`.
 */
export const resolveSource = (
  deps: ApiDeps,
  method: PaymentMethodBody & { readonly source: keyof typeof resolvers },
  principal: Principal,
): Promise<ResolvedSource> => resolvers[method.source](deps, method, principal);
