/**
 * When MongoDB is searched for due deliveries, and for whose. The sweep asks for a search through all that is due, and one follows
 * where a host, a client or the process was full; it takes a bounded part of the time. As slots become free, what is due for the
 * receivers that were turned away is fetched at once. One search at a time: what is asked for meanwhile is the next.
 */
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { DueDelivery, Receiver } from '../../shared/domain/callback/delivery.js';
import type { Log } from '../../shared/log.js';
import type { DeliveryRepository } from '../../shared/store/delivery.repository.js';
import type { HostGate } from './host-gate.js';
import type { Slots } from './slots.js';
import type { TurnedAway } from './turned-away.js';

export interface DueSearchDeps {
  readonly deliveries: Pick<DeliveryRepository, 'findDue' | 'findDueOf'>;
  readonly gate: Pick<HostGate, 'underWay'>;
  readonly slots: Slots;
  readonly turnedAway: TurnedAway;
  readonly clock: Clock;
  readonly log: Log;
  /** Starts what was found, as far as there is room. */
  startDue(due: readonly DueDelivery[]): Promise<Started>;
}

/** How many found a slot, and how many of those were claimed. */
export interface Started {
  readonly entered: number;
  readonly claimed: number;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

export class DueSearch {
  readonly #wanted = { all: false, more: false };
  readonly #awaitingSearch: (() => void)[] = [];
  #isRunning = false;
  #running: Promise<number> = Promise.resolve(0);
  #closed = false;
  /** No search through all follows by itself before this: the last one took its part of the time. */
  #allNotBeforeMs = 0;
  #moreNotBeforeMs = 0;
  #allTimer: NodeJS.Timeout | undefined;
  #moreTimer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: DueSearchDeps) {}

  /** Searches through all that is due; answers how many were started until no search is asked for. */
  all(): Promise<number> {
    this.#wanted.all = true;
    return this.#run();
  }

  /** A slot of this receiver is free again. */
  freed(receiver: Receiver): void {
    if (this.deps.turnedAway.concerns(receiver)) this.allSoon();
    this.#moreSoon();
  }

