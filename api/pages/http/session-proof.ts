/**
 * How a browser proves that it may use a session (docs/security.md, S6, S34): the token of the hosted URL becomes a cookie at
 * the first visit, and every form carries a proof of its own that only the page could know.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import type { HandlerDeps } from '../../deps.js';
import type { HostedSession } from '../../usecases/hosted-sessions.js';

type Deps = Pick<HandlerDeps, 'config' | 'clock' | 'usecases'>;

const isSecure = ({ config }: Deps) => config.publicBaseUrl.startsWith('https:');

/** Browsers keep a `__Host-` cookie to this host and to https; plain http is for testing. */
const cookieName = (deps: Deps, sessionId: string) => `${isSecure(deps) ? '__Host-' : ''}gateway-${sessionId}`;

/** Leaves the token with the browser until the session ends. `lax`: a link from another site brings it, a form does not. */
export function keepToken(deps: Deps, response: Response, { session }: HostedSession, token: string): void {
  const cookie = {
    name: cookieName(deps, session._id),
    value: token,
    path: '/',
    httpOnly: true,
    secure: isSecure(deps),
    sameSite: 'lax',
    expires: session.removeAt,
  } as const;
  response.append('Set-Cookie', stringifySetCookie(cookie));
}

/** The token that the browser kept. */
export const keptToken = (deps: Deps, request: Request, sessionId: string): string | undefined =>
  parseCookie(request.headers.cookie ?? '')[cookieName(deps, sessionId)];

/** The proof in the forms of a session: made of its token, worth nothing without it. */
export const formTokenOf = (token: string): string => createHash('sha256').update(`form:${token}`).digest('base64url');

const sameText = (a: string, b: string) => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** Whether a form was sent by our own page. A browser says where a request comes from; what says nothing has the proof only. */
export function isOwnForm(request: Request, token: string, sent: unknown): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return typeof sent === 'string' && sameText(sent, formTokenOf(token));
}
