/** The payer of a tokenization session chooses a card that was saved earlier. */

import { conflict } from '../../shared/contract/gateway-error.js';
import { hasFeature } from '../../shared/domain/session/rules.js';
import { endSession, isUnderWay, readNewestTry } from '../../shared/flows/settle-session.js';
import type { ApiDeps } from '../deps.js';
import { type HostedSession, viewSession } from './hosted-session.js';
import { findCardOfSession } from './session-cards.js';
import type { TokenizationOutcome } from './tokenize-session.js';

/**
 * Completes the session with the chosen card; the callback names this card like a newly saved one. The card is not verified again,
 * whether or not it was verified when it was saved.
 * @throws {GatewayError} `conflict` when the session does not allow choosing cards, has ended, or a try is under way;
 * `invalid-card-payment-method-token` when the card belongs to another customer or cannot be used.
 */
export async function chooseSavedCard(
  deps: ApiDeps,
  { session }: HostedSession,
  token: string,
): Promise<TokenizationOutcome> {
  if (session.type !== 'tokenization' || !hasFeature(session, 'select')) {
    throw conflict('This session does not accept saved cards.');
  }
  const instrument = await findCardOfSession(deps, session, token);
  const newest = await readNewestTry(deps, session);
  const now = deps.clock.now();
  const chosen = await deps.sessions.update(session, (current) => {
    const open = current.status === 'pending' && current.expiresAt > now && current.tries === session.tries;
    if (!open || newest.state === 'succeeded' || isUnderWay(current, newest, now)) return undefined;
    return endSession(current, 'succeeded', now, { state: 'succeeded', instrument });
  });
  if (chosen) return { session: await viewSession(deps, chosen), instrument };
  throw conflict('The session has ended, or a card is being saved.');
}
