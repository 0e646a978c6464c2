/**
 * Claims what is due and has it sent. `dispatch.ts` chooses from what was found; what is chosen is claimed in one statement; the rest
 * waits in MongoDB, and is searched for as slots become free, so that the rate does not depend on the timer of the sweep.
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

  /** Starts what is due and has room; returns how many. Calls while one is running join it. */
  startAllDue(): Promise<number> {
    return this.#search.searchAll();
  }

  /** Starts those of `ids` that are due, whose turn it is and that have room. */
  async start(ids: readonly string[]): Promise<void> {
    if (!this.deps.dispatch.isClosed) await Promise.all(ids.map(this.#startOne));
  }

  /** The same of some that need not be read. */
  async startStored(due: readonly DueDelivery[]): Promise<void> {
    if (!this.deps.dispatch.isClosed) await this.#startDue(due);
  }

  /** Settles when this delivery is finished here. */
  finished(id: string): Promise<void> {
    return this.#sender.finished(id);
  }

  /** Settles when nothing is claimed or searched for. */
  async idle(): Promise<void> {
    for (let search = this.#search.ending(); this.#sender.unfinished > 0 || search; search = this.#search.ending()) {
      await Promise.all([this.#sender.allFinished(), search]);
    }
  }

  /** Starts nothing any more and waits for what is claimed; what is queued is given back. */
  async close(): Promise<void> {
    this.#search.close();
    await this.#sender.close();
    await this.idle();
  }

  /** Nudges that come in the same turn are one search and one claim. */
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

  /** The path of all that is due, however it was found: choose, claim, send or queue. */
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
      // What had no room waits for the next slot or sweep: another claim at once may fail as well.
      await settle([]);
      throw error;
    }
    for (const receiver of await settle(claimed)) this.#search.slotFreed(receiver);
    return { admitted: chosen.length, claimed: claimed.length };
  }

  /**
   * What is not claimed waits in MongoDB: later ones of a payment for their turn, those of a paused receiver for the end of that. Where
   * these are very many, those of others do not wait until all are moved: no search finds them meanwhile.
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
