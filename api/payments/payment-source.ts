/**
 * What a payment is charged to: what is shown of it, what is sealed with the payment, and what is only referred to. Card data
 * goes no further than this file and what opens wallets (docs/security.md#sealing).
 */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import { binOf, last4Of, validateCvc } from '../../shared/domain/card/card-checks.js';
import { defined } from '../../shared/domain/defined.js';
import {
  type CardOrigin,
  cardOriginOf,
  type PaymentInstrument,
} from '../../shared/domain/instrument/payment-instrument.js';
import type { CardSource, CardView, Payment, PaymentSource } from '../../shared/domain/payment/payment.js';
import type { CardBrand } from '../../shared/domain/payment-method-catalog.js';
import type { Principal } from '../../shared/domain/principal.js';
import { after } from '../../shared/domain/time.js';
import type { BinTable } from '../../shared/store/bin-range.repository.js';
import { cardFingerprint } from '../../shared/vault/card-fingerprint.js';
import type { SealBinding } from '../../shared/vault/vault.js';
import { findUsableCard } from '../customers/find-usable-card.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { refuseOtherCustomer } from './check-payment-request.js';
import {
  type ExternalAuthentication,
  externalAuthenticationOf,
  withoutAuthentication,
} from './external-authentication.js';
import { refuseOwnNumber } from './numbers-in-text.js';
import type { PaymentDraft } from './payment-draft.js';
import type { PaymentMethodBody } from './payment-method.schema.js';
import { isWalletMethod, openWalletSource, type WalletCard } from './wallet-source.js';

/** With its card data: nothing outside of this file has it. */
interface ResolvedSource extends Partial<Pick<WalletCard, 'use' | 'needsCvc' | 'cardType'>> {
  /** What a wallet token held, also one that was saved for a day. */
  readonly chargedAs?: WalletCard['chargedAs'];
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
  readonly saved?: Pick<PaymentInstrument, 'customerId' | 'paymentId' | 'cardFingerprint' | 'cardOrigin'>;
  /** The merchant's own authentication of the payer. */
  readonly external?: ExternalAuthentication;
}

type SealedFields = Pick<Payment, 'card' | 'cvc' | 'cvcDestroyAt' | 'instrument' | 'authenticationValue'>;

/** A source whose card data is sealed: what is known of it from here on. */
export type SealedSource = Omit<ResolvedSource, 'card' | 'secret' | 'number' | 'external'> & {
  /** Where a card whose number was sent was issued: the ranges of the table have more digits than are shown. */
  readonly originIn?: (bins: Pick<BinTable, 'find'>) => Promise<CardOrigin | undefined>;
  /** The merchant's own authentication, without its value. */
  readonly external?: Omit<ExternalAuthentication, 'value'>;
  readonly sealed: SealedFields;
  /** The payer's own secret came with it: a cvc, or a cryptogram. */
  readonly withSecret: boolean;
};

/** The payment that the envelopes belong to. */
type Binding = Omit<SealBinding, 'field'>;
type Deps = Pick<ApiDeps, 'config' | 'clock' | 'vault'>;
type Resolve = (method: PaymentMethodBody) => ResolvedSource;

interface NumberAndExpiry {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
}

const viewOf = ({ number, expMonth, expYear }: NumberAndExpiry) => ({
  last4: last4Of(number),
  bin: binOf(number),
  expirationMonth: expMonth,
  expirationYear: expYear,
});

/** The data of the source: the schema has seen to it that it is there. */
function requireSource<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the payment method has no member for its source');
  return value;
}

const card: Resolve = (method) => {
  const { number, expMonth, expYear, cvc, cardholder, metadata } = requireSource(method.card);
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
  const { number, expMonth, expYear, cryptogram, eci } = requireSource(method.networkToken);
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
  const clickToPayToken = requireSource(method.clickToPayToken);
  return {
    source: 'click-to-pay-token',
    brand: clickToPayToken.scheme as CardBrand,
    view: undefined,
    card: { clickToPay: clickToPayToken },
  };
};

/** How the card data of each source is found in the request; `undefined`: the request refers to it only. */
const resolvers: Readonly<Record<PaymentSource, Resolve | undefined>> = {
  card,
  'network-token': networkToken,
  'click-to-pay-token': clickToPay,
  token: undefined,
  'wallet-a-pay-token': undefined,
  'wallet-b-pay-token': undefined,
  'bank-transfer': undefined,
};

