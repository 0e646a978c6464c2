import { limits } from '../../config/limits.js';
import type { DueDelivery } from '../../shared/store/delivery.repository.js';
import type { DelivererDeps } from './deliver-callback.handler.js';

/** Splits off those that must wait for an earlier delivery of their payment, and lets them wait. */
export async function takeTurns(
  due: readonly DueDelivery[],
  { deliveries, clock }: Pick<DelivererDeps, 'deliveries' | 'clock'>,
): Promise<DueDelivery[]> {
  const first = await deliveries.findFirstWaiting([...new Set(due.map(({ paymentId }) => paymentId))]);
  const ready: DueDelivery[] = [];
  const later: Promise<void>[] = [];
  for (const delivery of due) {
    const before = first.get(delivery.paymentId);
    if (before?._id === delivery._id) ready.push(delivery);
    else if (before && before.seq < delivery.seq) {
      // It is woken when the earlier one ends; the lease's length is the backstop should that be missed.
      const backstopMs = clock.now().getTime() + limits.callbackLeaseMs;
      later.push(deliveries.postpone(delivery, new Date(Math.max(before.dueAt.getTime(), backstopMs))));
    }
  }
  await Promise.all(later);
  return ready;
}
