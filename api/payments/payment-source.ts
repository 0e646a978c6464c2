/**
 * The source that a payment is charged to: what is shown of it, what is sealed with the payment, and what is only referred to.
 * Plain card data stays in this file and in the code that opens wallets (docs/security.md#sealing).
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
import type { PaymentChannel, PaymentDraft } from './payment-draft.js';
import type { PaymentMethodBody } from './payment-method.schema.js';
import { findUnusedCryptogram } from './saved-cryptogram.js';
import { isWalletMethod, openWalletSource, type WalletCard } from './wallet-source.js';

/** Source with its plain card data: nothing outside of this file has it. */
interface ResolvedSource extends Partial<Pick<WalletCard, 'use' | 'needsCvc' | 'cardType'>> {
  /** What the wallet token was, also when a card saved from it (for a day) is charged. */
  readonly chargedAs?: WalletCard['chargedAs'];
  readonly source: CardSource;
  /** `undefined` when the number belongs to no brand of the catalog. */
  readonly brand: CardBrand | undefined;
  readonly view: Omit<CardView, 'brand'> | undefined;
  /** Card data, sealed as JSON until the card is no longer needed. */
  readonly card?: object;
  /** The cvc or a cryptogram: sealed apart and destroyed with the outcome. */
  readonly secret?: string;
  /** Number that the fingerprint is computed from. */
  readonly number?: string;
  /** Token of the saved card that is charged; the card data is in the envelope of that card. */
  readonly instrument?: string;
  /** What is known about that saved card. */
  readonly saved?: Pick<PaymentInstrument, 'customerId' | 'paymentId' | 'cardFingerprint' | 'cardOrigin'>;
  /** The merchant's own authentication of the payer. */
  readonly external?: ExternalAuthentication;
}

type SealedFields = Pick<Payment, 'card' | 'cvc' | 'cvcDestroyAt' | 'instrument' | 'authenticationValue'>;

/** A source whose card data is sealed, with everything that the rest of the flow may know. */
export type SealedSource = Omit<ResolvedSource, 'card' | 'secret' | 'number' | 'external'> & {
  /** Finds where the card was issued, when its number was sent: the ranges of the table have more digits than are shown. */
  readonly findOrigin?: (bins: Pick<BinTable, 'find'>) => Promise<CardOrigin | undefined>;
  /** The merchant's own authentication, without its value. */
  readonly external?: Omit<ExternalAuthentication, 'value'>;
  readonly sealed: SealedFields;
  /** Whether a secret of the payer came with the source: a cvc, or a cryptogram. */
  readonly withSecret: boolean;
};

/** The payment that the envelopes are bound to. */
type Binding = Omit<SealBinding, 'field'>;

/** The payment that a source is for. */
export interface SourceContext {
  readonly binding: Binding;
  readonly channel: PaymentChannel;
  /** Who uses a wallet token ({@link tokenOwnerOf}). */
  readonly tokenOwner: string;
}

/** Names the payment that uses a wallet token. A repeated request of the same payment has the same name. */
export const tokenOwnerOf = (
  clientId: string,
  referenceId: string,
  { _id, sessionId }: Pick<Payment, '_id' | 'sessionId'>,
): string => `${clientId}:payment:${sessionId === undefined ? referenceId : _id}`;

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

/** Returns the data of the source. The schema guarantees that it is there. */
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

/** Functions that read the card data of each source from the request; `undefined` when the request only refers to it. */
const resolvers: Readonly<Record<PaymentSource, Resolve | undefined>> = {
  card,
  'network-token': networkToken,
  'click-to-pay-token': clickToPay,
  token: undefined,
  'wallet-a-pay-token': undefined,
  'wallet-b-pay-token': undefined,
  'bank-transfer': undefined,
};

/** Finds the saved card. @throws {GatewayError} `invalid-card-payment-method-token`, as {@link findUsableCard}; `invalid-card-cvc` */
async function savedCard(
  deps: Pick<ApiDeps, 'instruments' | 'clock' | 'walletUses'>,
  { paymentMethod: method, recurring }: Pick<PaymentDraft, 'paymentMethod' | 'recurring'>,
  { tokenOwner }: Pick<SourceContext, 'tokenOwner'>,
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
  const withPayer = recurring?.type !== 'subsequent';
  const use = withPayer ? await findUnusedCryptogram(deps, instrument, tokenOwner) : undefined;
  return {
    source: 'token',
    brand,
    view: { last4, bin, expirationMonth: expMonth, expirationYear: expYear },
    instrument: instrument._id,
    saved: instrument,
    ...(cvc !== undefined && { secret: JSON.stringify({ cvc }) }),
    ...(use && { chargedAs: 'wallet-cryptogram', use }),
    ...(instrument.panOnly && cvc === undefined && { needsCvc: true as const }),
  };
}

const withoutValue = ({ value: _value, ...rest }: ExternalAuthentication) => rest;

/**
 * Seals card and secret in an envelope each, bound to the payment; the envelope of the secret is destroyed with the outcome. Except
 * for the look-up in `originIn`, this is the last use of the card number.
 * @throws {VaultError} when there is no key: nothing was stored
 */
async function sealSource(deps: Deps, resolved: ResolvedSource, binding: Binding): Promise<SealedSource> {
  const { card, secret, number, external, ...known } = resolved;
  // Only in the envelope: so the fingerprint is destroyed with the card, and kept by a card that is saved
  // (docs/security.md#destroyed-numbers).
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
    ...(number !== undefined && { findOrigin: async (bins) => cardOriginOf((await bins.find(number))?.issuer) }),
  };
}

/**
 * Seals a source whose card data is in the request; `undefined` for a source that the request only refers to.
 * At a hosted page, the payer typed the number and the integrator sent the texts before, so the texts are checked against the number here.
 * For an integrator's own payment, the endpoint has checked them already.
 * @throws {GatewayError} `request-validation-errors` when a text of the request has the number; as {@link sealSource}
 */
export async function sealCardOfRequest(
  deps: Deps,
  draft: PaymentDraft,
  { binding, channel }: SourceContext,
): Promise<SealedSource | undefined> {
  const sent = resolvers[draft.paymentMethod.source]?.(draft.paymentMethod);
  if (channel === 'hosted') refuseOwnNumber(draft, sent?.number);
  return sent && sealSource(deps, sent, binding);
}

/**
 * Seals a source that the request refers to: a saved card, or a wallet token. `undefined` for a bank transfer.
 * @throws {GatewayError} `invalid-card-payment-method-token`, `invalid-card-cvc`, `request-validation-errors` naming
 * `customerId`; for wallets as {@link openWalletSource}; as {@link sealSource}.
 */
export async function sealReferencedCard(
  deps: ApiDeps,
  draft: PaymentDraft,
  context: SourceContext,
  caller: Caller,
): Promise<SealedSource | undefined> {
  const { paymentMethod, merchantId, amount, customerId } = draft;
  const { binding, channel } = context;
  if (paymentMethod.source === 'token') {
    const resolved = await savedCard(deps, draft, context, caller.principal);
    refuseOtherCustomer(resolved.saved, customerId);
    return sealSource(deps, resolved, binding);
  }
  if (!isWalletMethod(paymentMethod)) return undefined;
  const opened = await openWalletSource(deps, paymentMethod, { merchantId, amount, channel }, caller);
  refuseOwnNumber(draft, opened.number);
  return sealSource(deps, opened, binding);
}
