/**
 * How a browser proves that it may use a session (docs/security.md#tokens-of-hosted-pages, docs/security.md#cross-site-requests): the
 * token of the hosted URL becomes a cookie at the first visit, and every form contains its own proof that only the page can know.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import { limits } from '../../../config/limits.js';
import { after, longAgo } from '../../../shared/domain/time.js';
import type { HandlerDeps } from '../../deps.js';
import type { HostedSession } from '../../sessions/hosted-session.js';

type Deps = Pick<HandlerDeps, 'config' | 'clock'>;

export const isSecure = ({ config }: Pick<Deps, 'config'>) => config.publicBaseUrl.startsWith('https:');

/**
 * Returns the name of the cookie of a session. Browsers send a `__Host-` cookie only to this host and only over https; plain http is for
 * testing.
 */
const cookieName = (deps: Deps, sessionId: string) => `${isSecure(deps) ? '__Host-' : ''}gateway-${sessionId}`;

/** Stores the token in a cookie for as long as the session is kept. `lax`: a link from another site sends the cookie, a form does not. */
export function keepToken(
  deps: Deps,
  request: Request,
  response: Response,
  { session }: HostedSession,
  token: string,
): void {
  const own = cookieName(deps, session._id);
  const set = (name: string, value: string, expires: Date) => {
    const bounds = { path: '/', httpOnly: true, secure: isSecure(deps), sameSite: 'lax' } as const;
    response.append('Set-Cookie', stringifySetCookie({ name, value, expires, ...bounds }));
  };
  for (const name of surplus(deps, request, own)) set(name, '', longAgo);
  set(own, token, after(deps.clock.now(), limits.sessionRetentionMs));
}

/**
 * Returns the cookies to remove: the oldest. Browsers send the oldest first (RFC 6265, 5.4). A browser that pays often, for example at
 * a counter, would otherwise send the tokens of all its sessions until its headers are too long for any server.
 */
function surplus(deps: Deps, request: Request, own: string): readonly string[] {
  const prefix = cookieName(deps, '');
  const others = Object.keys(parseCookie(request.headers.cookie ?? '')).filter(
    (name) => name.startsWith(prefix) && name !== own,
  );
  return others.slice(0, Math.max(0, others.length - (limits.sessionCookiesMax - 1)));
}

/** Returns the ids of the sessions whose tokens this browser keeps, the newest first. */
export function keptSessionIds(deps: Deps, request: Request): readonly string[] {
  const prefix = cookieName(deps, '');
  return Object.keys(parseCookie(request.headers.cookie ?? ''))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .reverse()
    .slice(0, limits.sessionCookiesMax);
}

/** Returns the token from the cookie. */
export const keptToken = (deps: Deps, request: Request, sessionId: string): string | undefined =>
  parseCookie(request.headers.cookie ?? '')[cookieName(deps, sessionId)];

/** Returns the proof for the forms of a session. It is derived from the session's token and useless without it. */
export const formTokenOf = (token: string): string => createHash('sha256').update(`form:${token}`).digest('base64url');

const sameText = (a: string, b: string) => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** Whether the browser says that a request comes from a page of another origin. Older browsers do not say. */
export const isFromElsewhere = ({ headers }: Pick<Request, 'headers'>): boolean =>
  (headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin';

/** Whether a form was sent by our own page: by the proof in it, and by what the browser says, if it says something. */
export function isOwnForm(request: Request, token: string, sent: unknown): boolean {
  if (isFromElsewhere(request)) return false;
  return typeof sent === 'string' && sameText(sent, formTokenOf(token));
}
