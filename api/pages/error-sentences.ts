/** What an error page says: a heading, and what the payer can do. */
import type { Request } from 'express';
import type { Texts } from './texts/en.js';

const NOT_FOUND = 404;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/** Pages whose session a cookie proves; the embedded one has its token in the form. */
const NEEDS_COOKIE = /^\/(?:checkout|tokenization)\/(?!embedded\/)/;

/** Where payers come back from their bank to the checkout (`backTo`): what ends the same for everybody says nothing of a session. */
const FROM_BANK = /^\/checkout\/[^/?]+\?(?:[^#]*&)?paymentId=/;

/** Whether it may be over in a moment, which the sentences say. */
export const isPassing = (status: number): boolean => status === TOO_MANY_REQUESTS || status >= SERVER_ERROR;

/**
 * An unknown session and one whose proof is not at hand are the same here. A browser that sends no cookie at all may block
 * them, which is said also where there is no such session.
 */
export function errorSentences(
  { method, originalUrl, headers }: Pick<Request, 'method' | 'originalUrl' | 'headers'>,
  status: number,
  texts: Texts,
): readonly [title: string, sentences: readonly string[]] {
  if (status === TOO_MANY_REQUESTS) return [texts.busyTitle, [texts.busyMore]];
  if (status >= SERVER_ERROR) return [texts.failedTitle, [texts.failedMore]];
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
