/** Settles sessions that have expired, or whose newest try has to be checked, as the API does. */
import type { Session } from '../../shared/domain/session/session.js';
import { type SettleDeps, settleSession } from '../../shared/flows/settle-session.js';
import type { PoolDeps } from '../pool.js';
import { workPage } from '../sweep-parts.js';

export type SessionSweepDeps = SettleDeps & Pick<PoolDeps, 'sessions' | 'clock' | 'log'>;

async function settle(deps: SessionSweepDeps, session: Session): Promise<boolean> {
  try {
    const after = await settleSession(deps, session, deps.clock.now());
    if (after.status !== session.status) {
      deps.log.info('session.settled', { sessionId: session._id, kind: after.status, traceId: session.traceId });
    }
    return true;
  } catch (error) {
    // A session that cannot be settled must not hold up the others: the next sweep tries it again.
    deps.log.error('session.not-settled', { sessionId: session._id, error });
    return false;
  }
}

/** Settles one page of due sessions; returns how many were checked. */
export async function settleSessions(deps: SessionSweepDeps): Promise<number> {
  const now = deps.clock.now();
  return workPage(
    (limit, skip) => deps.sessions.findToCheck(now, limit, skip),
    (session) => settle(deps, session),
  );
}
