/**
 * Decides which callback is sent when. The state of the callback pool in memory is here and in the parts that only this class uses: which
 * receivers hold slots or are paused (`host-limits.ts`, `admission.ts`), what is claimed and waits for a slot (`send-queue.ts`), for which
 * receivers more is due (`backlog.ts`). Each method is an event; it returns what follows: deliveries to send, queue, give back or leave in
 * MongoDB. Nothing here waits, asks MongoDB or reads a clock, so that a test can play every order of events.
 *
 * One delivery: `found` chooses it and gives it a slot or room in the send queue; `settled` says whether it was claimed, and sends or
 * queues it, or takes the slot or room back; `answered` frees its slot, which a queued delivery takes; `recorded`, then `ended` or `stays`,
 * decide about the deliveries that follow it.
 */
import { limits } from '../../../config/limits.js';
import {
  type ClaimedDelivery,
  type DueDelivery,
  type Receiver,
  receiverKey,
} from '../../../shared/domain/callback/delivery.js';
import type { Busy } from '../../../shared/store/delivery.repository.js';
import { type Postponed, turnDueAt } from '../../../shared/store/delivery-turns.js';
import { Admission, type AdmissionParts, type AdmittedTo } from './admission.js';
import type { Backlog } from './backlog.js';
import type { Slot, SlotUse } from './host-limits.js';
import { type Follower, takeTurns } from './turns.js';

export interface DispatchParts extends AdmissionParts {
  readonly backlog: Backlog;
}

/** The current time, by the gateway's clock and by the process's own monotonic clock. */
export interface DispatchTime {
  readonly now: Date;
  readonly steadyMs: number;
}

/** The receiver is sent nothing before `until`. */
export interface Pause {
  readonly receiver: Receiver;
  readonly until: Date;
}

/** A delivery to claim, and what it holds meanwhile. */
export interface Chosen {
  readonly delivery: DueDelivery;
  readonly to: AdmittedTo;
  /** Id of a chosen delivery of the same payment that must end before this one. */
  readonly after?: string;
}

/** Which of the found deliveries are claimed. The others stay in MongoDB. */
export interface Choice {
  readonly chosen: readonly Chosen[];
  /** Deliveries that wait for a chosen one and have no room in the send queue. */
  readonly later: readonly Postponed[];
  /** Receivers whose due deliveries are moved to the end of the pause. */
  readonly paused: readonly Pause[];
}

/** A claimed delivery to send now, with its slot. */
export interface Send {
  readonly claimed: ClaimedDelivery;
  readonly slot: Slot;
}

/** Claimed deliveries that are given back to MongoDB unsent. */
export interface GiveBack {
  readonly deliveries: readonly ClaimedDelivery[];
  /** Set for a paused receiver: these and all its due deliveries are moved to the end of the pause. */
  readonly pause?: Pause;
}

/** What follows from an event. */
export interface Steps {
  readonly send: Send[];
  /** Deliveries that are queued now: a later event sends them or gives them back. */
  readonly queue: ClaimedDelivery[];
  readonly giveBack: GiveBack[];
}

export interface SettledSteps extends Steps {
  readonly freed: readonly Receiver[];
}

/** A search for deliveries of these receivers only, at most `limit`. */
export interface BacklogSearch {
  readonly receivers: readonly Receiver[];
  readonly limit: number;
}

const noSteps = (): Steps => ({ send: [], queue: [], giveBack: [] });

export class Dispatch {
  readonly #admission: Admission;
  #isClosed = false;

  constructor(private readonly parts: DispatchParts) {
    this.#admission = new Admission(parts);
  }

