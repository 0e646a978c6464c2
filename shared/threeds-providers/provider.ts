/**
 * The 3DS provider port: what an adapter to a 3DS server implements, in the substance of EMV 3DS 2.2. The gateway is the 3DS
 * requestor: it lets the issuer look at the payer's browser where that wants to (3DS method), asks for an authentication (AReq,
 * ARes), sends the payer to the issuer where that wants to ask (CReq, CRes), and fetches the result (RReq) from the provider
 * itself. What a browser carries is never a result (docs/security.md#challenge-results).
 */
import type { BrowserDetails, Recurring } from '../domain/payment/payment.js';
import type { MethodCompletion, TransStatus } from '../domain/threeds/authentication.js';
import type { ProbeResult, ProcessorPayer } from '../processors/processor.js';

/** Card data for one call: opened from the vault and dropped after it. */
interface AuthenticatedCard {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly holderName?: string;
}

/** What the session is bound to: an answer about anything else is no answer. */
interface Bound {
  /** GUID of the session, ours: the same one is the same authentication, however often it is asked for. */
  readonly sessionId: string;
  readonly amountMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
  readonly traceId: string;
}

/** Asked before the authentication, where the payer's browser is at hand. */
export type MethodRequest = Pick<Bound, 'sessionId' | 'traceId'> & { readonly card: Pick<AuthenticatedCard, 'number'> };

/** What a 3DS server says of the card's range before it is asked for an authentication, where it gives the id of the session. */
export interface Prepared {
  /** The server's own id of the session (`threeDSServerTransID`). */
  readonly reference: string;
  /** EMV 3DS version that directory, issuer and adapter have in common. */
  readonly version: string;
}

export interface AuthenticationRequest extends Bound {
  readonly card: AuthenticatedCard;
  readonly merchantId: number;
  /** As the payer knows it: the issuer shows it. */
  readonly merchantName: string;
  /** The settings' metadata: what the provider asked for in `requiredFields`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** What is known of the payer's browser; which fields there have to be is in `browser-fields.ts`. */
  readonly browser: BrowserDetails;
  /** What is known of the cardholder: personal data, never logged. */
  readonly payer: Omit<ProcessorPayer, 'browser'>;
  /** When the payment was accepted. */
  readonly purchasedAt: Date;
  readonly installments?: number;
  /** What `findMethod` answered, where it was asked and this is the first authentication after it. */
  readonly prepared?: Prepared;
  /** How the issuer's look at the browser went (`threeDSCompInd`). */
  readonly methodCompletion: MethodCompletion;
  /** Where the issuer sends the payer back to (`notificationURL`). */
  readonly returnUrl: string;
  readonly recurring?: Pick<Recurring, 'type' | 'frequency' | 'expiresAt'>;
}

/** What the answer to a challenge is bound to: the ids that came with the challenge. */
export interface ResultRequest extends Bound {
  /** Absent: the session has no id but ours. */
  readonly reference?: string;
  readonly version?: string;
  readonly dsTransactionId?: string;
  readonly acsTransactionId?: string;
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
  /** The server's own id of the session, where it has one. */
  readonly reference?: string;
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
  | { readonly kind: 'method'; readonly url: string; readonly prepared?: Prepared }
  | { readonly kind: 'no-method'; readonly prepared?: Prepared }
  | Impossible
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
  result(request: ResultRequest): Promise<ResultAnswer>;
  /** Whether the server answers and takes our key, by a call without an effect. Absent: there is no such call. */
  probe?(): Promise<ProbeResult>;
  close(): Promise<void>;
}
