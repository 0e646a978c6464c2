/** Plans changes of a session. Each returns the next session, which is written by compare-and-set. Pure. */
import type { Session } from './session.js';
import { nextSessionStatus, type SessionEventName } from './statuses.js';

interface SessionResult {
  readonly now: Date;
  /** Body of the tokenization callback; absent: none is sent. */
  readonly body?: string | undefined;
  readonly instrument?: string | undefined;
}

/** Puts an event into the outbox if the session has a callback address. */
function announced(session: Session, { now, body }: SessionResult): Session {
  const url = session.settings.callbacks?.tokenizationCallbackUrl;
  if (url === undefined || body === undefined) return session;
  const seq = session.eventSeq + 1;
  return { ...session, eventSeq: seq, events: [...session.events, { seq, at: now, url, body }], announceAt: now };
}

/** Ends the session. `undefined` when the table has no such move from the session's status. */
export function planSessionEnd(session: Session, event: SessionEventName, result: SessionResult): Session | undefined {
  const status = nextSessionStatus(session.status, event);
  if (!status) return undefined;
  const { instrument, now } = result;
  const ended: Session = {
    ...session,
    status,
    updatedAt: now,
    checkAt: undefined,
    ...(instrument !== undefined && { instrument }),
  };
  // After an announced failure, only a success is announced.
  return session.failedAt && event !== 'succeeded' ? ended : announced(ended, result);
}

/** Announces that all tries of a tokenization are used up. The session itself ends when it expires. */
export function planFailed(session: Session, result: SessionResult): Session | undefined {
  if (session.status !== 'pending' || session.failedAt) return undefined;
  return announced({ ...session, updatedAt: result.now, failedAt: result.now, checkAt: session.expiresAt }, result);
}
