/** Fan-out: turns due events of payments into deliveries, then advances the payment by compare-and-set. */
import type { Clock } from '../../shared/clock.js';
import type { DueDelivery } from '../../shared/domain/callback/delivery.js';
import { type FanOutPlan, planFanOut } from '../../shared/domain/callback/plan-fan-out.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Log } from '../../shared/log.js';
import type { DeliveryRepository } from '../../shared/store/delivery.repository.js';
import { workPages } from '../sweep-parts.js';

/** The part of `PaymentRepository` that the fan-out needs. */
export interface AnnouncementStore {
  findByIds(paymentIds: readonly string[]): Promise<Payment[]>;
  /** Finds payments whose `announceAt` has passed, earliest first. */
  findToAnnounce(now: Date, limit: number, skip?: number): Promise<Payment[]>;
  save(before: Payment, after: Payment): Promise<Payment | 'conflict' | 'duplicate'>;
}

export interface AnnouncerDeps {
  readonly announcements: AnnouncementStore;
  readonly deliveries: DeliveryRepository;
  readonly clock: Clock;
  readonly log: Log;
}

/** Deliveries that exist in MongoDB now. */
export interface Announced {
  /** Deliveries that this call stored. */
  readonly stored: readonly DueDelivery[];
  /** Deliveries that existed already, in any state. */
  readonly knownIds: readonly string[];
}

export interface Announcer {
  /** Announces the due events of some payments; returns their deliveries. */
  announce(paymentIds: readonly string[]): Promise<Announced>;
  /** Announces everything that is due; returns the number of payments. */
  announceDue(): Promise<number>;
}

export function createAnnouncer({ announcements, deliveries, clock, log }: AnnouncerDeps): Announcer {
  /** A payment that cannot be announced must not hold up the others of its page. */
  function planOrLog(payment: Payment, now: Date): { before: Payment; plan: FanOutPlan }[] {
    try {
      const plan = planFanOut(payment, now);
      return plan.payment === payment ? [] : [{ before: payment, plan }];
    } catch (error) {
      log.error('payment.announce-failed', { paymentId: payment._id, error });
      return [];
    }
  }

  /** Saves a payment. One that cannot be saved stays due: another writer was first, or the sweep retries it. */
  async function saveOrLog(before: Payment, after: Payment): Promise<boolean> {
    try {
      return typeof (await announcements.save(before, after)) === 'object';
    } catch (error) {
      log.error('payment.announce-failed', { paymentId: before._id, error });
      return false;
    }
  }

  /** Returns the deliveries that are stored now, and for how many payments the fan-out was saved. */
  async function fanOut(payments: readonly Payment[]): Promise<Announced & { readonly saved: number }> {
    const now = clock.now();
    const planned = payments.flatMap((payment) => planOrLog(payment, now));
    const planDeliveries = planned.flatMap(({ plan }) => plan.deliveries);
    // Deliveries first: after a crash in between they are derived again and found to exist. In the other order an event could be lost.
    const stored = await deliveries.insert(planDeliveries, now);
    const saves = await Promise.all(planned.map(({ before, plan }) => saveOrLog(before, plan.payment)));
    const storedIds = new Set(stored.map(({ _id }) => _id));
    const knownIds = planDeliveries.flatMap(({ _id }) => (storedIds.has(_id) ? [] : [_id]));
    return { stored, knownIds, saved: saves.filter(Boolean).length };
  }

  const announce = async (paymentIds: readonly string[]) => fanOut(await announcements.findByIds(paymentIds));

  function announceDue(): Promise<number> {
    return workPages(async (limit, skip) => {
      const page = await announcements.findToAnnounce(clock.now(), limit, skip);
      const { saved } = await fanOut(page);
      return { found: page.length, done: saved };
    });
  }

  return { announce, announceDue };
}