  /** A search through all follows soon. */
  allSoon(): void {
    if (this.#closed) return;
    this.#allTimer ??= setTimeout(
      () => {
        this.#allTimer = undefined;
        this.#wanted.all = true;
        this.#follow();
      },
      Math.max(0, this.#allNotBeforeMs - performance.now()),
    );
  }

  /** Settles when the search that runs or is asked for has ended; `undefined`: there is none. */
  ending(): Promise<unknown> | undefined {
    if (this.#isRunning) return this.#running.catch(() => undefined);
    const isAskedFor = this.#allTimer !== undefined || this.#moreTimer !== undefined;
    return isAskedFor ? new Promise<void>((resolve) => this.#awaitingSearch.push(resolve)) : undefined;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#allTimer);
    clearTimeout(this.#moreTimer);
    this.#allTimer = undefined;
    this.#moreTimer = undefined;
    for (const begun of this.#awaitingSearch.splice(0)) begun();
  }

  /** Answers gather: a search for many costs little more than one for a single slot. */
  #moreSoon(): void {
    if (this.#closed) return;
    this.#moreTimer ??= setTimeout(
      () => {
        this.#moreTimer = undefined;
        this.#wanted.more = this.#starving().length > 0;
        this.#follow();
      },
      Math.max(0, this.#moreNotBeforeMs - performance.now()),
    );
  }

  /** Begins the search that was asked for, and lets those go on who wait for that. */
  #follow(): void {
    // Nothing is lost when that fails: it stays due and the sweep finds it.
    this.#run().catch((error) => this.deps.log.warn('delivery.follow-up-failed', { error }));
    for (const begun of this.#awaitingSearch.splice(0)) begun();
  }

  #run(): Promise<number> {
    if (!this.#isRunning) this.#running = this.#searchWhileWanted();
    return this.#running;
  }

  async #searchWhileWanted(): Promise<number> {
    this.#isRunning = true;
    let started = 0;
    try {
      while (!this.#closed && (this.#wanted.all || this.#wanted.more)) {
        if (this.#wanted.all) {
          this.#wanted.all = false;
          started += await this.#searchAll();
        } else {
          this.#wanted.more = false;
          started += await this.#searchForTurnedAway();
        }
      }
    } finally {
      this.#isRunning = false;
    }
    return started;
  }

  async #searchAll(): Promise<number> {
    const { slots, turnedAway, startDue } = this.deps;
    let started = 0;
    turnedAway.forget();
    while (!this.#closed) {
      const limit = Math.min(slots.room, limits.sweepPageMax);
      if (limit <= 0) {
        turnedAway.poolIsFull();
        break;
      }
      const page = await this.#findAll(limit);
      started += (await startDue(page)).claimed;
      if (page.length < limit) break;
    }
    return started;
  }

  async #findAll(limit: number): Promise<DueDelivery[]> {
    const { deliveries, gate, slots, turnedAway, clock } = this.deps;
    const busy = slots.busy();
    turnedAway.leftOut(busy, gate.underWay());
    const startedMs = performance.now();
    const page = await deliveries.findDue(clock.now(), limit, busy);
    const endedMs = performance.now();
    const restMs = (endedMs - startedMs) * (1 / limits.callbackLookShare - 1);
    this.#allNotBeforeMs = endedMs + Math.min(Math.max(restMs, limits.callbackLookGapMs), limits.sweepMs);
    return page;
  }

  async #searchForTurnedAway(): Promise<number> {
    let started = 0;
    this.#moreNotBeforeMs = performance.now() + limits.callbackGatherMs;
    while (!this.#closed) {
      const receivers = this.#starving();
      const limit = this.#roomOf(receivers);
      if (limit <= 0) break;
      const { entered, claimed, more } = await this.#searchFor(receivers, limit);
      started += claimed;
      // All slots are taken, or nothing more is due. Otherwise one receiver has more due than slots, and hid the others'.
      const isFilled = entered === limit && limit < limits.sweepPageMax;
      if (!more || isFilled || entered === 0) break;
    }
    return started;
  }

  /** `more`: there may be more due for them. */
  async #searchFor(receivers: readonly Receiver[], limit: number): Promise<Started & { readonly more: boolean }> {
    const { deliveries, turnedAway, clock, startDue } = this.deps;
    // Before the search, so that one which is turned away meanwhile stays.
    for (const receiver of receivers) turnedAway.drained(receiver);
    const page = await deliveries.findDueOf(receivers, clock.now(), limit);
    const more = page.length === limit;
    // They are the last that are searched for next time.
    if (more) for (const receiver of receivers) turnedAway.add(receiver);
    return { ...(await startDue(page)), more };
  }

  /** Receivers that were turned away and have room now. */
  #starving(): Receiver[] {
    const { slots, turnedAway } = this.deps;
    const withRoom: Receiver[] = [];
    for (const receiver of turnedAway.receivers()) {
      if (withRoom.length >= limits.callbackLookReceiversMax) break;
      if (slots.wantedOf(receiver) > 0 && slots.wantedBy(receiver.clientId) > 0) withRoom.push(receiver);
    }
    return withRoom;
  }

  #roomOf(receivers: readonly Receiver[]): number {
    const { slots } = this.deps;
    const byClient = new Map<string, number>();
    for (const receiver of receivers) {
      byClient.set(receiver.clientId, (byClient.get(receiver.clientId) ?? 0) + slots.wantedOf(receiver));
    }
    const wantedInAll = sum([...byClient].map(([clientId, count]) => Math.min(count, slots.wantedBy(clientId))));
    return Math.min(wantedInAll, slots.room, limits.sweepPageMax);
  }
}
