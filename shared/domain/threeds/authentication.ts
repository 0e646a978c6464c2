/** What is known of the 3D Secure authentication of one payment: part of the payment, and its 3DS session record at once. */
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

/** EMV 3DS: authenticated, attempted, challenge, not authenticated, refused by the issuer, could not be done. */
const transStatuses = ['Y', 'A', 'C', 'N', 'R', 'U'] as const;
export type TransStatus = (typeof transStatuses)[number];

/** EMV `threeDSCompInd`: the 3DS method was completed; it was not; there was none. */
export type MethodCompletion = 'Y' | 'N' | 'U';

const authenticationErrors = ['authentication-failed', 'authentication-required'] as const;
export type AuthenticationError = (typeof authenticationErrors)[number];

export const authentication = record({
  required: flag,
  reason: oneOf(...authenticationReasons),
  /** Code of the provider; absent where the merchant authenticated elsewhere, or there was no authentication. */
  provider: optional(text),
  /** GUID of the 3DS session; EMV's `threeDSServerTransID` where the provider takes ours, and then its idempotency key too. */
  sessionId: optional(text),
  /** The id of the session at a provider that gives one of its own; it is the `threeDSServerTransID` then. */
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
  /** The issuer's look at the payer's browser: its address, when it is waited for no longer, and how it went. */
  method: optional(record({ url: text, endsAt: time, completion: optional(oneOf('Y', 'N')) })),
  /** Where the payer answers a challenge: the issuer's server, its id of the challenge, and our page in front of it. */
  challenge: optional(record({ acsUrl: text, acsTransactionId: text, pageUrl: text })),
  createdAt: optional(time),
  updatedAt: optional(time),
  completedAt: optional(time),
});
export interface Authentication extends Stored<typeof authentication> {}

/** Whether it ended with a proof for the processor, with a challenge or without one. */
export const isAuthenticated = (threeDs: Authentication | undefined): threeDs is Authentication =>
  threeDs?.status === 'frictionless' || threeDs?.status === 'authenticated';

/** What messages of issuer and payer's browser name the session by (`threeDSServerTransID`). */
export const messageIdOf = ({ reference, sessionId }: Pick<Authentication, 'reference' | 'sessionId'>): string =>
  reference ?? sessionId ?? '';

/** As processors take it: two digits, however a wallet or a directory server wrote it. */
export const twoDigitEci = (eci: string): string => eci.padStart(2, '0');

/** As processors take it: three parts, where a merchant wrote the first two of EMV 3DS. */
export const threePartVersion = (version: string): string => (/^2\.\d$/.test(version) ? `${version}.0` : version);

/** ECI values by which the issuer takes the liability: Mastercard counts from 00, the other schemes from 05 to 07. */
const MASTERCARD_LIABLE: ReadonlySet<string> = new Set(['01', '02']);
const LIABLE: ReadonlySet<string> = new Set(['05', '06']);
const MASTERCARD: ReadonlySet<string> = new Set<CardBrand>(['mastercard', 'maestro']);

/** @param eci two digits @param brand code of the card's payment method */
export const eciShiftsLiability = (eci: string, brand: string): boolean =>
  (MASTERCARD.has(brand) ? MASTERCARD_LIABLE : LIABLE).has(eci);

/**
 * Liability is the issuer's when the payer was authenticated or the attempt is proven, unless the ECI says otherwise: an exemption
 * and data for information only have one that shifts nothing.
 */
export const shiftsLiability = (transStatus: TransStatus, eci: string | undefined, brand: string): boolean =>
  (transStatus === 'Y' || transStatus === 'A') && (eci === undefined || eciShiftsLiability(eci, brand));
