/**
 * Interprets the answers of a 3D Secure server. An incomplete answer, or one about something else than what was asked, counts as no answer
 * (docs/security.md#challenge-results).
 */
import type { AuthenticationAnswer, Impossible, NoAnswer, Prepared, ResultAnswer, ResultRequest } from '../provider.js';
import { readARes, readCardRange, readError, readRReq } from './answer.schema.js';
import { purchaseOf } from './build-areq.js';
import { chooseVersion, methodUrlOf } from './choose-version.js';
import type { ARes, ErrorMessage, MessageVersion, RReq } from './messages.js';

type Purchase = Parameters<typeof purchaseOf>[0];

export const noAnswer = (internal: string): NoAnswer => ({ kind: 'no-answer', internal });
const impossible = (internal: string): Impossible => ({ kind: 'impossible', internal });

/** The server does not know the session: it keeps what it prepared for 80 seconds. */
const UNKNOWN_SESSION = '301';
/** Temporary errors: too many messages, a time-out, a failure of a system or of a connection to one. */
const PASSING: ReadonlySet<string> = new Set(['103', '402', '403', '405']);

/** Leaves out the description, which may quote data that was sent. */
const nameOf = ({ errorCode, errorComponent = '?' }: ErrorMessage) =>
  `error ${errorCode} of component ${errorComponent}`;

/** Returns what an error means: after a temporary one the request is repeated, after any other there will be no authentication. */
const failureOf = (error: ErrorMessage): NoAnswer | Impossible =>
  PASSING.has(error.errorCode) ? noAnswer(nameOf(error)) : impossible(nameOf(error));

/** Whether the server does not know the session: it reports the EMV code, or the code of a malformed field with this sentence. */
const isUnknownSession = ({ errorCode, errorDescription = '' }: ErrorMessage) =>
  errorCode === UNKNOWN_SESSION || (errorCode === '203' && /unknown threeDSServerTransID/i.test(errorDescription));

/** Whether two ids are the same: UUIDs in the form of RFC 4122, which are written in lowercase and read in either case. */
const isSameId = (one: string, other: string | undefined) => one.toLowerCase() === other?.toLowerCase();

/** Returns the error that an error message reports; `undefined` for any other message. */
function errorOf(json: unknown, reference?: string): ErrorMessage | NoAnswer | undefined {
  const error = readError(json);
  if (!error) return undefined;
  const { threeDSServerTransID: about = '' } = error;
  const foreign = reference !== undefined && about !== '' && !isSameId(about, reference);
  return foreign ? noAnswer('an error about another session') : error;
}

export interface Range extends Prepared {
  readonly version: MessageVersion;
  readonly methodUrl?: string;
}

/** @param secure whether the server itself is reached over TLS: then the pages that it names must use TLS too */
export function toRange(json: unknown, secure: boolean): Range | Impossible | NoAnswer {
  const error = errorOf(json);
  if (error) return 'kind' in error ? error : failureOf(error);
  const range = readCardRange(json);
  if (!range) return noAnswer('the card range has another shape');
  const version = chooseVersion(range);
  if (!version) return impossible('directory and issuer take no version of EMV 3DS that this adapter has');
  const methodUrl = methodUrlOf(range, version);
  if (methodUrl !== undefined && !isSafe(methodUrl, secure)) return noAnswer('the address of the method is not https');
  return { reference: range.threeDSServerTransID, version, ...(methodUrl !== undefined && { methodUrl }) };
}

const isSafe = (url: string, secure: boolean) => !secure || url.startsWith('https:');

function mismatch(answer: ARes | RReq, { reference, version }: Prepared, purchase: Purchase): string | undefined {
  const { purchaseAmount, purchaseCurrency } = purchaseOf(purchase);
  if (!isSameId(answer.threeDSServerTransID, reference)) return 'the answer is of another session';
  if (answer.messageVersion !== version) return 'the answer has another version';
  if ((answer.purchaseAmount ?? purchaseAmount) !== purchaseAmount) return 'the answer has another amount';
  if ((answer.purchaseCurrency ?? purchaseCurrency) !== purchaseCurrency) return 'the answer has another currency';
  return undefined;
}

const knownOf = ({ messageVersion, dsTransID, eci }: ARes | RReq) => ({
  version: messageVersion,
  dsTransactionId: dsTransID,
  ...(eci !== undefined && { eci }),
});

/** The payer chose "cancel". */
const CANCELLED = '01';

function toOutcome(answer: Exclude<ARes, { transStatus: 'C' }> | RReq): Exclude<ResultAnswer, { kind: 'open' }> {
  const { transStatus, authenticationValue } = answer;
  if (transStatus === 'Y' || transStatus === 'A') {
    // The schema requires it.
    if (authenticationValue === undefined) return noAnswer('a proof without its value');
    return { kind: 'authenticated', transStatus, ...knownOf(answer), authenticationValue };
  }
  if (transStatus === 'N' || transStatus === 'R') {
    const cancelled = 'challengeCancel' in answer && answer.challengeCancel === CANCELLED;
    return { kind: 'not-authenticated', transStatus, ...knownOf(answer), ...(cancelled && { cancelled }) };
  }
  // D: decoupled authentication, by another channel than the browser. I: informational, not authenticated. Neither was requested.
  return impossible(`the issuer answers ${transStatus}`);
}

/** Interprets the answer to `auth`. `unknown-session`: the server has forgotten what it prepared, and has to be asked again. */
export function toAuthentication(
  json: unknown,
  step: Prepared,
  purchase: Purchase,
  secure: boolean,
): AuthenticationAnswer | 'unknown-session' {
  const error = errorOf(json, step.reference);
  if (error) {
    if ('kind' in error) return error;
    return isUnknownSession(error) ? 'unknown-session' : failureOf(error);
  }
  const ares = readARes(json);
  const wrong = ares ? mismatch(ares, step, purchase) : 'the answer has another shape';
  if (!ares || wrong !== undefined) return noAnswer(wrong ?? '');
  if (ares.transStatus !== 'C') return toOutcome(ares);
  const { acsURL: acsUrl = '', acsTransID: acsTransactionId, dsTransID: dsTransactionId } = ares;
  if (!isSafe(acsUrl, secure)) return noAnswer("the address of the issuer's page is not https");
  const { reference, version } = step;
  return { kind: 'challenge', version, dsTransactionId, acsTransactionId, acsUrl, reference };
}

/** Interprets the answer to `postauth`: it has to be the result of the challenge to which the payer was sent. */
export function toResult(json: unknown, request: ResultRequest, step: Prepared): ResultAnswer {
  const error = errorOf(json, step.reference);
  // The result is not there yet, or no longer: the gateway waits for the payer until the time of the challenge is up.
  if (error) return 'kind' in error ? error : isUnknownSession(error) ? { kind: 'open' } : noAnswer(nameOf(error));
  const rreq = readRReq(json);
  if (!rreq) return noAnswer('the answer has another shape');
  const wrong = mismatch(rreq, step, request);
  if (wrong !== undefined) return noAnswer(wrong);
  if (!isSameId(rreq.acsTransID, request.acsTransactionId)) return noAnswer('the answer is of another challenge');
  if (!isSameId(rreq.dsTransID, request.dsTransactionId)) return noAnswer('the answer is of another authentication');
  return toOutcome(rreq);
}
