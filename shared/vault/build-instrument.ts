/** Makes a saved card: seals it bound to its token, with what the BIN table knows of it. */
import type { Clock } from '../clock.js';
import { binOf, last4Of } from '../domain/card/card-checks.js';
import type { BinRange } from '../domain/instrument/bin-range.js';
import type { PaymentInstrument } from '../domain/instrument/payment-instrument.js';
import type { Tokenization } from '../domain/payment/payment.js';
import type { Vault } from './vault.js';

const LOCAL_COUNTRY = 'UY';

/** The card as it is sealed: never with a cvc. */
export interface CardToSave {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cardholder?: { readonly firstName?: string; readonly lastName?: string };
}

/** Whose card it is to be, and under which token. */
export interface InstrumentOrder extends Tokenization {
  readonly clientId: string;
  readonly merchantId: number;
  readonly paymentMethodId: string;
  readonly customerId?: string | undefined;
  /** Payment that it is born with. */
  readonly paymentId?: string;
  readonly cardFingerprint?: string | undefined;
}

interface Deps {
  readonly vault: Pick<Vault, 'seal'>;
  readonly bins: { find(cardNumber: string): Promise<BinRange | undefined> };
  readonly clock: Clock;
}

/** The name on the card, as one text; empty when it was not given. */
export const holderNameOf = ({ cardholder }: Pick<CardToSave, 'cardholder'>): string =>
  [cardholder?.firstName, cardholder?.lastName].filter(Boolean).join(' ');

export async function buildInstrument(deps: Deps, order: InstrumentOrder, opened: CardToSave) {
  const { number, expMonth, expYear, cardholder } = opened;
  const { token, type, expiresAt, clientId, merchantId, paymentMethodId, customerId, paymentId, cardFingerprint } =
    order;
  const known = await deps.bins.find(number);
  const plaintext = JSON.stringify({ number, expMonth, expYear, cardholder });
  const card = await deps.vault.seal('card', plaintext, { recordId: token, field: 'card', clientId });
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
    createdAt: deps.clock.now(),
    ...(paymentId !== undefined && { paymentId }),
    ...(customerId !== undefined && { customerId }),
    ...(cardholderName && { cardholderName }),
    ...(cardFingerprint !== undefined && { cardFingerprint }),
    ...(known?.cardType && { cardType: known.cardType }),
    ...(known?.issuer && {
      issuer: known.issuer,
      cardOrigin: known.issuer.countryCode === LOCAL_COUNTRY ? ('uruguay' as const) : ('international' as const),
    }),
    ...(expiresAt && { expiresAt, cardDestroyAt: expiresAt }),
  };
  return instrument;
}
