/** What is known of the 3D Secure authentication of one payment: part of the payment, and its 3DS session record at once. */
import type { AuthenticationReason } from './decide-authentication.js';

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
export type TransStatus = 'Y' | 'A' | 'C' | 'N' | 'R' | 'U';

/** EMV `threeDSCompInd`: the 3DS method was completed; it was not; there was none. */
export type MethodCompletion = 'Y' | 'N' | 'U';

export type AuthenticationError = 'authentication-failed' | 'authentication-required';

export interface Authentication {
  readonly required: boolean;
  readonly reason: AuthenticationReason;
  /** Code of the provider; absent where the merchant authenticated elsewhere, or nobody did. */
  readonly provider?: string;
  /** GUID of the 3DS session, EMV's `threeDSServerTransID`: also the idempotency key at the provider. */
  readonly sessionId?: string;
  readonly status?: AuthenticationStatus;
  /** EMV 3DS version, for example `2.2.0`. */
  readonly version?: string;
  readonly flow?: 'frictionless' | 'challenge';
  readonly transStatus?: TransStatus;
  readonly eci?: string;
  readonly dsTransactionId?: string;
  readonly liabilityShift?: boolean;
  readonly error?: AuthenticationError;
  /** The issuer's look at the payer's browser: its address, when it is waited for no longer, and how it went. */
  readonly method?: { readonly url: string; readonly endsAt: Date; readonly completion?: 'Y' | 'N' };
  /** Where the payer answers a challenge: the issuer's server, its id of the challenge, and our page in front of it. */
  readonly challenge?: { readonly acsUrl: string; readonly acsTransactionId: string; readonly pageUrl: string };
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
  readonly completedAt?: Date;
}

/** Liability is the issuer's when the payer was authenticated or the attempt is proven. */
export const shiftsLiability = (transStatus: TransStatus) => transStatus === 'Y' || transStatus === 'A';

/** The ECI values by which issuers take the liability, of all schemes. */
const LIABLE_ECI: ReadonlySet<string> = new Set(['01', '02', '05', '06']);
/** As processors take it: two digits, however a wallet or a directory server wrote it. */
export const twoDigitEci = (eci: string): string => eci.padStart(2, '0');

export const eciShiftsLiability = (eci: string) => LIABLE_ECI.has(eci);
