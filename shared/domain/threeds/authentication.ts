/** The 3D Secure authentication of one payment: a part of the payment, and also the record of its 3DS session. */
import { flag, oneOf, optional, record, type Stored, text, time } from '../described.js';
import type { CardBrand } from '../payment-method-catalog.js';
import { authenticationReasons } from './decide-authentication.js';

export const authenticationStatuses = [
  'created',
  'frictionless',
  'step-up-required',
  'authenticated',
  'failed',
  'cancelled',
  'expired',
  'error',
] as const;
export type AuthenticationStatus = (typeof authenticationStatuses)[number];

/** EMV 3DS: authenticated, attempted, challenge, not authenticated, refused by the issuer, could not be performed. */
const transStatuses = ['Y', 'A', 'C', 'N', 'R', 'U'] as const;
export type TransStatus = (typeof transStatuses)[number];

/** EMV `threeDSCompInd`: the 3DS method was completed; was not completed; was not available. */
export type MethodCompletion = 'Y' | 'N' | 'U';

const authenticationErrors = ['authentication-failed', 'authentication-required'] as const;
export type AuthenticationError = (typeof authenticationErrors)[number];

export const authentication = record({
  required: flag,
  reason: oneOf(...authenticationReasons),
  /** Code of the provider; absent when the merchant authenticated elsewhere, or there was no authentication. */
  provider: optional(text),
  /** GUID of the 3DS session. If the provider accepts our id, it is EMV's `threeDSServerTransID` and the idempotency key too. */
  sessionId: optional(text),
  /** Id of the session at a provider that assigns its own; it is then the `threeDSServerTransID`. */
  reference: optional(text),
  status: optional(oneOf(...authenticationStatuses)),
  /** EMV 3DS version, for example `2.2.0`. */
  version: optional(text),
  flow: optional(oneOf('frictionless', 'challenge')),
  transStatus: optional(oneOf(...transStatuses)),
  eci: optional(text),
  dsTransactionId: optional(text),
  liabilityShift: optional(flag),
  error: optional(oneOf(...authenticationErrors)),
  /** The 3DS method, by which the issuer looks at the payer's browser: its address, when the wait for it ends, and whether it completed. */
  method: optional(record({ url: text, endsAt: time, completion: optional(oneOf('Y', 'N')) })),
  /**
   * Where the payer answers a challenge: the issuer's server, the issuer's id of the challenge, and our page that leads there; and when
   * the payer's browser last brought the issuer's message that the challenge is over, which proves nothing.
   */
  challenge: optional(record({ acsUrl: text, acsTransactionId: text, pageUrl: text, answeredAt: optional(time) })),
  createdAt: optional(time),
  updatedAt: optional(time),
  completedAt: optional(time),
});
export interface Authentication extends Stored<typeof authentication> {}

/** Whether the authentication ended with a proof for the processor, with or without a challenge. */
export const isAuthenticated = (threeDs: Authentication | undefined): threeDs is Authentication =>
  threeDs?.status === 'frictionless' || threeDs?.status === 'authenticated';

/** Returns the id of the session in messages of the issuer and of the payer's browser (`threeDSServerTransID`). */
export const messageIdOf = ({ reference, sessionId }: Pick<Authentication, 'reference' | 'sessionId'>): string =>
  reference ?? sessionId ?? '';

/** Returns the ECI as processors accept it: two digits, also when a wallet or a directory server wrote one. */
export const twoDigitEci = (eci: string): string => eci.padStart(2, '0');

/** Returns the EMV 3DS version as processors accept it: three parts, also when a merchant sent only the first two. */
export const threePartVersion = (version: string): string => (/^2\.\d$/.test(version) ? `${version}.0` : version);

/** Mastercard's ECI of a payer who was authenticated for an agreement or instalments; without the payer (3RI) it shifts nothing. */
const MASTERCARD_AGREED = '07';
/** What ECI values say of the authentication: it succeeded, or was attempted. Mastercard counts from 00, the other schemes from 05. */
const MASTERCARD_STATUS: Readonly<Record<string, 'Y' | 'A' | undefined>> = { '02': 'Y', '01': 'A', '07': 'Y' };
const STATUS: Readonly<Record<string, 'Y' | 'A' | undefined>> = { '05': 'Y', '06': 'A' };
const MASTERCARD: ReadonlySet<string> = new Set<CardBrand>(['mastercard', 'maestro']);

/**
 * Returns the status (`transStatus`) for which an ECI stands; `undefined` for an authentication that proves nothing.
 * @param eci two digits
 * @param brand code of the card's payment method
 */
export const statusOfEci = (eci: string, brand: string): 'Y' | 'A' | undefined =>
  (MASTERCARD.has(brand) ? MASTERCARD_STATUS : STATUS)[eci];

/** @param withPayer whether the payer itself was authenticated, in a browser */
export const eciShiftsLiability = (eci: string, brand: string, withPayer: boolean): boolean =>
  statusOfEci(eci, brand) !== undefined && (withPayer || eci !== MASTERCARD_AGREED);

/**
 * Whether the liability shifts to the issuer: the payer was authenticated or the attempt is proven, and the ECI does not say otherwise.
 * Exemptions and data-only authentications have an ECI that shifts nothing.
 */
export const shiftsLiability = (transStatus: TransStatus, eci: string | undefined, brand: string): boolean =>
  (transStatus === 'Y' || transStatus === 'A') &&
  (eci === undefined || eciShiftsLiability(eci, brand, transStatus === 'Y'));
