/**
 * Keeps senders busy: claims deliveries that are due, whose turn it is and whose receiver has room, and starts them. What waits in
 * MongoDB for a slot is fetched as soon as one is free, so the rate does not depend on the sweep's timer.
 */
import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, DueDelivery } from '../../shared/domain/callback/delivery.js';
import { coalesce } from '../../shared/store/coalesce.js';
import { type Choice, chooseDue } from './choose-due.js';
import { ClaimedAhead } from './claimed-ahead.js';
import type { ClientShares } from './client-shares.js';
import type { DelivererDeps } from './deliver-callback.handler.js';
import { DueSearch, type Started } from './due-search.js';
import type { HostGate } from './host-gate.js';
import { Senders } from './senders.js';
import { Slots } from './slots.js';
import { TurnedAway } from './turned-away.js';

export interface SchedulerDeps extends DelivererDeps {
  readonly gate: HostGate;
  readonly shares: ClientShares;
  /** Deliveries claimed and not answered at once in this process, over all hosts; and so many whose answers are recorded. */
  readonly concurrency: number;
}

const bounds = { itemsMax: limits.batchItemsMax, inFlightMax: limits.batchesInFlightMax };

function claimedAheadOf(concurrency: number): ClaimedAhead {
  return new ClaimedAhead({
    perReceiverMax: limits.callbackAheadPerReceiverMax,
    perHostMax: limits.callbackAheadPerHostMax,
    perClientMax: Math.max(1, Math.floor(concurrency * limits.callbackClientShare)),
    max: Math.floor(concurrency * limits.callbackAheadShare),
  });
}

export class DeliveryScheduler {
  readonly #turnedAway = new TurnedAway();
  readonly #slots: Slots;
  readonly #senders: Senders;
  readonly #search: DueSearch;
  #closed = false;

  constructor(private readonly deps: SchedulerDeps) {
    const ahead = claimedAheadOf(deps.concurrency);
    this.#slots = new Slots({ ...deps, ahead });
    this.#search = new DueSearch({
      ...deps,
      slots: this.#slots,
      turnedAway: this.#turnedAway,
      startDue: (due) => this.#startDue(due),
    });
    this.#senders = new Senders({
      ...deps,
      ahead,
      slots: this.#slots,
      freed: (receiver) => this.#search.freed(receiver),
      recorded: () => {
        if (this.#turnedAway.poolWasFull) this.#search.allSoon();
      },
      ended: async (next) => {
        if (next && !this.#closed) await this.#startNext(next);
      },
    });
  }

  /** Starts what is due and has room; answers how many. Calls while one is running join it. */
  startAllDue(): Promise<number> {
    return this.#search.all();
  }

  /** Starts those of `ids` that are due, whose turn it is and that have room. */
  async start(ids: readonly string[]): Promise<void> {
    if (!this.#closed) await Promise.all(ids.map(this.#startOne));
  }

  /** The same of some that need not be read. */
  async startStored(due: readonly DueDelivery[]): Promise<void> {
    if (!this.#closed) await this.#startDue(due);
  }

  /** Settles when this delivery is no longer under way here. */
  finished(id: string): Promise<void> {
    return this.#senders.finished(id);
  }

  /** Settles when nothing is under way. */
  async idle(): Promise<void> {
    for (let search = this.#search.ending(); this.#senders.size > 0 || search; search = this.#search.ending()) {
      await Promise.all([this.#senders.all(), search]);
    }
  }

  /** Starts nothing any more and waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#search.close();
    await this.#senders.close();
    await this.idle();
  }

  /** Nudges that come in the same turn are one search and one claim. */
  readonly #startOne = coalesce<string, void>(async (ids) => {
    const { deliveries, clock } = this.deps;
    if (!this.#closed) await this.#startDue(await deliveries.findDueAmong([...new Set(ids)], clock.now()));
    return ids.map(() => ({ ok: undefined }));
  }, bounds);

  readonly #startNext = coalesce<DueDelivery, void>(async (next) => {
    if (!this.#closed) await this.#startDue(next);
    return next.map(() => ({ ok: undefined }));
  }, bounds);

  async #startDue(due: readonly DueDelivery[]): Promise<Started> {
    if (due.length === 0) return { entered: 0, claimed: 0 };
    const now = this.deps.clock.now();
    const choice = chooseDue(due, { slots: this.#slots, turnedAway: this.#turnedAway, now });
    const [claimed] = await Promise.all([this.#claim(choice, now), this.#postpone(choice)]);
    const chosen = new Map(choice.chosen.map((one) => [one.delivery._id, one]));
    for (const delivery of claimed) {
      const { slot, after } = chosen.get(delivery._id) ?? { slot: 'ahead' as const };
      this.#senders.start(delivery, slot, after);
    }
    // While they were claimed, slots may have become free.
    for (const host of new Set(claimed.map((delivery) => delivery.host))) this.#senders.startAhead(host);
    return { entered: choice.chosen.length, claimed: claimed.length };
  }

  async #claim({ chosen }: Choice, now: Date): Promise<ClaimedDelivery[]> {
    const { deliveries } = this.deps;
    let claimed: ClaimedDelivery[] = [];
    try {
      claimed = await deliveries.claim(
        chosen.map(({ delivery }) => delivery),
        now,
      );
      if (this.#closed) await deliveries.release(claimed.splice(0).map((delivery) => ({ claimed: delivery })));
    } finally {
      const won = new Set(claimed.map(({ _id }) => _id));
      for (const { delivery, slot } of chosen) if (!won.has(delivery._id)) this.#slots.cancel(delivery, slot);
    }
    return claimed;
  }

  /** What is not claimed waits in MongoDB: later ones of a payment for their turn, those of a closed receiver until it opens. */
  async #postpone({ later, closed }: Choice): Promise<void> {
    const { deliveries, log } = this.deps;
    try {
      await Promise.all([
        deliveries.postpone(later),
        ...closed.map(({ receiver, until }) => deliveries.postponeReceiver(receiver, until)),
      ]);
    } catch (error) {
      // They stay due, and are found again.
      log.warn('delivery.follow-up-failed', { error });
    }
  }
}
