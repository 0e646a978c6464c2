/** Which of the due deliveries that were found are claimed, and what happens to the others. */
import { type DueDelivery, type Receiver, receiverKey } from '../../shared/domain/callback/delivery.js';
import { type Postponed, turnDueAt } from '../../shared/store/delivery-turns.js';
import type { Slot, Slots } from './slots.js';
import type { TurnedAway } from './turned-away.js';

export interface Chosen {
  readonly delivery: DueDelivery;
  readonly slot: Slot;
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

/** A delivery and the one of the same payment that must have ended before. */
interface Follower {
  readonly delivery: DueDelivery;
  readonly after: DueDelivery;
}

/** Takes a slot for each that finds room, and remembers who had none. */
export function chooseDue(
  due: readonly DueDelivery[],
  { slots, turnedAway, now }: { slots: Slots; turnedAway: TurnedAway; now: Date },
): Choice {
  const { first, followers } = takeTurns(due);
  const chosen = new Map<string, Chosen>();
  const closed = new Map<string, ClosedReceiver>();
  const later: Postponed[] = [];

  const choose = (delivery: DueDelivery) => {
    const entered = slots.enter(delivery);
    if (entered.kind === 'slot') chosen.set(delivery._id, { delivery, slot: entered.slot });
    else if (entered.kind === 'full') turnedAway.add(delivery);
    else {
      const { host, clientId } = delivery;
      closed.set(receiverKey(delivery), { receiver: { host, clientId }, until: entered.until });
    }
  };
  // One that follows waits in the queue: it is sent once the one before it is recorded. If that one stays due, so does it, and
  // both are found again.
  const follow = ({ delivery, after }: Follower) => {
    if (!chosen.has(after._id)) return;
    if (!slots.enterQueue(delivery)) later.push({ seen: delivery, dueAt: turnDueAt(after, now) });
    else chosen.set(delivery._id, { delivery, slot: 'ahead', after: after._id });
  };

  for (const delivery of first) choose(delivery);
  for (const follower of followers) follow(follower);
  if (slots.room <= 0) turnedAway.poolIsFull();
  return { chosen: [...chosen.values()], later, closed: [...closed.values()] };
}

/** Separates those that may be sent from those that follow an earlier one among them. Both stay in the order given. */
function takeTurns(due: readonly DueDelivery[]): { first: DueDelivery[]; followers: Follower[] } {
  const ofPayment = new Map<string, DueDelivery[]>();
  for (const delivery of due) {
    ofPayment.set(delivery.paymentId, [...(ofPayment.get(delivery.paymentId) ?? []), delivery]);
  }
  const first: DueDelivery[] = [];
  const followers: Follower[] = [];
  for (const together of ofPayment.values()) {
    const [earliest, ...others] = together.toSorted((one, other) => one.seq - other.seq);
    if (!earliest) continue;
    first.push(earliest);
    let after = earliest;
    for (const delivery of others) {
      followers.push({ delivery, after });
      after = delivery;
    }
  }
  return { first, followers };
}
