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

/** Returns where the card was issued; undefined when the BIN table does not know the issuer. */
export const cardOriginOf = (issuer: Issuer | undefined): CardOrigin | undefined =>
  issuer && (issuer.countryCode === LOCAL_COUNTRY ? 'uruguay' : 'international');

export interface PaymentInstrument {
  /** The token: a GUID. */
  readonly _id: string;
  readonly clientId: string;
  /** Merchant with which the token was made. Any merchant of the client that the key may use can charge it. */
  readonly merchantId: number;
  readonly customerId?: string;
  readonly tokenizationType: TokenizationType;
  /** Card brand of the catalog. */
  readonly paymentMethodId: string;
  /** Wallet that the card came from; absent for other cards. */
  readonly source?: WalletSource;
  /** Set for a PAN-only credential of wallet-a: a charge needs authentication or the cvc. */
  readonly panOnly?: true;
  /** Set for a wallet's token that is valid for a day, with the cryptogram for its charge: the device authenticated the payer. */
  readonly withCryptogram?: true;
  readonly bin: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cardholderName?: string;
  /** Absent when the BIN table does not know the card. */
  readonly cardType?: CardType;
  readonly cardOrigin?: CardOrigin;
  readonly issuer?: Issuer;
  /** Removed together with the sealed card. */
  readonly cardFingerprint?: string;
  /** Sealed card, bound to the token. Never contains a cvc. Destroyed when the token has expired. */
  readonly card?: Envelope;
  /** The network's id of the payment that stored the card: sent with charges that the payer does not take part in. */
  readonly networkTransactionId?: string;
  readonly networkLinkId?: string;
  /** Payment that saved the card. */
  readonly paymentId?: string;
  readonly createdAt: Date;
  /** When the token expires; absent for a persistent token without an expiry of its own. */
  readonly expiresAt?: Date;
  /** When the sealed card is to be destroyed; absent when it is kept or already destroyed. */
  readonly cardDestroyAt?: Date;
}

/** Returns whether a token can still be charged: neither the token nor its card has expired. */
export function instrumentStatus(instrument: PaymentInstrument, now: Date): 'active' | 'expired' {
  const { expiresAt, expMonth, expYear } = instrument;
  if (expiresAt && expiresAt <= now) return 'expired';
  // Months count from 0 here, so this is the first moment after the card's last month.
  return now.getTime() < Date.UTC(expYear, expMonth, 1) ? 'active' : 'expired';
}
