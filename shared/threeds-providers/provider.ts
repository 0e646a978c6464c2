/**
 * The 3DS provider port: what an adapter to a 3DS server implements, in the substance of EMV 3DS 2.2. The gateway is the 3DS
 * requestor: it lets the issuer look at the payer's browser where that wants to (3DS method), asks for an authentication (AReq,
 * ARes), sends the payer to the issuer where that wants to ask (CReq, CRes), and fetches the result (RReq) from the provider
 * itself. What a browser carries is never a result (docs/security.md#challenge-results).
 */
import type { MethodCompletion, TransStatus } from '../domain/threeds/authentication.js';

/** Card data for one call: opened from the vault and dropped after it. */
interface AuthenticatedCard {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly holderName?: string;
}

/** What the session is bound to: an answer about anything else is no answer. */
interface Bound {
  /** GUID of the session, `threeDSServerTransID`: the same one is the same authentication, however often it is asked for. */
  readonly sessionId: string;
  readonly amountMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
  readonly traceId: string;
}

/** Asked before the authentication, where the payer's browser is at hand. */
export type MethodRequest = Pick<Bound, 'sessionId' | 'traceId'> & { readonly card: Pick<AuthenticatedCard, 'number'> };

export interface AuthenticationRequest extends Bound {
  readonly card: AuthenticatedCard;
  readonly merchantId: number;
  /** As the payer knows it: the issuer shows it. */
  readonly merchantName: string;
  /** The settings' metadata: what the provider asked for in `requiredFields`. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly browser: { readonly ipAddress?: string; readonly userAgent?: string };
  /** How the issuer's look at the browser went (`threeDSCompInd`). */
  readonly methodCompletion: MethodCompletion;
  /** Where the issuer sends the payer back to (`notificationURL`). */
  readonly returnUrl: string;
  readonly recurring?: 'initial' | 'subsequent';
}

/** What is known of the answer, whatever it is. */
interface Answered {
  /** EMV 3DS version. */
  readonly version: string;
  readonly dsTransactionId: string;
}

/** `Y`, `A`: the proof. */
export interface Authenticated extends Answered {
  readonly kind: 'authenticated';
  readonly transStatus: Extract<TransStatus, 'Y' | 'A'>;
  readonly eci?: string;
  /** Authentication value (CAVV), base64. */
  readonly authenticationValue?: string;
}

/** `N`, `R`: the issuer says no; or the payer did not pass, or walked away. */
export interface NotAuthenticated extends Answered {
  readonly kind: 'not-authenticated';
  readonly transStatus: Extract<TransStatus, 'N' | 'R'>;
  readonly eci?: string;
  /** The payer chose "cancel" (EMV `challengeCancel` 01). */
  readonly cancelled?: true;
}

/** `C`: the issuer wants to ask the payer. */
export interface ChallengeWanted extends Answered {
  readonly kind: 'challenge';
  /** Issuer's page that takes the CReq. */
  readonly acsUrl: string;
  readonly acsTransactionId: string;
}

/** `U`, or an error message: it could not be done, and will not be. `internal` is for the log only. */
export interface Impossible {
  readonly kind: 'impossible';
  readonly internal: string;
}

/** No answer, or one that does not fit what was asked. `internal` is for the log only. */
export interface NoAnswer {
  readonly kind: 'no-answer';
  readonly internal: string;
}

/** `method`: the issuer of the card wants to look at the browser first, by a page of its own at `url` (`threeDSMethodURL`). */
export type MethodAnswer =
  | { readonly kind: 'method'; readonly url: string }
  | { readonly kind: 'no-method' }
  | NoAnswer;

export type AuthenticationAnswer = Authenticated | NotAuthenticated | ChallengeWanted | Impossible | NoAnswer;

/** `open`: the payer has not answered the issuer yet. */
export type ResultAnswer = Authenticated | NotAuthenticated | Impossible | NoAnswer | { readonly kind: 'open' };

export interface ThreeDsProvider {
  /** Code of the catalogue. */
  readonly code: string;
  /** Whether the issuer wants to look at the browser before it is asked (EMV PReq and PRes, or the cards' versions). */
  findMethod(request: MethodRequest): Promise<MethodAnswer>;
  authenticate(request: AuthenticationRequest): Promise<AuthenticationAnswer>;
  /** The result of a challenge, from the provider itself. */
  result(request: Bound): Promise<ResultAnswer>;
  close(): Promise<void>;
}