/** @throws {GatewayError} `invalid-card-payment-method-token`, as {@link findUsableCard}; `invalid-card-cvc` */
async function savedCard(
  deps: Pick<ApiDeps, 'instruments' | 'clock'>,
  method: PaymentMethodBody,
  principal: Principal,
): Promise<ResolvedSource> {
  const { token: id, cvc } = requireSource(method.paymentInstrument);
  const instrument = await findUsableCard(deps, principal, id, 'paymentMethod.paymentInstrument.token');
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

const withoutValue = ({ value: _value, ...rest }: ExternalAuthentication) => rest;

/**
 * The last function that sees the number of the card: card and secret go in an envelope each, bound to the payment; the
 * secret's is destroyed with the outcome.
 * @throws {VaultError} when there is no key: nothing was stored
 */
async function sealSource(deps: Deps, resolved: ResolvedSource, binding: Binding): Promise<SealedSource> {
  const { card, secret, number, external, ...known } = resolved;
  // In the envelope and nowhere else: it goes with the card, and a card that is saved takes it along (docs/security.md#destroyed-numbers).
  const fingerprint = number === undefined ? undefined : cardFingerprint(deps.config.fingerprintKey, number);
  const [sealedCard, sealedSecret, sealedProof] = await Promise.all([
    card && deps.vault.seal('card', JSON.stringify({ fingerprint, ...card }), { field: 'card', ...binding }),
    secret === undefined ? undefined : deps.vault.seal('cvc', secret, { field: 'cvc', ...binding }),
    external && deps.vault.seal('cvc', external.value, { field: 'authenticationValue', ...binding }),
  ]);
  const sealed: SealedFields = defined({
    card: sealedCard,
    cvc: sealedSecret,
    cvcDestroyAt: sealedSecret && after(deps.clock.now(), limits.cvcDestroyMs),
    authenticationValue: sealedProof,
    instrument: known.instrument,
  });
  return {
    sealed,
    withSecret: secret !== undefined,
    ...known,
    ...(external && { external: withoutValue(external) }),
    ...(number !== undefined && { originIn: async (bins) => cardOriginOf((await bins.find(number))?.issuer) }),
  };
}

/**
 * A source whose card data is in the request; `undefined` for one that the request refers to.
 * @param hosted the payer is at our own page: the number was typed there, the texts were sent before by the integrator. The texts
 * of an integrator's own payment were looked through by its endpoint, together with its number.
 * @throws {GatewayError} `request-validation-errors` where a text of the request holds the number; as {@link sealSource}
 */
export async function sealSent(
  deps: Deps,
  draft: PaymentDraft,
  binding: Binding,
  hosted: boolean,
): Promise<SealedSource | undefined> {
  const sent = resolvers[draft.paymentMethod.source]?.(draft.paymentMethod);
  if (hosted) refuseOwnNumber(draft, sent?.number);
  return sent && sealSource(deps, sent, binding);
}

/**
 * A source that the request refers to: a saved card, or a wallet token. `undefined` for a bank transfer.
 * @param hosted the payer is at our own page
 * @throws {GatewayError} `invalid-card-payment-method-token`, `invalid-card-cvc`, `request-validation-errors` naming
 * `customerId`; for wallets as {@link openWalletSource}; as {@link sealSource}.
 */
export async function sealReferred(
  deps: ApiDeps,
  draft: PaymentDraft,
  binding: Binding,
  hosted: boolean,
  caller: Caller,
): Promise<SealedSource | undefined> {
  const { paymentMethod, merchantId, amount, customerId } = draft;
  if (paymentMethod.source === 'token') {
    const resolved = await savedCard(deps, paymentMethod, caller.principal);
    refuseOtherCustomer(resolved.saved, customerId);
    return sealSource(deps, resolved, binding);
  }
  if (!isWalletMethod(paymentMethod)) return undefined;
  const order = { merchantId, amount, way: hosted ? 'hosted' : 'api' } as const;
  const opened = await openWalletSource(deps, paymentMethod, order, caller);
  refuseOwnNumber(draft, opened.number);
  return sealSource(deps, opened, binding);
}
