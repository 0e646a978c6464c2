/** The tries of a payer: numbered, one under way at a time, at most five (docs/security.md#card-testing). */

import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { nextAttempt, tryRefKey } from '../../shared/domain/session/rules.js';
import type { Session, SessionTry } from '../../shared/domain/session/session.js';
import { isUnderWay, type NewestTry, readNewestTry } from '../../shared/flows/settle-session.js';
import { paymentIdOfTry } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';

const conflict = (message: string) => new GatewayError('conflict', { message });

const ended = (session: Session) =>
  conflict(`This session is ${session.status === 'pending' ? 'expired' : session.status}.`);

function refuse(session: Session, attempt: number, newest: NewestTry, now: Date): GatewayError | undefined {
  if (session.status !== 'pending' || session.expiresAt <= now) return ended(session);
  if (newest.state === 'succeeded') return conflict('This session is completed.');
  const next = nextAttempt(session, newest.state);
  if (attempt > limits.sessionTriesMax) return conflict('No attempts are left in this session.');
  if (attempt === next) return undefined;
  return conflict(
    attempt > next && isUnderWay(session, newest, now)
      ? 'Another attempt of this session is in progress. Wait for its outcome.'
      : 'This attempt is out of date. Reload the page.',
  );
}

/**
 * Takes the try for the caller: from now on the session waits for its outcome. Right before anything is stored of the try.
 * @throws {GatewayError} `conflict` when the session has ended, has no more tries, or another try is under way.
 */
export async function claimTry(deps: ApiDeps, session: Session, attempt: number): Promise<Session> {
  const newest = await readNewestTry(deps, session);
  const now = deps.clock.now();
  let refusal: GatewayError | undefined;
  const claimed = await deps.sessions.update(session, (current) => {
    // What was read of the newest try is of no use when another one began since.
    refusal =
      current.tries === session.tries
        ? refuse(current, attempt, newest, now)
        : current.tries === attempt
          ? undefined
          : conflict('Another attempt of this session is in progress. Wait for its outcome.');
    if (current.status !== 'pending') refusal = ended(current);
    if (refusal) return undefined;
    const checkAt = new Date(now.getTime() + limits.sessionCheckMs);
    const removeAt = new Date(now.getTime() + limits.sessionRetentionMs);
    return { ...current, tries: attempt, triedAt: now, checkAt, updatedAt: now, removeAt };
  });
  if (!claimed) throw refusal ?? conflict('The session is being changed.');
  return claimed;
}

/** The payment of a try of a session. */
export function tryOf(session: Session, attempt: number): SessionTry {
  const { _id: sessionId, type, paymentRequest, referenceId } = session;
  const refKey =
    type === 'checkout'
      ? tryRefKey('payment', attempt, paymentRequest?.referenceId ?? '')
      : tryRefKey('session', attempt, referenceId);
  return { sessionId, attempt, paymentId: paymentIdOfTry(sessionId, attempt), refKey };
}
