/**
 * Sends what was claimed. A slot at a host is free at the answer, not when that is recorded, and what was claimed ahead takes it in
 * the same turn.
 */
import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, DueDelivery, Receiver } from '../../shared/domain/callback/delivery.js';
import type { RecordedTry } from '../../shared/store/delivery-records.js';
import { turnDueAt } from '../../shared/store/delivery-turns.js';
import type { ClaimedAhead } from './claimed-ahead.js';
import { type DelivererDeps, recordTry, type SentTry, sendCallback } from './deliver-callback.handler.js';
import type { HostGate, Ticket } from './host-gate.js';
import type { Slot, Slots } from './slots.js';
import { UnderWay } from './under-way.js';

export interface SendersDeps extends DelivererDeps {
  readonly gate: HostGate;
  readonly ahead: ClaimedAhead;
  readonly slots: Slots;
  /** A slot of this receiver is free, and what was claimed ahead has taken what it could. */
  freed(receiver: Receiver): void;
  /** An answer is recorded: there may be room in the process. */
  recorded(): void;
  /** A delivery is over and recorded; `next` may follow it now. */
  ended(next: DueDelivery | undefined): Promise<void>;
}

export class Senders {
  readonly #underWay = new UnderWay();
  #aheadTimer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: SendersDeps) {}

  /** Deliveries under way. */
  get size(): number {
    return this.#underWay.size;
  }

  /** Sends it: now, or when a slot is free and the delivery `after` has ended. */
  start(claimed: ClaimedDelivery, slot: Slot, after?: string): void {
    if (slot !== 'ahead') {
      this.#underWay.add(claimed._id, this.#run(claimed, slot));
      return;
    }
    this.deps.ahead.put(claimed, performance.now(), after);
    this.#underWay.addWaiting(claimed._id);
    this.#watchAhead();
  }

  /** Starts what was claimed ahead for a host, as far as it has slots now. */
  startAhead(host: string): void {
    const closed: { receiver: Receiver; until: Date }[] = [];
    this.deps.ahead.takeAt(host, (claimed) => {
      const entered = this.deps.slots.leaveQueueFor(claimed);
      if (entered.kind === 'closed') closed.push({ receiver: claimed, until: entered.until });
      if (entered.kind !== 'slot') return false;
      void this.#run(claimed, entered.slot).finally(() => this.#underWay.end(claimed._id));
      return true;
    });
    for (const { receiver, until } of closed) void this.#giveBack(receiver, until);
  }

  /** Settles when this delivery is no longer under way. */
  async finished(id: string): Promise<void> {
    await this.#underWay.of(id);
  }

  /** Settles when all are over that are under way now. */
  all(): Promise<unknown> {
    return this.#underWay.all();
  }

  /** Gives back what waits for a slot. */
  async close(): Promise<void> {
    await Promise.all(this.deps.ahead.receivers().map((receiver) => this.#giveBack(receiver)));
    clearTimeout(this.#aheadTimer);
  }

  async #run(claimed: ClaimedDelivery, ticket: Ticket): Promise<void> {
    const sent = await this.#send(claimed, ticket);
    if (sent) await this.#record(sent);
  }

  /** Sends; the slot is free afterwards, and taken by what waits for it. */
  async #send(claimed: ClaimedDelivery, ticket: Ticket): Promise<SentTry | undefined> {
    let sent: SentTry | undefined;
    try {
      sent = await sendCallback(claimed, this.deps);
    } catch (error) {
      this.#logUnrecorded(claimed, error);
    }
    for (const host of this.deps.slots.leave(ticket, sent?.visit ?? 'unused')) this.startAhead(host);
    this.deps.freed(claimed);
    return sent;
  }

  async #record(sent: SentTry): Promise<void> {
    const { claimed } = sent;
    let recorded: RecordedTry | undefined;
    try {
      recorded = await this.deps.slots.whileRecording(() => recordTry(sent, this.deps));
    } catch (error) {
      this.#logUnrecorded(claimed, error);
    }
    this.deps.recorded();
    try {
      if (recorded && recorded.state !== 'waiting') await this.deps.ended(await this.#next(claimed));
      else await this.#leaveFollower(claimed, recorded?.dueAt);
    } catch (error) {
      this.deps.log.warn('delivery.follow-up-failed', { deliveryId: claimed._id, error });
    }
  }

  #logUnrecorded({ _id: deliveryId, host }: ClaimedDelivery, error: unknown): void {
    this.deps.log.error('delivery.record-failed', { deliveryId, host, error });
  }

  /** The delivery of the payment whose turn it is now, where it is not here already: then it is started. */
  async #next({ _id, host, paymentId }: ClaimedDelivery): Promise<DueDelivery | undefined> {
    const { ahead, deliveries, clock } = this.deps;
    if (!ahead.follow(host, _id)) return deliveries.wakeNext(paymentId, clock.now());
    this.startAhead(host);
    return undefined;
  }

  /** What waits here for a delivery that did not end is given back, until that is due again. */
  async #leaveFollower({ _id, host }: ClaimedDelivery, dueAt: Date | undefined): Promise<void> {
    const { ahead, deliveries, slots, clock } = this.deps;
    const follower = ahead.takeFollower(host, _id);
    if (!follower) return;
    slots.leaveQueue();
    const now = clock.now();
    await deliveries
      .release([{ claimed: follower, dueAt: turnDueAt({ dueAt: dueAt ?? now }, now) }])
      .finally(() => this.#underWay.end(follower._id));
    await this.#leaveFollower(follower, dueAt);
  }

  /** Gives back what was claimed ahead for a receiver; it is due again at once, or `until` then. */
  async #giveBack(receiver: Receiver, until?: Date): Promise<void> {
    const { ahead, deliveries, slots, log } = this.deps;
    const waiting = ahead.takeOf(receiver);
    for (const _ of waiting) slots.leaveQueue();
    try {
      await deliveries.release(waiting.map((claimed) => ({ claimed })));
      if (until) await deliveries.postponeReceiver(receiver, until);
    } catch (error) {
      // Their leases run out.
      log.warn('delivery.follow-up-failed', { host: receiver.host, error });
    }
    for (const { _id } of waiting) this.#underWay.end(_id);
  }

  /** What finds no slot soon is left to processes that have one: the leases end, and others of the pool have room. */
  #watchAhead(): void {
    const { ahead, gate } = this.deps;
    this.#aheadTimer ??= setTimeout(() => {
      this.#aheadTimer = undefined;
      for (const receiver of ahead.waitingSince(performance.now() - limits.callbackAheadMs)) {
        gate.stalled(receiver);
        void this.#giveBack(receiver);
      }
      if (!ahead.isEmpty) this.#watchAhead();
    }, limits.callbackAheadMs);
  }
}
