/** What an error page says: a heading, and what the payer can do. */

import type { Request } from 'express';
import { type GatewayError, isServerError } from '../../shared/contract/gateway-error.js';
import type { Texts } from './texts/en.js';

const NOT_FOUND = 404;
const TOO_MANY_REQUESTS = 429;
const MINUTE_SECONDS = 60;

/** Pages whose session is proved by a cookie; the embedded page has its token in the form. */
const NEEDS_COOKIE = /^\/(?:checkout|tokenization)\/(?!embedded\/)/;

/**
 * The address of payers who return from their bank to the checkout (`redirectToMerchant`). Its error is the same for everybody, so it reveals
 * nothing about a session.
 */
const FROM_BANK = /^\/checkout\/[^/?]+\?(?:[^#]*&)?paymentId=/;

/** Says how long a payer has to wait when that is longer than a moment, as after many payers of one network at a link. */
const busySentence = (retryAfterSeconds: number, texts: Texts): string =>
  retryAfterSeconds > MINUTE_SECONDS ? texts.busyFor(Math.ceil(retryAfterSeconds / MINUTE_SECONDS)) : texts.busyMore;

/** Whether the problem may soon be over; the sentences then say so. */
export const isPassing = (status: number): boolean => status === TOO_MANY_REQUESTS || isServerError(status);

/**
 * Returns the sentences for an error. They are the same for an unknown session and for one whose proof is missing. A browser that sends
 * no cookie at all may block cookies: the page says so even when the session does not exist.
 */
export function errorSentences(
  { method, originalUrl, headers }: Pick<Request, 'method' | 'originalUrl' | 'headers'>,
  { status, retryAfterSeconds = 0 }: Pick<GatewayError, 'status'> & Partial<Pick<GatewayError, 'retryAfterSeconds'>>,
  texts: Texts,
): readonly [title: string, sentences: readonly string[]] {
  if (status === TOO_MANY_REQUESTS) return [texts.busyTitle, [busySentence(retryAfterSeconds, texts)]];
  if (isServerError(status)) return [texts.failedTitle, [texts.failedMore]];
  const ofSession = NEEDS_COOKIE.test(originalUrl);
  const cookies = ofSession && headers.cookie === undefined ? [texts.needsCookies] : [];
  if (status === NOT_FOUND && method === 'GET' && FROM_BANK.test(originalUrl)) {
    return [texts.elsewhereTitle, [texts.elsewhereMore, ...cookies]];
  }
  const sent = method === 'POST' && (status !== NOT_FOUND || ofSession);
  return sent
    ? [texts.formTitle, [texts.formMore, ...cookies]]
    : [texts.notFoundTitle, [texts.notFoundMore, ...cookies]];
}