  /** True after `close`: nothing begins any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get hasQueued(): boolean {
    return !this.parts.queue.isEmpty;
  }

  /** Handles due deliveries. Those for which there is room are chosen, in order; receivers of the others are added to the backlog. */
  found(due: readonly DueDelivery[], now: Date): Choice {
    const chosen = new Map<string, Chosen>();
    const paused = new Map<string, Pause>();
    const later: Postponed[] = [];
    if (this.#isClosed) return { chosen: [], later, paused: [] };

    const choose = (delivery: DueDelivery) => {
      const { _id, host, clientId } = delivery;
      const admitted = this.#admission.admit(delivery, now);
      if (admitted.kind === 'admitted') chosen.set(_id, { delivery, to: admitted.to });
      else if (admitted.kind === 'full') this.parts.backlog.add(delivery);
      else paused.set(receiverKey(delivery), { receiver: { host, clientId }, until: admitted.until });
    };
    // A follower waits in the send queue until the delivery before it is recorded as ended. If that delivery stays due, the follower does
    // too, and both are found again.
    const follow = ({ delivery, after }: Follower) => {
      if (!chosen.has(after._id)) return;
      if (!this.#admission.admitToQueue(delivery)) later.push({ seen: delivery, dueAt: turnDueAt(after, now) });
      else chosen.set(delivery._id, { delivery, to: 'queue', after: after._id });
    };

    const { first, followers } = takeTurns(due);
    for (const delivery of first) choose(delivery);
    for (const follower of followers) follow(follower);
    if (this.#admission.room <= 0) this.parts.backlog.processIsFull();
    return { chosen: [...chosen.values()], later, paused: [...paused.values()] };
  }

  /**
   * Handles the end of the claim. A chosen delivery that another process won, or whose turn it is not, holds nothing any more: there is
   * room for others of the receivers in `freed`.
   */
  settled(
    chosen: readonly Chosen[],
    claimed: readonly ClaimedDelivery[],
    { now, steadyMs }: DispatchTime,
  ): SettledSteps {
    const steps = { ...noSteps(), freed: [] as Receiver[] };
    const won = new Map(this.#isClosed ? [] : claimed.map((delivery) => [delivery._id, delivery]));
    // Slots may have become free during the claim, and the slots of deliveries that were not won are free now.
    const hosts = new Set<string>();
    for (const { delivery, to, after } of chosen) {
      const mine = won.get(delivery._id);
      hosts.add(delivery.host);
      if (!mine) {
        for (const host of this.#admission.cancel(delivery, to, now)) hosts.add(host);
        steps.freed.push(delivery);
      } else if (to !== 'queue') steps.send.push({ claimed: mine, slot: to });
      else {
        // If the delivery before it was not claimed too, another process has ended that one meanwhile: there is nothing to wait for.
        this.parts.queue.put(mine, steadyMs, after !== undefined && won.has(after) ? after : undefined);
        steps.queue.push(mine);
      }
    }
    if (this.#isClosed && claimed.length > 0) steps.giveBack.push({ deliveries: claimed });
    for (const host of hosts) this.#sendQueued(host, now, steps);
    return steps;
  }

  /** Handles the end of a try. Its answer is recorded next, unless it is `unused`. */
  answered({ slot }: Send, use: SlotUse, now: Date): Steps {
    const steps = noSteps();
    for (const host of this.#admission.giveBack(slot, use, now)) this.#sendQueued(host, now, steps);
    if (use !== 'unused') this.#admission.beginRecording();
    return steps;
  }

  /** Handles that an answer was recorded, or could not be. */
  recorded(): void {
    this.#admission.endRecording();
  }

  /**
   * Handles a delivery that is recorded as ended. `followed`: the next one of its payment is queued here, and sent when there is a slot.
   */
  ended({ _id, host }: DueDelivery, now: Date): Steps & { readonly followed: boolean } {
    const steps = noSteps();
    const followed = this.parts.queue.readyAfter(host, _id);
    if (followed) this.#sendQueued(host, now, steps);
    return { ...steps, followed };
  }

  /** Handles a delivery that stays due: returns the deliveries queued behind it, which are given back until it is due again. */
  stays({ _id, host }: DueDelivery): ClaimedDelivery[] {
    const followers: ClaimedDelivery[] = [];
    const next = (before: string) => this.parts.queue.takeFollower(host, before);
    for (let follower = next(_id); follower; follower = next(follower._id)) followers.push(follower);
    return followers;
  }

  /** Takes out what has been queued since `sinceMs` or longer and found no slot: other processes may have a slot. */
  overdue(sinceMs: number): GiveBack[] {
    const { hostLimits, queue } = this.parts;
    const receivers = queue.queuedSince(sinceMs);
    for (const receiver of receivers) hostLimits.notQuick(receiver);
    return this.#takeOut(receivers);
  }

  /** Ends the dispatch: nothing begins any more, and queued deliveries are given back. Those in flight are still answered. */
  close(): GiveBack[] {
    this.#isClosed = true;
    return this.#takeOut(this.parts.queue.receivers());
  }

  /** Begins a full search: it finds out what is due. */
  beginFullSearch(): void {
    this.parts.backlog.clear();
  }

  /** Returns the size of the next page of a full search and what it leaves out for lack of room; `undefined`: the process has no room. */
  fullSearchPage(now: Date): { readonly limit: number; readonly busy: Required<Busy> } | undefined {
    const limit = Math.min(this.#admission.room, limits.sweepPageMax);
    if (limit <= 0) return undefined;
    const busy = this.#admission.busy(now);
    this.parts.backlog.addLeftOut(busy, this.parts.hostLimits.receiversInFlight());
    return { limit, busy };
  }

  /** Notes that a full search ended before its last page. */
  cutFullSearch(): void {
    this.parts.backlog.processIsFull();
  }

  /** Whether a slot that this receiver gave back calls for a full search. */
  mayMiss(receiver: Receiver): boolean {
    return this.parts.backlog.mayMiss(receiver);
  }

  /** Whether room in the process calls for a full search. */
  get processWasFull(): boolean {
    return this.parts.backlog.processWasFull;
  }

  /** Returns the receivers of the backlog for which there is room now, the one with the oldest search first. */
  backlogSearch(now: Date): BacklogSearch | undefined {
    const receivers: Receiver[] = [];
    const roomOf = new Map<string, number>();
    for (const receiver of this.parts.backlog.receivers()) {
      if (receivers.length >= limits.callbackSearchReceiversMax) break;
      const { clientId } = receiver;
      const room = this.#admission.roomFor(receiver, now);
      const roomOfClient = this.#admission.roomForClient(clientId);
      if (room <= 0 || roomOfClient <= 0) continue;
      receivers.push(receiver);
      roomOf.set(clientId, Math.min((roomOf.get(clientId) ?? 0) + room, roomOfClient));
    }
    const inAll = [...roomOf.values()].reduce((total, room) => total + room, 0);
    const limit = Math.min(inAll, this.#admission.room, limits.sweepPageMax);
    return limit > 0 ? { receivers, limit } : undefined;
  }

  /** Begins a search for these receivers: it finds what is due for them. */
  searching(receivers: readonly Receiver[]): void {
    for (const receiver of receivers) this.parts.backlog.remove(receiver);
  }

  /** Notes that a search reached its limit: more may be due for these receivers. */
  moreDue(receivers: readonly Receiver[]): void {
    for (const receiver of receivers) this.parts.backlog.add(receiver);
  }

  /** Sends what is queued for a host as far as slots are free there. What is queued for a paused receiver is given back. */
  #sendQueued(host: string, now: Date, steps: Steps): void {
    const paused: Pause[] = [];
    this.parts.queue.takeReady(host, (claimed) => {
      const taken = this.#admission.takeSlot(claimed, now);
      if (taken.kind === 'paused') paused.push({ receiver: claimed, until: taken.until });
      if (taken.kind !== 'slot') return false;
      steps.send.push({ claimed, slot: taken.slot });
      return true;
    });
    for (const pause of paused) steps.giveBack.push({ deliveries: this.parts.queue.takeAllOf(pause.receiver), pause });
  }

  #takeOut(receivers: readonly Receiver[]): GiveBack[] {
    const taken = receivers.map((receiver) => ({ deliveries: this.parts.queue.takeAllOf(receiver) }));
    return taken.filter(({ deliveries }) => deliveries.length > 0);
  }
}
