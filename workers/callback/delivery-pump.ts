/**
 * Keeps senders busy: claims deliveries that are due, whose turn it is and whose receiver has room, and starts them. Where
 * something waits in MongoDB for a place that comes back it is fetched at once, so the rate does not hang on the sweep's timer.
 */
import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, DueDelivery } from '../../shared/domain/callback/delivery.js';
import { coalesce } from '../../shared/store/coalesce.js';
import { type Choice, chooseDue } from './choose-due.js';
import { createClaimedAhead } from './claimed-ahead.js';
import type { ClientShares } from './client-shares.js';
import type { DelivererDeps } from './deliver-callback.handler.js';
import type { HostGate } from './host-gate.js';
import { createLooks, type Looks, type Started } from './looks.js';
import { createPlaces, type Places } from './places.js';
import { createSenders } from './senders.js';
import { createTurnedAway } from './turned-away.js';

export interface PumpDeps extends DelivererDeps {
  readonly gate: HostGate;
  readonly shares: ClientShares;
  /** Deliveries claimed and not answered at once in this process, over all hosts; and so many whose answers are recorded. */
  readonly concurrency: number;
}

export interface DeliveryPump {
  /** Starts what is due and has room; answers how many. Calls while one is running join it. */
  pump(): Promise<number>;
  /** Starts those of `ids` that are due, whose turn it is and that have room. */
  start(ids: readonly string[]): Promise<void>;
  /** The same of some that need not be read. */
  startStored(due: readonly DueDelivery[]): Promise<void>;
  /** Settles when this delivery is no longer under way here. */
  finished(id: string): Promise<void>;
  /** Settles when nothing is under way. */
  idle(): Promise<void>;
  /** Starts nothing any more and waits for what is under way. */
  close(): Promise<void>;
}

export function createDeliveryPump(deps: PumpDeps): DeliveryPump {
  const { deliveries, gate, clock, log } = deps;
  const ahead = createClaimedAhead({
    perReceiverMax: limits.callbackAheadPerReceiverMax,
    perHostMax: limits.callbackAheadPerHostMax,
    perClientMax: Math.max(1, Math.floor(deps.concurrency * limits.callbackClientShare)),
    max: Math.floor(deps.concurrency * limits.callbackAheadShare),
  });
  const turnedAway = createTurnedAway();
  const senders = createSenders({
    ...deps,
    ahead,
    places: () => places,
    freed: (receiver) => looks.freed(receiver),
    async ended(next) {
      if (next && !closed) await startNext(next);
    },
    recorded() {
      if (turnedAway.poolWasFull()) looks.allSoon();
    },
  });
  const places: Places = createPlaces({ ...deps, ahead, recording: senders.recording });
  const looks: Looks = createLooks({ deliveries, gate, places, turnedAway, clock, log, startDue });
  let closed = false;

  /** What is not claimed waits in MongoDB: later ones of a payment for their turn, those of a closed receiver until it opens. */
  async function postpone({ later, closed: receivers }: Choice): Promise<void> {
    try {
      await Promise.all([
        deliveries.postpone(later),
        ...receivers.map(({ receiver, until }) => deliveries.postponeReceiver(receiver, until)),
      ]);
    } catch (error) {
      // They stay due, and are found again.
      log.warn('delivery.follow-up-failed', { error });
    }
  }

  async function claim({ chosen }: Choice, now: Date): Promise<ClaimedDelivery[]> {
    let claimed: ClaimedDelivery[] = [];
    try {
      claimed = await deliveries.claim(
        chosen.map(({ delivery }) => delivery),
        now,
      );
      if (closed) await deliveries.release(claimed.splice(0).map((delivery) => ({ claimed: delivery })));
    } finally {
      const won = new Set(claimed.map(({ _id }) => _id));
      for (const { delivery, place } of chosen) if (!won.has(delivery._id)) places.cancel(delivery, place);
    }
    return claimed;
  }

  async function startDue(due: readonly DueDelivery[]): Promise<Started> {
    if (due.length === 0) return { entered: 0, claimed: 0 };
    const now = clock.now();
    const choice = chooseDue(due, { places, turnedAway, now });
    const [claimed] = await Promise.all([claim(choice, now), postpone(choice)]);
    const chosen = new Map(choice.chosen.map((one) => [one.delivery._id, one]));
    for (const delivery of claimed) {
      const { place, after } = chosen.get(delivery._id) ?? { place: 'ahead' as const };
      senders.start(delivery, place, after);
    }
    // While they were claimed, places may have become free.
    for (const host of new Set(claimed.map((delivery) => delivery.host))) senders.startAhead(host);
    return { entered: choice.chosen.length, claimed: claimed.length };
  }

  const bounds = { itemsMax: limits.batchItemsMax, inFlightMax: limits.batchesInFlightMax };
  /** Hints that come in the same turn are one look and one claim. */
  const startOne = coalesce<string, void>(async (ids) => {
    if (!closed) await startDue(await deliveries.findDueAmong([...new Set(ids)], clock.now()));
    return ids.map(() => ({ ok: undefined }));
  }, bounds);
  const startNext = coalesce<DueDelivery, void>(async (next) => {
    if (!closed) await startDue(next);
    return next.map(() => ({ ok: undefined }));
  }, bounds);

  async function idle(): Promise<void> {
    for (let looking = looks.ending(); senders.size() > 0 || looking; looking = looks.ending()) {
      await Promise.all([senders.all(), looking]);
    }
  }

  return {
    pump: looks.all,
    async start(ids) {
      if (!closed) await Promise.all(ids.map(startOne));
    },
    async startStored(due) {
      if (!closed) await startDue(due);
    },
    finished: senders.finished,
    idle,
    async close() {
      closed = true;
      looks.close();
      await senders.close();
      await idle();
    },
  };
}
