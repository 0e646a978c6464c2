import type { DueDelivery } from '../../../shared/domain/callback/delivery.js';

/** A delivery, and the one of the same payment that must end before it. */
export interface Follower {
  readonly delivery: DueDelivery;
  readonly after: DueDelivery;
}

/** Separates deliveries that may be sent from those that follow an earlier one of the same payment. Both stay in the given order. */
export function takeTurns(due: readonly DueDelivery[]): { first: DueDelivery[]; followers: Follower[] } {
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
