/**
 * Decides when MongoDB is searched for due deliveries, and for which receivers. A full search goes through all that is due: the sweep asks
 * for one, and one follows when a host, a client or the process was full. Its cost grows with what is due, so it gets a bounded part of the
 * time. A backlog search finds only what is due for the receivers of the backlog; it follows at once when slots become free. One search
 * runs at a time: a request during a search runs next, a full search before a backlog search, so that no receiver and no sweep waits for
 * others that are always busy.
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
  /** Claims and sends the deliveries that were found, as far as there is room. */
  startDue(due: readonly DueDelivery[]): Promise<Started>;
}

/** For how many deliveries there was room, and how many of them were claimed. */
export interface Started {
  readonly admitted: number;
  readonly claimed: number;
}

/** A caller that waits for the end of the next full search. */
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
  /** No full search follows by itself before this time: the last one used its part of the time. */
  #allNotBeforeMs = 0;
  #backlogNotBeforeMs = 0;
  #allTimer: NodeJS.Timeout | undefined;
  #backlogTimer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: DueSearchDeps) {}

  /** Searches through all that is due; returns how many deliveries this claimed. Does not wait for searches that may follow. */
  searchAll(): Promise<number> {
    this.#wanted.all = true;
    const ended = new Promise<number>((resolve, reject) => this.#awaitingAll.push({ resolve, reject }));
    // The waiting callers get the error.
    this.#run().catch(() => undefined);
    return ended;
  }

  /** Called when a slot of this receiver is free again. */
  slotFreed(receiver: Receiver): void {
    if (this.deps.dispatch.mayMiss(receiver)) this.searchAllSoon();
    this.#searchBacklogSoon();
  }

  /** Schedules a full search. */
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

  /** Settles when the running search has ended, or the scheduled one has begun; `undefined`: there is neither. */
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

  /** Waits a little to collect answers: a search for many slots costs little more than one for a single slot. */
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

  /** Begins the wanted search, and resolves the promises that wait for its begin. */
  #follow(): void {
    // Nothing is lost when the search fails: the deliveries stay due and the sweep finds them.
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
    // Callers that are left because the search is closed.
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

  /**
   * Searches page after page, for a bounded time: receivers that answer quickly could fill pages for ever. The next search finds the rest.
   */
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
      // All slots are taken, or nothing more is due. Otherwise one receiver has more due than slots, and hid what is due for others.
      const isFilled = started.admitted === search.limit && search.limit < limits.sweepPageMax;
      if (!started.more || isFilled || started.admitted === 0) break;
    }
    return claimed;
  }

  /** `more`: more may be due for these receivers. */
  async #searchFor({ receivers, limit }: BacklogSearch): Promise<Started & { readonly more: boolean }> {
    const { deliveries, dispatch, clock, startDue } = this.deps;
    // Before the search, so that a receiver added to the backlog meanwhile stays in it.
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
