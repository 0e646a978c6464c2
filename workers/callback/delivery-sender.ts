/**
 * Sends what is claimed: at once with a slot, or from the send queue when there is one. A slot is free at the answer, not when that
 * is recorded, and what is queued takes it in the same turn.
 */
import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, DueDelivery, Receiver } from '../../shared/domain/callback/delivery.js';
import type { RecordedTry } from '../../shared/store/delivery-records.js';
import { turnDueAt } from '../../shared/store/delivery-turns.js';
import type { Admission, AdmittedTo } from './admission.js';
import type { HostLimits, Slot } from './host-limits.js';
import type { SendQueue } from './send-queue.js';
import { recordTry, type SentTry, sendDelivery, type TryDeps } from './try-delivery.js';

/** What a process has claimed and not finished (queued, in flight or being recorded), so that others can wait for it. */
class Unfinished {
  readonly #works = new Map<string, Promise<void>>();
  readonly #ends = new Map<string, () => void>();

  /** Counts a delivery until `work` settles, which never rejects. */
  add(id: string, work: Promise<void>): void {
    // The same delivery may be claimed again before the follow-up of its last try has settled.
    const settled = work.finally(() => this.#works.get(id) === settled && this.#works.delete(id));
    this.#works.set(id, settled);
  }

  /** Counts one that is queued, until {@link Unfinished.end}. */
  addQueued(id: string): void {
    this.add(id, new Promise((resolve) => void this.#ends.set(id, resolve)));
  }

  /** It was tried or given back. */
  end(id: string): void {
    const end = this.#ends.get(id);
    this.#ends.delete(id);
    end?.();
  }

  /** Settles when this one is finished; `undefined`: there is no such one. */
  of(id: string): Promise<void> | undefined {
    return this.#works.get(id);
  }

  /** Settles when all are finished that are unfinished now. */
  all(): Promise<unknown> {
    return Promise.all(this.#works.values());
  }

  get size(): number {
    return this.#works.size;
  }
}

export interface DeliverySenderDeps extends TryDeps {
  readonly hostLimits: HostLimits;
  readonly queue: SendQueue;
  readonly admission: Admission;
  /** A slot of this receiver is free, and what is queued has taken what it could. */
  slotFreed(receiver: Receiver): void;
  /** An answer is recorded: there may be room in the process. */
  recorded(): void;
  /** A delivery has ended and is recorded; it is the turn of `next` now. */
  ended(next: DueDelivery | undefined): Promise<void>;
}

export class DeliverySender {
  readonly #unfinished = new Unfinished();
  #queueTimer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: DeliverySenderDeps) {}

  /** Deliveries that are claimed and not finished. */
  get unfinished(): number {
    return this.#unfinished.size;
  }

  /** Sends it: now, or when there is a slot and the delivery `after` has ended. */
  send(claimed: ClaimedDelivery, to: AdmittedTo, after?: string): void {
    if (to !== 'queue') {
      this.#unfinished.add(claimed._id, this.#try(claimed, to));
      return;
    }
    this.deps.queue.put(claimed, performance.now(), after);
    this.#unfinished.addQueued(claimed._id);
    this.#watchQueue();
  }

  /** Sends what is queued for a host, as far as it has slots now. */
  sendQueued(host: string): void {
    const paused: { receiver: Receiver; until: Date }[] = [];
    this.deps.queue.takeReady(host, (claimed) => {
      const taken = this.deps.admission.takeSlot(claimed);
      if (taken.kind === 'paused') paused.push({ receiver: claimed, until: taken.until });
      if (taken.kind !== 'slot') return false;
      void this.#try(claimed, taken.slot).finally(() => this.#unfinished.end(claimed._id));
      return true;
    });
    for (const { receiver, until } of paused) void this.#giveBackQueued(receiver, until);
  }

  /** Settles when this delivery is finished here. */
  async finished(id: string): Promise<void> {
    await this.#unfinished.of(id);
  }

  /** Settles when all are finished that are claimed now. */
  allFinished(): Promise<unknown> {
    return this.#unfinished.all();
  }

  /** Gives back what is queued. */
  async close(): Promise<void> {
    await Promise.all(this.deps.queue.receivers().map((receiver) => this.#giveBackQueued(receiver)));
    clearTimeout(this.#queueTimer);
  }

  async #try(claimed: ClaimedDelivery, slot: Slot): Promise<void> {
    const sent = await this.#sendOnce(claimed, slot);
    if (sent) await this.#record(sent);
  }

  /** The slot is free afterwards, and taken by what is queued. */
  async #sendOnce(claimed: ClaimedDelivery, slot: Slot): Promise<SentTry | undefined> {
    let sent: SentTry | undefined;
    try {
      sent = await sendDelivery(claimed, this.deps);
    } catch (error) {
      this.#logUnrecorded(claimed, error);
    }
    for (const host of this.deps.admission.giveBack(slot, sent?.use ?? 'unused')) this.sendQueued(host);
    this.deps.slotFreed(claimed);
    return sent;
  }

  async #record(sent: SentTry): Promise<void> {
    const { claimed } = sent;
    let recorded: RecordedTry | undefined;
    try {
      recorded = await this.deps.admission.whileRecording(() => recordTry(sent, this.deps));
    } catch (error) {
      this.#logUnrecorded(claimed, error);
    }
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

  /** The delivery of the payment whose turn it is now. One that is queued here is sent instead. */
  async #next({ _id, host, paymentId }: ClaimedDelivery): Promise<DueDelivery | undefined> {
    const { queue, deliveries, clock } = this.deps;
    if (!queue.readyAfter(host, _id)) return deliveries.wakeNext(paymentId, clock.now());
    this.sendQueued(host);
    return undefined;
  }

  /** What is queued here behind a delivery that did not end is given back, until that is due again. */
  async #giveBackFollowers({ _id, host }: ClaimedDelivery, dueAt: Date | undefined): Promise<void> {
    const { queue, deliveries, admission, clock } = this.deps;
    const follower = queue.takeFollower(host, _id);
    if (!follower) return;
    admission.leftQueue();
    const now = clock.now();
    await deliveries
      .release([{ claimed: follower, dueAt: turnDueAt({ dueAt: dueAt ?? now }, now) }])
      .finally(() => this.#unfinished.end(follower._id));
    await this.#giveBackFollowers(follower, dueAt);
  }

  /** Gives back what is queued for a receiver; it is due again at once, or `until` then. */
  async #giveBackQueued(receiver: Receiver, until?: Date): Promise<void> {
    const { queue, deliveries, admission, log } = this.deps;
    const queued = queue.takeAllOf(receiver);
    for (const _ of queued) admission.leftQueue();
    try {
      await deliveries.release(queued.map((claimed) => ({ claimed })));
      if (until) await deliveries.postponeReceiver(receiver, until);
    } catch (error) {
      // Their leases run out.
      log.warn('delivery.follow-up-failed', { host: receiver.host, error });
    }
    for (const { _id } of queued) this.#unfinished.end(_id);
  }

  /** What finds no slot soon is left to processes that have one: the leases end, and others of the pool have room. */
  #watchQueue(): void {
    const { queue, hostLimits } = this.deps;
    this.#queueTimer ??= setTimeout(() => {
      this.#queueTimer = undefined;
      for (const receiver of queue.queuedSince(performance.now() - limits.callbackSendQueueMs)) {
        hostLimits.notQuick(receiver);
        void this.#giveBackQueued(receiver);
      }
      if (!queue.isEmpty) this.#watchQueue();
    }, limits.callbackSendQueueMs);
  }
}
