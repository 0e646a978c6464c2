/** Fan-out of sessions: what a tokenization has to tell becomes a delivery, then leaves the session. */
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { deliveryId } from '../../shared/domain/callback/delivery.js';
import type { PlannedDelivery } from '../../shared/domain/callback/plan-fan-out.js';
import type { Session } from '../../shared/domain/session/session.js';
import type { Log } from '../../shared/log.js';
import type { DeliveryRepository } from '../../shared/store/delivery.repository.js';
import type { SessionRepository } from '../../shared/store/session.repository.js';

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

/** Takes out what is stored as deliveries by now; an event that came meanwhile stays. */
function withoutEvents(session: Session, announced: number): Session | undefined {
  const events = session.events.filter(({ seq }) => seq > announced);
  if (events.length === session.events.length) return undefined;
  return { ...session, events, announceAt: events[0]?.at };
}

/** Announces one page of what is due; returns how many sessions. */
export async function announceSessions(deps: SessionAnnouncerDeps): Promise<number> {
  const { sessions, deliveries, clock, log } = deps;
  const due = await sessions.findToAnnounce(clock.now(), limits.sweepPageMax);
  /** One session that cannot be announced must not hold up the others of its page. */
  const failed = (sessionId: string, error: unknown) => log.error('session.announce-failed', { sessionId, error });
  const planned = due.flatMap((session) => {
    try {
      return [{ session, planned: toDeliveries(session) }];
    } catch (error) {
      failed(session._id, error);
      return [];
    }
  });
  // Deliveries first: after a crash in between they are derived again and found to be there.
  await deliveries.insert(
    planned.flatMap((one) => one.planned),
    clock.now(),
  );
  await Promise.all(
    planned.map(({ session }) =>
      sessions
        .update(session, (current) => withoutEvents(current, session.eventSeq))
        .catch((error: unknown) => failed(session._id, error)),
    ),
  );
  return planned.length;
}
