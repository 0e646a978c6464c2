/** Builds a saved card: seals it bound to its token, and adds what the BIN table knows of it. */
import { binOf, last4Of } from '../domain/card/card-checks.js';
import { defined } from '../domain/defined.js';
import type { BinRange } from '../domain/instrument/bin-range.js';
import { cardOriginOf, type PaymentInstrument } from '../domain/instrument/payment-instrument.js';
import type { ProcessorDetails } from '../domain/payment/network-answer.js';
import type { Tokenization } from '../domain/payment/payment.js';
import type { Vault } from './vault.js';

/** The card as it is sealed: never with a cvc. */
export interface CardToSave {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cardholder?: { readonly firstName?: string; readonly lastName?: string };
  /** Fingerprint that a saved card is found by, when the card comes from a payment. */
  readonly fingerprint?: string;
  /** For a wallet token that is saved for a day: the cryptogram, which is sent with its charge. */
  readonly networkToken?: { readonly cryptogram: string; readonly eci?: string };
}

/** Owner and token of the card that is to be saved. */
export interface InstrumentOrder extends Tokenization {
  readonly clientId: string;
  readonly merchantId: number;
  /** When the card is created: `expiresAt`, if there is one, was counted from this moment. */
  readonly createdAt: Date;
  readonly paymentMethodId: string;
  readonly customerId?: string | undefined;
  /** Payment with which the card is saved. */
  readonly paymentId?: string;
  readonly cardFingerprint?: string | undefined;
  /** What the processor and the network answered to the first payment of the card. */
  readonly firstPayment?: Pick<ProcessorDetails, 'networkTransactionId' | 'networkLinkId' | 'updatedExpiry'>;
  /** Wallet that the card came from. */
  readonly source?: PaymentInstrument['source'];
  readonly panOnly?: PaymentInstrument['panOnly'];
}

interface Deps {
  readonly vault: Pick<Vault, 'seal'>;
  readonly bins: { find(cardNumber: string): Promise<BinRange | undefined> };
}

/** Returns the name on the card as one text; empty when no name was given. */
export const holderNameOf = ({ cardholder }: Pick<CardToSave, 'cardholder'>): string =>
  [cardholder?.firstName, cardholder?.lastName].filter(Boolean).join(' ');

function detailsOfFirst({ firstPayment = {} }: InstrumentOrder): Partial<PaymentInstrument> {
  const { networkTransactionId, networkLinkId, updatedExpiry } = firstPayment;
  return { ...defined({ networkTransactionId, networkLinkId }), ...updatedExpiry };
}

/**
 * Builds a saved card, without storing it; no other code builds one. Each caller decides before whether the card may be saved: a wallet
 * token is used up once and its brand is refused in the words of wallets, a typed card claims the attempt of its session, the card of a
 * payment was checked when the payment was accepted. Callers also differ when the customer was deleted: the API refuses, a worker
 * continues without a card, because the payment succeeded.
 */
export async function buildInstrument(deps: Deps, order: InstrumentOrder, opened: CardToSave) {
  const { number, expMonth, expYear, cardholder, networkToken } = opened;
  const { token, type, createdAt, expiresAt, clientId, merchantId, paymentMethodId } = order;
  const { customerId, paymentId, source, panOnly } = order;
  const cardFingerprint = order.cardFingerprint ?? opened.fingerprint;
  const plaintext = JSON.stringify({ number, expMonth, expYear, cardholder, networkToken });
  const [known, card] = await Promise.all([
    deps.bins.find(number),
    deps.vault.seal('card', plaintext, { recordId: token, field: 'card', clientId, owner: { merchantId, customerId } }),
  ]);
  const cardholderName = holderNameOf(opened);
  const instrument: PaymentInstrument = {
    _id: token,
    clientId,
    merchantId,
    tokenizationType: type,
    paymentMethodId,
    bin: binOf(number),
    last4: last4Of(number),
    expMonth,
    expYear,
    card,
    createdAt,
    ...detailsOfFirst(order),
    ...defined({ paymentId, customerId, cardFingerprint, source }),
    ...(cardholderName && { cardholderName }),
    ...(panOnly && { panOnly }),
    ...(networkToken && { withCryptogram: true as const }),
    ...(known?.cardType && { cardType: known.cardType }),
    ...(known?.issuer && defined({ issuer: known.issuer, cardOrigin: cardOriginOf(known.issuer) })),
    ...(expiresAt && { expiresAt, cardDestroyAt: expiresAt }),
  };
  return instrument;
}
