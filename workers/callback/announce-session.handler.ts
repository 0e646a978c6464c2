/** Fan-out of sessions: each event of a tokenization becomes a delivery and then leaves the session. */
import type { Clock } from '../../shared/clock.js';
import { deliveryId } from '../../shared/domain/callback/delivery.js';
import type { PlannedDelivery } from '../../shared/domain/callback/plan-fan-out.js';
import type { Session } from '../../shared/domain/session/session.js';
import type { Log } from '../../shared/log.js';
import type { DeliveryRepository } from '../../shared/store/delivery.repository.js';
import type { SessionRepository } from '../../shared/store/session.repository.js';
import { workPages } from '../sweep-parts.js';

export interface SessionAnnouncerDeps {
  readonly sessions: Pick<SessionRepository, 'findToAnnounce' | 'update'>;
  readonly deliveries: Pick<DeliveryRepository, 'insert'>;
  readonly clock: Clock;
  readonly log: Log;
}

const toDeliveries = ({ _id, clientId, events }: Session): PlannedDelivery[] =>
  events.map(({ seq, url, body, at }) => ({
    _id: deliveryId(_id, seq),
    paymentId: _id,
    clientId,
    seq,
    url,
    host: new URL(url).host,
    body,
    resourceVersion: seq,
    createdAt: at,
  }));

/** Removes the events that are stored as deliveries; an event that was added meanwhile stays. */
function withoutEvents(session: Session, announced: number): Session | undefined {
  const events = session.events.filter(({ seq }) => seq > announced);
  if (events.length === session.events.length) return undefined;
  return { ...session, events, announceAt: events[0]?.at };
}

/** Announces one page; returns how many sessions were found, and how many were announced and saved. */
async function announcePage({ sessions, deliveries, clock, log }: SessionAnnouncerDeps, limit: number, skip: number) {
  const due = await sessions.findToAnnounce(clock.now(), limit, skip);
  /** A session that cannot be announced must not hold up the others of its page. */
  const failed = (sessionId: string, error: unknown) => log.error('session.announce-failed', { sessionId, error });
  const planned = due.flatMap((session) => {
    try {
      return [{ session, planned: toDeliveries(session) }];
    } catch (error) {
      failed(session._id, error);
      return [];
    }
  });
  // Deliveries first: after a crash in between they are derived again and found to exist.
  await deliveries.insert(
    planned.flatMap((one) => one.planned),
    clock.now(),
  );
  const saves = await Promise.all(
    planned.map(({ session }) =>
      sessions
        .update(session, (current) => withoutEvents(current, session.eventSeq))
        .catch((error: unknown) => failed(session._id, error)),
    ),
  );
  return { found: due.length, done: saves.filter(Boolean).length };
}

/** Announces what is due, page after page, like the fan-out of payments; returns the number of sessions. */
export function announceSessions(deps: SessionAnnouncerDeps): Promise<number> {
  return workPages((limit, skip) => announcePage(deps, limit, skip));
}
