/** Changes of a session, each as a new state to be written by compare-and-set. Pure. */
import type { Session } from './session.js';
import { nextSessionStatus, type SessionEventName } from './statuses.js';

interface SessionResult {
  readonly now: Date;
  /** Body of the tokenization callback; absent: none is sent. */
  readonly body?: string | undefined;
  readonly instrument?: string | undefined;
}

/** Puts an event into the outbox, where there is a subscriber. */
function announced(session: Session, { now, body }: SessionResult): Session {
  const url = session.settings.callbacks?.tokenizationCallbackUrl;
  if (url === undefined || body === undefined) return session;
  const seq = session.eventSeq + 1;
  return { ...session, eventSeq: seq, events: [...session.events, { seq, at: now, url, body }], announceAt: now };
}

/** Ends the session, or says `undefined` when the table has no such move from where it is. */
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
  // A failure that was announced is not followed by an expiry.
  return session.failedAt && event !== 'succeeded' ? ended : announced(ended, result);
}

/** All tries of a tokenization are used up: the integrator hears of it now, the session itself ends with its time. */
export function planFailed(session: Session, result: SessionResult): Session | undefined {
  if (session.status !== 'pending' || session.failedAt) return undefined;
  return announced({ ...session, updatedAt: result.now, failedAt: result.now, checkAt: session.expiresAt }, result);
}
