import type { DueDelivery } from '../../shared/domain/callback/delivery.js';
import { type Postponed, turnDueAt } from '../../shared/store/delivery-turns.js';

/** Splits off those that wait for an earlier one among them. It wakes them when it ends. */
export function takeTurns(due: readonly DueDelivery[], now: Date): { first: DueDelivery[]; later: Postponed[] } {
  const firstOf = new Map<string, DueDelivery>();
  for (const delivery of due) {
    const known = firstOf.get(delivery.paymentId);
    if (!known || delivery.seq < known.seq) firstOf.set(delivery.paymentId, delivery);
  }
  const first = [...firstOf.values()];
  const later = due.flatMap((delivery) => {
    const before = firstOf.get(delivery.paymentId);
    return before && before !== delivery ? [{ seen: delivery, dueAt: turnDueAt(before, now) }] : [];
  });
  return { first, later };
}
