/**
 * The 3DS provider port: what an adapter to a 3DS server implements, following EMV 3DS 2.2. The gateway is the 3DS requestor: it lets the
 * issuer inspect the payer's browser if the issuer wants to (3DS method), requests an authentication (AReq, ARes), sends the payer to the
 * issuer if the issuer wants a challenge (CReq, CRes), and fetches the result (RReq) from the provider itself. What a browser carries is
 * never a result (docs/security.md#challenge-results).
 */
import type { BrowserDetails, Recurring } from '../domain/payment/payment.js';
import type { MethodCompletion, TransStatus } from '../domain/threeds/authentication.js';
import type { ProbeResult, ProcessorPayer } from '../processors/processor.js';

/** Card data for one call: opened from the vault and dropped after the call. */
interface AuthenticatedCard {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly holderName?: string;
}

/** The data to which the session is bound: an answer about anything else counts as no answer. */
interface Bound {
  /** Our GUID of the session: the same id is the same authentication, however often it is requested. */
  readonly sessionId: string;
  readonly amountMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
  readonly traceId: string;
}

/** Sent before the authentication, when the payer's browser is available. */
export type MethodRequest = Pick<Bound, 'sessionId' | 'traceId'> & { readonly card: Pick<AuthenticatedCard, 'number'> };

/** What a 3DS server answers about the card's range before an authentication, if it assigns the id of the session then. */
export interface Prepared {
  /** The server's own id of the session (`threeDSServerTransID`). */
  readonly reference: string;
  /** EMV 3DS version that directory, issuer and adapter have in common. */
  readonly version: string;
}

export interface AuthenticationRequest extends Bound {
  readonly card: AuthenticatedCard;
  readonly merchantId: number;
  /** Name that the payer knows: the issuer shows it. */
  readonly merchantName: string;
  /** Metadata of the settings: what the provider requires in `requiredFields`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Known data of the payer's browser; `browser-fields.ts` says which fields are required. */
  readonly browser: BrowserDetails;
  /** Known data of the cardholder: personal data, never logged. */
  readonly payer: Omit<ProcessorPayer, 'browser'>;
  /** When the payment was accepted. */
  readonly purchasedAt: Date;
  readonly installments?: number;
  /** The answer of `findMethod`, if it was called and this is the first authentication after it. */
  readonly prepared?: Prepared;
  /** How the issuer's inspection of the browser ended (`threeDSCompInd`). */
  readonly methodCompletion: MethodCompletion;
  /** Address to which the issuer sends the payer back (`notificationURL`). */
  readonly returnUrl: string;
  readonly recurring?: Pick<Recurring, 'type' | 'frequency' | 'expiresAt'>;
}

/** The ids that came with the challenge; the result has to match them. */
export interface ResultRequest extends Bound {
  /** Absent: the session has only our id. */
  readonly reference?: string;
  readonly version?: string;
  readonly dsTransactionId?: string;
  readonly acsTransactionId?: string;
}

/** The part that all answers have. */
interface Answered {
  /** EMV 3DS version. */
  readonly version: string;
  readonly dsTransactionId: string;
}

/** `Y`, `A`: the payer is authenticated; this is the proof. */
export interface Authenticated extends Answered {
  readonly kind: 'authenticated';
  readonly transStatus: Extract<TransStatus, 'Y' | 'A'>;
  readonly eci?: string;
  /** Authentication value (CAVV), base64. */
  readonly authenticationValue?: string;
}

/** `N`, `R`: the issuer refuses, or the payer failed or abandoned the challenge. */
export interface NotAuthenticated extends Answered {
  readonly kind: 'not-authenticated';
  readonly transStatus: Extract<TransStatus, 'N' | 'R'>;
  readonly eci?: string;
  /** The payer chose "cancel" (EMV `challengeCancel` 01). */
  readonly cancelled?: true;
}

/** `C`: the issuer wants a challenge. */
export interface ChallengeWanted extends Answered {
  readonly kind: 'challenge';
  /** Page of the issuer that takes the CReq. */
  readonly acsUrl: string;
  readonly acsTransactionId: string;
  /** The server's own id of the session, if it has one. */
  readonly reference?: string;
}

/** `U`, or an error message: the authentication was not possible, and will not be. `internal` is for the log only. */
export interface Impossible {
  readonly kind: 'impossible';
  readonly internal: string;
}

/** No answer, or an answer that does not fit the request. `internal` is for the log only. */
export interface NoAnswer {
  readonly kind: 'no-answer';
  readonly internal: string;
}

/** `method`: the card's issuer wants to inspect the browser first, by its own page at `url` (`threeDSMethodURL`). */
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
  /** Asks whether the issuer wants to inspect the browser before the authentication (EMV PReq and PRes, or the cards' versions). */
  findMethod(request: MethodRequest): Promise<MethodAnswer>;
  authenticate(request: AuthenticationRequest): Promise<AuthenticationAnswer>;
  /** Fetches the result of a challenge from the provider itself. */
  result(request: ResultRequest): Promise<ResultAnswer>;
  /** Checks that the server answers and accepts our key, by a call without an effect. Absent: the server has no such call. */
  probe?(): Promise<ProbeResult>;
  close(): Promise<void>;
}
