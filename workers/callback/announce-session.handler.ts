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

/** Announces a page; returns how many sessions it had, and for how many of them that was written down. */
async function announcePage({ sessions, deliveries, clock, log }: SessionAnnouncerDeps) {
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
  const saves = await Promise.all(
    planned.map(({ session }) =>
      sessions
        .update(session, (current) => withoutEvents(current, session.eventSeq))
        .catch((error: unknown) => failed(session._id, error)),
    ),
  );
  return { found: due.length, announced: planned.length, saved: saves.filter(Boolean).length };
}

/** Announces what is due, page after page, as payments are announced; returns how many sessions. */
export async function announceSessions(deps: SessionAnnouncerDeps): Promise<number> {
  let announced = 0;
  const endsMs = performance.now() + limits.sweepWaitMs;
  for (;;) {
    const page = await announcePage(deps);
    announced += page.announced;
    // A page without progress would only be found again, and deliveries wait behind this: the next sweep goes on.
    if (page.found < limits.sweepPageMax || page.saved === 0 || performance.now() >= endsMs) return announced;
  }
}
