/**
 * Carries out the decisions of `dispatch.ts` about claimed deliveries: sends them, records the answers, gives deliveries back. A slot is
 * free at the answer, not when the answer is recorded, and a queued delivery takes it in the same turn.
 */
import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, DueDelivery, Receiver } from '../../shared/domain/callback/delivery.js';
import type { RecordedTry } from '../../shared/store/delivery-records.js';
import { turnDueAt } from '../../shared/store/delivery-turns.js';
import type { Dispatch, GiveBack, Send, Steps } from './dispatch/dispatch.js';
import { recordTry, type SentTry, sendDelivery, type TryDeps } from './try-delivery.js';

/**
 * The deliveries that this process has claimed and not finished (queued, in flight or being recorded), so that callers can wait for them.
 */
class Unfinished {
  readonly #all = new Map<ClaimedDelivery, { readonly ended: Promise<void>; end(): void }>();
  /** The same delivery may be claimed again before the follow-up of its last try has settled. */
  readonly #newest = new Map<string, ClaimedDelivery>();

  begin(claimed: ClaimedDelivery): void {
    if (this.#all.has(claimed)) return;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#all.set(claimed, { ended, end });
    this.#newest.set(claimed._id, claimed);
  }

  /** Marks a delivery as finished: it was tried or given back. */
  end(claimed: ClaimedDelivery): void {
    this.#all.get(claimed)?.end();
    this.#all.delete(claimed);
    if (this.#newest.get(claimed._id) === claimed) this.#newest.delete(claimed._id);
  }

  /** Settles when this delivery is finished; `undefined`: it is not claimed here. */
  of(id: string): Promise<void> | undefined {
    const claimed = this.#newest.get(id);
    return claimed && this.#all.get(claimed)?.ended;
  }

  /** Settles when all deliveries that are unfinished now are finished. */
  all(): Promise<unknown> {
    return Promise.all([...this.#all.values()].map(({ ended }) => ended));
  }

  get size(): number {
    return this.#all.size;
  }
}

export interface DeliverySenderDeps extends TryDeps {
  readonly dispatch: Dispatch;
  /** Called when a slot of this receiver is free and queued deliveries have taken what they could. */
  slotFreed(receiver: Receiver): void;
  /** Called when an answer is recorded: the process may have room. */
  recorded(): void;
  /** Called when a delivery has ended and is recorded; now it is the turn of `next`. */
  ended(next: DueDelivery | undefined): Promise<void>;
}

export class DeliverySender {
  readonly #unfinished = new Unfinished();
  #queueTimer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: DeliverySenderDeps) {}

  /** Number of deliveries that are claimed and not finished. */
  get unfinished(): number {
    return this.#unfinished.size;
  }

  /** Sends, queues and gives back. Settles when all deliveries to give back are given back. */
  async carryOut({ send, queue, giveBack }: Steps): Promise<void> {
    for (const claimed of queue) this.#unfinished.begin(claimed);
    for (const one of send) {
      this.#unfinished.begin(one.claimed);
      void this.#try(one).finally(() => this.#unfinished.end(one.claimed));
    }
    this.#watchQueue();
    await Promise.all(giveBack.map((one) => this.#giveBack(one)));
  }

  /** Settles when this process has finished the delivery. */
  async finished(id: string): Promise<void> {
    await this.#unfinished.of(id);
  }

  /** Settles when all deliveries that are claimed now are finished. */
  allFinished(): Promise<unknown> {
    return this.#unfinished.all();
  }

  /** Stops sending from the queue; queued deliveries are given back. */
  async close(): Promise<void> {
    clearTimeout(this.#queueTimer);
    await Promise.all(this.deps.dispatch.close().map((one) => this.#giveBack(one)));
  }

  async #try(send: Send): Promise<void> {
    const sent = await this.#sendOnce(send);
    if (sent) await this.#record(sent);
  }

  /** Sends once. Then the slot is free, and a queued delivery takes it. */
  async #sendOnce(send: Send): Promise<SentTry | undefined> {
    const { dispatch, clock } = this.deps;
    let sent: SentTry | undefined;
    try {
      sent = await sendDelivery(send.claimed, this.deps);
    } catch (error) {
      this.#logUnrecorded(send.claimed, error);
    }
    void this.carryOut(dispatch.answered(send, sent?.use ?? 'unused', clock.now()));
    this.deps.slotFreed(send.claimed);
    return sent;
  }

  async #record(sent: SentTry): Promise<void> {
    const { claimed } = sent;
    let recorded: RecordedTry | undefined;
    try {
      recorded = await recordTry(sent, this.deps);
    } catch (error) {
      this.#logUnrecorded(claimed, error);
    }
    this.deps.dispatch.recorded();
    this.deps.recorded();
    try {
      if (recorded && recorded.state !== 'waiting') await this.deps.ended(await this.#next(claimed));
      else await this.#giveBackFollowers(claimed, recorded?.dueAt);
    } catch (error) {
      this.deps.log.warn('delivery.follow-up-failed', { deliveryId: claimed._id, error });
    }
  }

  #logUnrecorded({ _id: deliveryId, host }: ClaimedDelivery, error: unknown): void {
    this.deps.log.error('delivery.record-failed', { deliveryId, host, error });
  }

  /** Returns the next delivery of the payment. `undefined`: there is none, or it is queued here and is sent from the queue. */
  async #next(claimed: ClaimedDelivery): Promise<DueDelivery | undefined> {
    const { dispatch, deliveries, clock } = this.deps;
    const { followed, ...steps } = dispatch.ended(claimed, clock.now());
    void this.carryOut(steps);
    return followed ? undefined : deliveries.wakeNext(claimed.paymentId, clock.now());
  }

  /** Gives back the deliveries queued behind one that did not end, until that delivery is due again. */
  async #giveBackFollowers(claimed: ClaimedDelivery, dueAt: Date | undefined): Promise<void> {
    const { dispatch, deliveries, clock } = this.deps;
    const followers = dispatch.stays(claimed);
    if (followers.length === 0) return;
    const now = clock.now();
    const nextDueAt = turnDueAt({ dueAt: dueAt ?? now }, now);
    await deliveries
      .release(followers.map((follower) => ({ claimed: follower, dueAt: nextDueAt })))
      .finally(() => this.#endAll(followers));
  }

  async #giveBack({ deliveries: givenBack, pause }: GiveBack): Promise<void> {
    const { deliveries, log } = this.deps;
    const [first] = givenBack;
    if (!first) return;
    try {
      await deliveries.release(givenBack.map((claimed) => ({ claimed })));
      if (pause) await deliveries.postponeReceiver(pause.receiver, pause.until);
    } catch (error) {
      // Their leases run out.
      log.warn('delivery.follow-up-failed', { host: first.host, error });
    }
    this.#endAll(givenBack);
  }

  #endAll(deliveries: readonly ClaimedDelivery[]): void {
    for (const claimed of deliveries) this.#unfinished.end(claimed);
  }

  /** Gives back deliveries that find no slot soon: the leases end, and other processes of the pool have room. */
  #watchQueue(): void {
    const { dispatch } = this.deps;
    if (!dispatch.hasQueued) return;
    this.#queueTimer ??= setTimeout(() => {
      this.#queueTimer = undefined;
      for (const one of dispatch.overdue(performance.now() - limits.callbackSendQueueMs)) void this.#giveBack(one);
      this.#watchQueue();
    }, limits.callbackSendQueueMs);
  }
}
