/**
 * Claims due deliveries and has them sent. `dispatch.ts` chooses among the deliveries that were found; the chosen ones are claimed in one
 * statement. The rest waits in MongoDB and is searched for as slots become free, so that the rate does not depend on the timer of the
 * sweep.
 */
import { limits } from '../../config/limits.js';
import { within } from '../../shared/clock.js';
import type { ClaimedDelivery, DueDelivery } from '../../shared/domain/callback/delivery.js';
import { coalesce } from '../../shared/store/coalesce.js';
import { DeliverySender } from './delivery-sender.js';
import type { Choice, Dispatch } from './dispatch/dispatch.js';
import { DueSearch, type Started } from './due-search.js';
import type { TryDeps } from './try-delivery.js';

export interface SchedulerDeps extends TryDeps {
  readonly dispatch: Dispatch;
}

const bounds = { itemsMax: limits.batchItemsMax, inFlightMax: limits.batchesInFlightMax };

export class DeliveryScheduler {
  readonly #sender: DeliverySender;
  readonly #search: DueSearch;

  constructor(private readonly deps: SchedulerDeps) {
    const { dispatch } = deps;
    this.#search = new DueSearch({ ...deps, startDue: (due) => this.#startDue(due) });
    this.#sender = new DeliverySender({
      ...deps,
      slotFreed: (receiver) => this.#search.slotFreed(receiver),
      recorded: () => {
        if (dispatch.processWasFull) this.#search.searchAllSoon();
      },
      ended: async (next) => {
        if (next && !dispatch.isClosed) await this.#startNext(next);
      },
    });
  }

  /** Starts the due deliveries for which there is room; returns how many. A call during a search joins it. */
  startAllDue(): Promise<number> {
    return this.#search.searchAll();
  }

  /** Starts those of `ids` that are due, whose turn it is, and for which there is room. */
  async start(ids: readonly string[]): Promise<void> {
    if (!this.deps.dispatch.isClosed) await Promise.all(ids.map(this.#startOne));
  }

  /** Starts deliveries that were just stored, so that they need not be read, as far as it is their turn and there is room. */
  async startStored(due: readonly DueDelivery[]): Promise<void> {
    if (!this.deps.dispatch.isClosed) await this.#startDue(due);
  }

  /** Settles when this process has finished the delivery. */
  finished(id: string): Promise<void> {
    return this.#sender.finished(id);
  }

  /** Settles when no delivery is claimed and no search runs. */
  async idle(): Promise<void> {
    for (let search = this.#search.ending(); this.#sender.unfinished > 0 || search; search = this.#search.ending()) {
      await Promise.all([this.#sender.allFinished(), search]);
    }
  }

  /** Starts nothing more and waits for claimed deliveries; queued ones are given back. */
  async close(): Promise<void> {
    this.#search.close();
    await this.#sender.close();
    await this.idle();
  }

  /** Nudges of the same turn share one search and one claim. */
  readonly #startOne = coalesce<string, void>(async (ids) => {
    const { deliveries, clock } = this.deps;
    if (!this.deps.dispatch.isClosed)
      await this.#startDue(await deliveries.findDueAmong([...new Set(ids)], clock.now()));
    return ids.map(() => ({ ok: undefined }));
  }, bounds);

  readonly #startNext = coalesce<DueDelivery, void>(async (next) => {
    if (!this.deps.dispatch.isClosed) await this.#startDue(next);
    return next.map(() => ({ ok: undefined }));
  }, bounds);

  /** The path of all due deliveries, however they were found: choose, claim, send or queue. */
  async #startDue(due: readonly DueDelivery[]): Promise<Started> {
    if (due.length === 0) return { admitted: 0, claimed: 0 };
    const { dispatch, deliveries, clock } = this.deps;
    const now = clock.now();
    const choice = dispatch.found(due, now);
    const chosen = choice.chosen.map(({ delivery }) => delivery);
    const settle = async (won: readonly ClaimedDelivery[]) => {
      const moment = { now: clock.now(), steadyMs: performance.now() };
      const { freed, ...steps } = dispatch.settled(choice.chosen, won, moment);
      const carriedOut = this.#sender.carryOut(steps);
      if (dispatch.isClosed) await carriedOut;
      return freed;
    };
    let claimed: readonly ClaimedDelivery[];
    try {
      [claimed] = await Promise.all([deliveries.claim(chosen, now), this.#postpone(choice)]);
    } catch (error) {
      // Deliveries that had no room wait for the next slot or sweep: another claim right now may fail as well.
      await settle([]);
      throw error;
    }
    for (const receiver of await settle(claimed)) this.#search.slotFreed(receiver);
    return { admitted: chosen.length, claimed: claimed.length };
  }

  /**
   * Postpones deliveries that are not claimed: later ones of a payment until their turn, those of a paused receiver until the end of its
   * pause. Does not wait until a very large number is moved, because no search runs meanwhile for other receivers.
   */
  async #postpone({ later, paused }: Choice): Promise<void> {
    const { deliveries, log } = this.deps;
    const work = [
      deliveries.postpone(later),
      ...paused.map(({ receiver, until }) => deliveries.postponeReceiver(receiver, until)),
    ];
    // They stay due, and are found again.
    const postponed = Promise.all(work).catch((error) => void log.warn('delivery.follow-up-failed', { error }));
    await within(limits.callbackMoveWaitMs, postponed, () => undefined);
  }
}
