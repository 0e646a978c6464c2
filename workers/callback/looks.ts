/**
 * When MongoDB is looked at for due deliveries, and through which. A look through all that is due is asked for by the sweep, and
 * follows where a host, a client or the process was full; it takes a bounded part of the time. As places come back, what is due
 * for the receivers that were turned away is fetched at once. One look at a time: what is asked for meanwhile is the next.
 */
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { DueDelivery, Receiver } from '../../shared/domain/callback/delivery.js';
import type { Log } from '../../shared/log.js';
import type { DeliveryRepository } from '../../shared/store/delivery.repository.js';
import type { HostGate } from './host-gate.js';
import type { Places } from './places.js';
import type { TurnedAway } from './turned-away.js';

export interface LooksDeps {
  readonly deliveries: Pick<DeliveryRepository, 'findDue' | 'findDueOf'>;
  readonly gate: Pick<HostGate, 'underWay'>;
  readonly places: Places;
  readonly turnedAway: TurnedAway;
  readonly clock: Clock;
  readonly log: Log;
  /** Starts what was found, as far as there is room. */
  startDue(due: readonly DueDelivery[]): Promise<Started>;
}

/** How many found a place, and how many of those were claimed. */
export interface Started {
  readonly entered: number;
  readonly claimed: number;
}

export interface Looks {
  /** Looks through all that is due; answers how many were started until no look is asked for. */
  all(): Promise<number>;
  /** A place of this receiver came back. */
  freed(receiver: Receiver): void;
  /** A look through all follows soon. */
  allSoon(): void;
  /** Settles when the look that runs or is asked for has ended; `undefined`: there is none. */
  ending(): Promise<unknown> | undefined;
  close(): void;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

export function createLooks({ deliveries, gate, places, turnedAway, clock, log, startDue }: LooksDeps): Looks {
  const wanted = { all: false, more: false };
  let isLooking = false;
  let looking: Promise<number> = Promise.resolve(0);
  let closed = false;
  /** How long the last statement through all took, and until when none follows by itself. */
  let notBeforeMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let asking: NodeJS.Timeout | undefined;
  let moreNotBeforeMs = 0;
  const awaiting: (() => void)[] = [];

  async function findAll(limit: number): Promise<DueDelivery[]> {
    const busy = places.busy();
    turnedAway.leftOut(busy, gate.underWay());
    const startedMs = performance.now();
    const page = await deliveries.findDue(clock.now(), limit, busy);
    const endedMs = performance.now();
    const restMs = (endedMs - startedMs) * (1 / limits.callbackLookShare - 1);
    notBeforeMs = endedMs + Math.min(Math.max(restMs, limits.callbackLookGapMs), limits.sweepMs);
    return page;
  }

  async function lookThroughAll(): Promise<number> {
    let started = 0;
    turnedAway.forget();
    while (!closed) {
      const limit = Math.min(places.room(), limits.sweepPageMax);
      if (limit <= 0) {
        turnedAway.poolIsFull();
        break;
      }
      const page = await findAll(limit);
      started += (await startDue(page)).claimed;
      if (page.length < limit) break;
    }
    return started;
  }

  /** Receivers that were turned away and have room now. */
  function starving(): Receiver[] {
    const having: Receiver[] = [];
    for (const receiver of turnedAway.receivers()) {
      if (having.length >= limits.callbackLookReceiversMax) break;
      if (places.wantedOf(receiver) > 0 && places.wantedBy(receiver.clientId) > 0) having.push(receiver);
    }
    return having;
  }

  function roomOf(receivers: readonly Receiver[]): number {
    const byClient = new Map<string, number>();
    for (const receiver of receivers) {
      byClient.set(receiver.clientId, (byClient.get(receiver.clientId) ?? 0) + places.wantedOf(receiver));
    }
    const wantedInAll = sum([...byClient].map(([clientId, count]) => Math.min(count, places.wantedBy(clientId))));
    return Math.min(wantedInAll, places.room(), limits.sweepPageMax);
  }

  /** `more`: there may be more due for them. */
  async function lookFor(receivers: readonly Receiver[], limit: number): Promise<Started & { readonly more: boolean }> {
    // Before the look, so that one which is turned away meanwhile stays.
    for (const receiver of receivers) turnedAway.drained(receiver);
    const page = await deliveries.findDueOf(receivers, clock.now(), limit);
    const more = page.length === limit;
    // They are the last that are looked for next time.
    if (more) for (const receiver of receivers) turnedAway.add(receiver);
    return { ...(await startDue(page)), more };
  }

  async function lookForTurnedAway(): Promise<number> {
    let started = 0;
    moreNotBeforeMs = performance.now() + limits.callbackGatherMs;
    while (!closed) {
      const receivers = starving();
      const limit = roomOf(receivers);
      if (limit <= 0) break;
      const { entered, claimed, more } = await lookFor(receivers, limit);
      started += claimed;
      // All places are taken, or nothing more is due. Otherwise one receiver has more due than places, and hid the others'.
      const isFilled = entered === limit && limit < limits.sweepPageMax;
      if (!more || isFilled || entered === 0) break;
    }
    return started;
  }

  async function looks(): Promise<number> {
    isLooking = true;
    let started = 0;
    try {
      while (!closed && (wanted.all || wanted.more)) {
        const through = wanted.all ? lookThroughAll : lookForTurnedAway;
        if (wanted.all) wanted.all = false;
        else wanted.more = false;
        started += await through();
      }
    } finally {
      isLooking = false;
    }
    return started;
  }

  function look(): Promise<number> {
    if (!isLooking) looking = looks();
    return looking;
  }

  /** Begins the look that was asked for, and tells those who wait for that. */
  function follow(): void {
    // Nothing is lost when that fails: it stays due and the sweep finds it.
    look().catch((error) => log.warn('delivery.follow-up-failed', { error }));
    for (const begun of awaiting.splice(0)) begun();
  }

  function allSoon(): void {
    if (closed) return;
    timer ??= setTimeout(
      () => {
        timer = undefined;
        wanted.all = true;
        follow();
      },
      Math.max(0, notBeforeMs - performance.now()),
    );
  }

  /** Answers gather: a look for many costs little more than one for a single place. */
  function moreSoon(): void {
    if (closed) return;
    asking ??= setTimeout(
      () => {
        asking = undefined;
        wanted.more = starving().length > 0;
        follow();
      },
      Math.max(0, moreNotBeforeMs - performance.now()),
    );
  }

  return {
    all() {
      wanted.all = true;
      return look();
    },
    freed(receiver) {
      if (turnedAway.concerns(receiver)) allSoon();
      moreSoon();
    },
    allSoon,
    ending() {
      if (isLooking) return looking.catch(() => undefined);
      return timer || asking ? new Promise<void>((resolve) => awaiting.push(resolve)) : undefined;
    },
    close() {
      closed = true;
      clearTimeout(timer);
      clearTimeout(asking);
      [timer, asking] = [undefined, undefined];
      for (const begun of awaiting.splice(0)) begun();
    },
  };
}
