/** A saved card: what a token refers to (docs/api.md#saved-cards; docs/decisions.md, "Customers, instruments, card data"). */
import type { Envelope } from '../payment/payment.js';
import type { WalletSource } from '../wallet/integration.js';

export type TokenizationType = 'persistent' | 'temporal';
export type CardType = 'credit' | 'debit' | 'prepaid';
export const cardOrigins = ['uruguay', 'international'] as const;
export type CardOrigin = (typeof cardOrigins)[number];

/** Who issued the card, as the BIN table knows it. */
export interface Issuer {
  readonly id: string;
  readonly name: string;
  readonly shortName: string;
  readonly country: string;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string;
}

const LOCAL_COUNTRY = 'UY';

/** Unknown where the BIN table does not know the issuer. */
export const cardOriginOf = (issuer: Issuer | undefined): CardOrigin | undefined =>
  issuer && (issuer.countryCode === LOCAL_COUNTRY ? 'uruguay' : 'international');

export interface PaymentInstrument {
  /** The token: a GUID. */
  readonly _id: string;
  readonly clientId: string;
  /** Merchant it was made with; any merchant of the client that the key may use can charge it. */
  readonly merchantId: number;
  readonly customerId?: string;
  readonly tokenizationType: TokenizationType;
  /** Card brand of the catalog. */
  readonly paymentMethodId: string;
  /** The wallet it came from; absent for a card. */
  readonly source?: WalletSource;
  /** A PAN-only credential of wallet-a: its charge needs authentication or the cvc. */
  readonly panOnly?: true;
  /** A wallet's token for a day, with the cryptogram for its charge: the payer was authenticated by the device. */
  readonly withCryptogram?: true;
  readonly bin: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cardholderName?: string;
  /** Unknown where the BIN table has no row. */
  readonly cardType?: CardType;
  readonly cardOrigin?: CardOrigin;
  readonly issuer?: Issuer;
  /** Goes with the sealed card. */
  readonly cardFingerprint?: string;
  /** Sealed card, bound to the token. Never a cvc. Gone when the token has run out. */
  readonly card?: Envelope;
  /** What the network called the payment in which it was stored: goes with charges without the payer. */
  readonly networkTransactionId?: string;
  readonly networkLinkId?: string;
  /** Payment it was born with. */
  readonly paymentId?: string;
  readonly createdAt: Date;
  /** The token ends then; absent for a persistent one without an end of its own. */
  readonly expiresAt?: Date;
  /** When the sealed card is to be destroyed; absent when it stays or is gone. */
  readonly cardDestroyAt?: Date;
}

/** Whether a token can still be charged: neither it nor its card has run out. */
export function instrumentStatus(instrument: PaymentInstrument, now: Date): 'active' | 'expired' {
  const { expiresAt, expMonth, expYear } = instrument;
  if (expiresAt && expiresAt <= now) return 'expired';
  // Months count from 0 here, so this is the first moment after the card's last month.
  return now.getTime() < Date.UTC(expYear, expMonth, 1) ? 'active' : 'expired';
}
