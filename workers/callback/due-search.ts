/**
 * When MongoDB is searched for due deliveries, and for whose. A full search goes through all that is due: the sweep asks for one,
 * and one follows where a host, a client or the process was full. It costs as much as is due, so it gets a bounded part of the
 * time. A backlog search brings what is due for the receivers of the backlog alone; it follows at once when slots become free. One
 * search runs at a time: what is asked for meanwhile is the next, a full one before one of the backlog, so that no receiver and no
 * sweep waits for others that are busy all the time.
 */
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { DueDelivery, Receiver } from '../../shared/domain/callback/delivery.js';
import type { Log } from '../../shared/log.js';
import type { Busy, DeliveryRepository } from '../../shared/store/delivery.repository.js';
import type { BacklogSearch, Dispatch } from './dispatch/dispatch.js';

export interface DueSearchDeps {
  readonly deliveries: Pick<DeliveryRepository, 'findDue' | 'findDueOf'>;
  readonly dispatch: Dispatch;
  readonly clock: Clock;
  readonly log: Log;
  /** Claims and sends what was found, as far as there is room. */
  startDue(due: readonly DueDelivery[]): Promise<Started>;
}

/** How many there was room for, and how many of those were claimed. */
export interface Started {
  readonly admitted: number;
  readonly claimed: number;
}

/** Waits for the end of the next full search. */
interface Waiting {
  resolve(claimed: number): void;
  reject(error: unknown): void;
}

export class DueSearch {
  readonly #wanted = { all: false, backlog: false };
  readonly #awaitingSearch: (() => void)[] = [];
  readonly #awaitingAll: Waiting[] = [];
  #isRunning = false;
  #running: Promise<number> = Promise.resolve(0);
  #closed = false;
  /** No full search follows by itself before this: the last one took its part of the time. */
  #allNotBeforeMs = 0;
  #backlogNotBeforeMs = 0;
  #allTimer: NodeJS.Timeout | undefined;
  #backlogTimer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: DueSearchDeps) {}

  /** Searches through all that is due; returns how many that claimed. Other searches may follow it, which is not waited for. */
  searchAll(): Promise<number> {
    this.#wanted.all = true;
    const ended = new Promise<number>((resolve, reject) => this.#awaitingAll.push({ resolve, reject }));
    // Those who wait get the error.
    this.#run().catch(() => undefined);
    return ended;
  }

  /** A slot of this receiver is free again. */
  slotFreed(receiver: Receiver): void {
    if (this.deps.dispatch.mayMiss(receiver)) this.searchAllSoon();
    this.#searchBacklogSoon();
  }

  /** A full search follows soon. */
  searchAllSoon(): void {
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

  /** Settles when the search that runs or is to follow has ended; `undefined`: there is none. */
  ending(): Promise<unknown> | undefined {
    if (this.#isRunning) return this.#running.catch(() => undefined);
    const isToFollow = this.#allTimer !== undefined || this.#backlogTimer !== undefined;
    return isToFollow ? new Promise<void>((resolve) => this.#awaitingSearch.push(resolve)) : undefined;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#allTimer);
    clearTimeout(this.#backlogTimer);
    this.#allTimer = undefined;
    this.#backlogTimer = undefined;
    for (const begun of this.#awaitingSearch.splice(0)) begun();
  }

  /** Answers gather: a search for many slots costs little more than one for a single slot. */
  #searchBacklogSoon(): void {
    if (this.#closed) return;
    this.#backlogTimer ??= setTimeout(
      () => {
        this.#backlogTimer = undefined;
        this.#wanted.backlog = this.#backlogSearch() !== undefined;
        this.#follow();
      },
      Math.max(0, this.#backlogNotBeforeMs - performance.now()),
    );
  }

  /** Begins the search that is wanted, and lets those go on who wait for that. */
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
    let claimed = 0;
    try {
      while (!this.#closed && (this.#wanted.all || this.#wanted.backlog)) {
        if (this.#wanted.all) {
          this.#wanted.all = false;
          claimed += await this.#searchAllFor(this.#awaitingAll.splice(0));
        } else {
          this.#wanted.backlog = false;
          claimed += await this.#searchBacklog();
        }
      }
    } catch (error) {
      for (const { reject } of this.#awaitingAll.splice(0)) reject(error);
      throw error;
    } finally {
      this.#isRunning = false;
    }
    // Left over where it is closed.
    for (const { resolve } of this.#awaitingAll.splice(0)) resolve(0);
    return claimed;
  }

  async #searchAllFor(waiting: readonly Waiting[]): Promise<number> {
    try {
      const claimed = await this.#searchAll();
      for (const { resolve } of waiting) resolve(claimed);
      return claimed;
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      throw error;
    }
  }

  /** Page after page. Receivers that answer quickly may fill them for ever: what is left after a while is for the next search. */
  async #searchAll(): Promise<number> {
    const { dispatch, clock, startDue } = this.deps;
    const untilMs = performance.now() + limits.callbackFullSearchMs;
    let claimed = 0;
    dispatch.beginFullSearch();
    while (!this.#closed) {
      const next = performance.now() < untilMs ? dispatch.fullSearchPage(clock.now()) : undefined;
      if (!next) {
        dispatch.cutFullSearch();
        break;
      }
      const page = await this.#findPage(next.limit, next.busy);
      claimed += (await startDue(page)).claimed;
      if (page.length < next.limit) break;
    }
    return claimed;
  }

  async #findPage(limit: number, busy: Busy): Promise<DueDelivery[]> {
    const { deliveries, clock } = this.deps;
    const startedMs = performance.now();
    const page = await deliveries.findDue(clock.now(), limit, busy);
    const endedMs = performance.now();
    const restMs = (endedMs - startedMs) * (1 / limits.callbackFullSearchShare - 1);
    this.#allNotBeforeMs = endedMs + Math.min(Math.max(restMs, limits.callbackFullSearchGapMs), limits.sweepMs);
    return page;
  }

  async #searchBacklog(): Promise<number> {
    let claimed = 0;
    this.#backlogNotBeforeMs = performance.now() + limits.callbackGatherMs;
    while (!this.#closed && !this.#wanted.all) {
      const search = this.#backlogSearch();
      if (!search) break;
      const started = await this.#searchFor(search);
      claimed += started.claimed;
      // All slots are taken, or nothing more is due. Otherwise one receiver has more due than slots, and hid the others'.
      const isFilled = started.admitted === search.limit && search.limit < limits.sweepPageMax;
      if (!started.more || isFilled || started.admitted === 0) break;
    }
    return claimed;
  }

  /** `more`: there may be more due for them. */
  async #searchFor({ receivers, limit }: BacklogSearch): Promise<Started & { readonly more: boolean }> {
    const { deliveries, dispatch, clock, startDue } = this.deps;
    // Before the search, so that one which is added meanwhile stays.
    dispatch.searching(receivers);
    const page = await deliveries.findDueOf(receivers, clock.now(), limit);
    const more = page.length === limit;
    if (more) dispatch.moreDue(receivers);
    return { ...(await startDue(page)), more };
  }

  #backlogSearch(): BacklogSearch | undefined {
    return this.deps.dispatch.backlogSearch(this.deps.clock.now());
  }
}
