/** Finds the checkout of this browser at a link while its payment is in progress, so that a payer who comes back does not pay twice. */
import type { Request } from 'express';
import type { PaymentLink } from '../../../shared/domain/payment-link/payment-link.js';
import { tryState } from '../../../shared/domain/session/rules.js';
import type { Session } from '../../../shared/domain/session/session.js';
import { claimHolder } from '../../../shared/flows/settle-link.js';
import type { HandlerDeps } from '../../deps.js';
import { findByToken, paymentOfTry } from '../../sessions/hosted-session.js';
import { keptSessionIds, keptToken } from '../http/session-proof.js';

/** Finds a session by the token in this browser's cookie. */
async function findOwn(deps: HandlerDeps, request: Request, sessionId: string): Promise<Session | undefined> {
  const token = keptToken(deps, request, sessionId);
  return token === undefined ? undefined : findByToken(deps, sessionId, token);
}

/** Finds the session of the only payment of a one-time link that may be in progress: the one that holds its claim. */
async function ofClaim(deps: HandlerDeps, request: Request, link: PaymentLink): Promise<Session | undefined> {
  const holder = await claimHolder(deps, link);
  if (holder?.sessionId === undefined || tryState(holder) !== 'in-flight') return undefined;
  return findOwn(deps, request, holder.sessionId);
}

/** Finds the newest session of this browser whose payment is in progress: any number of payers pay by the other links. */
async function ofCookies(deps: HandlerDeps, request: Request, link: PaymentLink): Promise<Session | undefined> {
  const kept = await Promise.all(keptSessionIds(deps, request).map((id) => findOwn(deps, request, id)));
  const sessions = kept.filter((session) => session !== undefined).filter((one) => one.paymentLink?.id === link._id);
  const payments = await Promise.all(sessions.map((session) => paymentOfTry(deps, session)));
  return sessions.find((_, at) => tryState(payments[at]) === 'in-flight');
}

/** Returns the path of this browser's own checkout while its payment is in progress, also when the link was closed or expired meanwhile. */
export async function ownCheckout(deps: HandlerDeps, request: Request, link: PaymentLink): Promise<string | undefined> {
  const find = link.type === 'one-time' ? ofClaim : ofCookies;
  const session = await find(deps, request, link);
  return session && `/checkout/${session._id}`;
}
