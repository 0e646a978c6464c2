/** Which of the due deliveries that were found are claimed, and what becomes of the others. */
import type { DueDelivery, Receiver } from '../../shared/domain/callback/delivery.js';
import { type Postponed, turnDueAt } from '../../shared/store/delivery-turns.js';
import type { Place, Places } from './places.js';
import { type Follower, takeTurns } from './take-turns.js';
import type { TurnedAway } from './turned-away.js';

export interface Chosen {
  readonly delivery: DueDelivery;
  readonly place: Place;
  /** The delivery of the same payment, chosen too, that must have ended before. */
  readonly after?: string;
}

/** A receiver to which nothing is sent before `until`. */
export interface ClosedReceiver {
  readonly receiver: Receiver;
  readonly until: Date;
}

export interface Choice {
  readonly chosen: readonly Chosen[];
  /** They wait for one that is chosen, and have no room in the queue. */
  readonly later: readonly Postponed[];
  readonly closed: readonly ClosedReceiver[];
}

/** Takes a place for each that finds room, and remembers who had none. */
export function chooseDue(
  due: readonly DueDelivery[],
  { places, turnedAway, now }: { places: Places; turnedAway: TurnedAway; now: Date },
): Choice {
  const { first, followers } = takeTurns(due);
  const chosen = new Map<string, Chosen>();
  const closed = new Map<string, ClosedReceiver>();
  const later: Postponed[] = [];

  const choose = (delivery: DueDelivery) => {
    const entered = places.enter(delivery);
    if (entered.kind === 'place') chosen.set(delivery._id, { delivery, place: entered.place });
    else if (entered.kind === 'full') turnedAway.add(delivery);
    else {
      const { host, clientId } = delivery;
      closed.set(`${host} ${clientId}`, { receiver: { host, clientId }, until: entered.until });
    }
  };
  // One that follows has its place in the queue: it is sent once the one before it is recorded. Where that one stays due, so does
  // it, and both are found again.
  const follow = ({ delivery, after }: Follower) => {
    if (!chosen.has(after._id)) return;
    if (!places.enterQueue(delivery)) later.push({ seen: delivery, dueAt: turnDueAt(after, now) });
    else chosen.set(delivery._id, { delivery, place: 'ahead', after: after._id });
  };

  for (const delivery of first) choose(delivery);
  for (const follower of followers) follow(follower);
  if (places.room() <= 0) turnedAway.poolIsFull();
  return { chosen: [...chosen.values()], later, closed: [...closed.values()] };
}
