/**
 * Keeps senders busy: claims deliveries that are due, whose turn it is and whose receiver has room, and starts them. Where
 * something waits in MongoDB for a place that comes back it is fetched at once, so the rate does not hang on the sweep's timer.
 */
import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, DueDelivery, Receiver } from '../../shared/domain/callback/delivery.js';
import { coalesce } from '../../shared/store/coalesce.js';
import { createClaimedAhead } from './claimed-ahead.js';
import type { ClientShares } from './client-shares.js';
import type { DelivererDeps } from './deliver-callback.handler.js';
import type { HostGate } from './host-gate.js';
import { createLooks, type Looks, type Started } from './looks.js';
import { createPlaces, type Place, type Places } from './places.js';
import { createSenders } from './senders.js';
import { takeTurns } from './take-turns.js';
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
  /** Settles when this delivery is no longer under way here. */
  finished(id: string): Promise<void>;
  /** Settles when nothing is under way. */
  idle(): Promise<void>;
  /** Starts nothing any more and waits for what is under way. */
  close(): Promise<void>;
}

interface Entered {
  readonly delivery: DueDelivery;
  readonly place: Place;
}

interface Closed {
  readonly receiver: Receiver;
  readonly until: Date;
}

const NOTHING: Started = { entered: 0, claimed: 0 };
const FULL = { kind: 'full' } as const;

export function createDeliveryPump(deps: PumpDeps): DeliveryPump {
  const { deliveries, gate, clock, log } = deps;
  const ahead = createClaimedAhead({
    perReceiverMax: limits.callbackAheadPerReceiverMax,
    perHostMax: limits.callbackAheadPerHostMax,
    max: Math.floor(deps.concurrency * limits.callbackAheadShare),
  });
  const turnedAway = createTurnedAway();
  const senders = createSenders({
    ...deps,
    ahead,
    places: () => places,
    freed: (receiver) => looks.freed(receiver),
    async recorded(next) {
      if (turnedAway.poolWasFull()) looks.allSoon();
      if (next && !closed) await startNext(next);
    },
  });
  const places: Places = createPlaces({ ...deps, ahead, recording: senders.recording });
  const looks: Looks = createLooks({ deliveries, gate, places, turnedAway, clock, log, startDue });
  let closed = false;

  /** Takes a place for each that finds room, and remembers who had none. */
  function enterAll(first: readonly DueDelivery[]): { entered: Entered[]; closedReceivers: Closed[] } {
    const entered: Entered[] = [];
    const closedReceivers = new Map<string, Closed>();
    for (const delivery of first) {
      if (places.room() <= 0) turnedAway.poolIsFull();
      const entrance = places.room() > 0 ? places.enter(delivery) : FULL;
      if (entrance.kind === 'place') entered.push({ delivery, place: entrance.place });
      else if (entrance.kind === 'full') turnedAway.add(delivery);
      else {
        const { host, clientId } = delivery;
        closedReceivers.set(`${host} ${clientId}`, { receiver: { host, clientId }, until: entrance.until });
      }
    }
    return { entered, closedReceivers: [...closedReceivers.values()] };
  }

  /** What has no place waits in MongoDB: later ones of a payment for their turn, those of a closed receiver until it opens. */
  async function postpone(later: Parameters<typeof deliveries.postpone>[0], closedReceivers: readonly Closed[]) {
    try {
      await Promise.all([
        deliveries.postpone(later),
        ...closedReceivers.map(({ receiver, until }) => deliveries.postponeReceiver(receiver, until)),
      ]);
    } catch (error) {
      // They stay due, and are found again.
      log.warn('delivery.follow-up-failed', { error });
    }
  }

  async function claim(entered: readonly Entered[], now: Date): Promise<ClaimedDelivery[]> {
    let claimed: ClaimedDelivery[] = [];
    try {
      claimed = await deliveries.claim(
        entered.map(({ delivery }) => delivery),
        now,
      );
      if (closed) await deliveries.release(claimed.splice(0));
    } finally {
      const won = new Set(claimed.map(({ _id }) => _id));
      for (const { delivery, place } of entered) if (!won.has(delivery._id)) places.cancel(delivery, place);
    }
    return claimed;
  }

  async function startDue(due: readonly DueDelivery[]): Promise<Started> {
    if (due.length === 0) return NOTHING;
    const now = clock.now();
    const { first, later } = takeTurns(due, now);
    const { entered, closedReceivers } = enterAll(first);
    const [claimed] = await Promise.all([claim(entered, now), postpone(later, closedReceivers)]);
    const placeOf = new Map(entered.map(({ delivery, place }) => [delivery._id, place]));
    for (const delivery of claimed) senders.start(delivery, placeOf.get(delivery._id) ?? 'ahead');
    // While they were claimed, places may have become free.
    for (const host of new Set(claimed.map((delivery) => delivery.host))) senders.startAhead(host);
    return { entered: entered.length, claimed: claimed.length };
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
