/**
 * Decides which callback is sent when. The state of the callback pool in memory is here and in the parts that only this class
 * touches: who holds slots and is paused (`host-limits.ts`, `admission.ts`), what is claimed and waits for a slot (`send-queue.ts`),
 * for whom more is due (`backlog.ts`). Each method is an event; it returns what follows from it: what is sent, queued, given back or
 * left in MongoDB. Nothing here waits, asks MongoDB or reads a clock, so that a test can play every order of events.
 *
 * One delivery: `found` chooses it, and it holds a slot or room in the send queue; `settled` says whether it was claimed, and sends
 * or queues it, or takes back what it held; `answered` frees its slot, which what is queued takes; `recorded`, then `ended` or `stays`
 * say what becomes of those that follow it.
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

/** Now, by the gateway's clock and by the process's own, which never jumps. */
export interface Moment {
  readonly now: Date;
  readonly steadyMs: number;
}

/** Nothing is sent to the receiver before `until`. */
export interface Pause {
  readonly receiver: Receiver;
  readonly until: Date;
}

/** A delivery that is to be claimed, and what it holds meanwhile. */
export interface Chosen {
  readonly delivery: DueDelivery;
  readonly to: AdmittedTo;
  /** The delivery of the same payment, chosen too, that must have ended before. */
  readonly after?: string;
}

/** Which of the due deliveries that were found are claimed. The others stay in MongoDB. */
export interface Choice {
  readonly chosen: readonly Chosen[];
  /** They wait for one that is chosen, and have no room in the send queue. */
  readonly later: readonly Postponed[];
  /** What is due for these is moved to the end of their pause. */
  readonly paused: readonly Pause[];
}

/** A claimed delivery that is sent now, with its slot. */
export interface Send {
  readonly claimed: ClaimedDelivery;
  readonly slot: Slot;
}

/** Claimed deliveries that are given back to MongoDB unsent. */
export interface GiveBack {
  readonly deliveries: readonly ClaimedDelivery[];
  /** They are those of a paused receiver: moved to the end of the pause with all that is due for it. */
  readonly pause?: Pause;
}

/** What follows from an event. */
export interface Steps {
  readonly send: Send[];
  /** Queued now: sent or given back by a later event. */
  readonly queue: ClaimedDelivery[];
  readonly giveBack: GiveBack[];
}

export interface Settled extends Steps {
  readonly freed: readonly Receiver[];
}

/** A search for what is due for these receivers alone, for so many. */
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

  /** Nothing begins any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get hasQueued(): boolean {
    return !this.parts.queue.isEmpty;
  }

  /** These are due. What there is room for is chosen, in order; receivers of the others are added to the backlog. */
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
    // One that follows waits in the send queue until the one before it is recorded as ended. If that one stays due, so does it, and
    // both are found again.
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
   * The claim of what was chosen has ended, and won these. What another process won, or whose turn it is not, holds nothing any more:
   * there is room for others of those `freed`.
   */
  settled(chosen: readonly Chosen[], claimed: readonly ClaimedDelivery[], { now, steadyMs }: Moment): Settled {
    const steps = { ...noSteps(), freed: [] as Receiver[] };
    const won = new Map(this.#isClosed ? [] : claimed.map((delivery) => [delivery._id, delivery]));
    // Slots may have become free while these were claimed, and those of the others are.
    const hosts = new Set<string>();
    for (const { delivery, to, after } of chosen) {
      const mine = won.get(delivery._id);
      hosts.add(delivery.host);
      if (!mine) {
        for (const host of this.#admission.cancel(delivery, to, now)) hosts.add(host);
        steps.freed.push(delivery);
      } else if (to !== 'queue') steps.send.push({ claimed: mine, slot: to });
      else {
        // Claimed without the one before it, it has no other to wait for: another process has ended that meanwhile.
        this.parts.queue.put(mine, steadyMs, after !== undefined && won.has(after) ? after : undefined);
        steps.queue.push(mine);
      }
    }
    if (this.#isClosed && claimed.length > 0) steps.giveBack.push({ deliveries: claimed });
    for (const host of hosts) this.#sendQueued(host, now, steps);
    return steps;
  }

  /** The try has ended. Its answer is recorded next, unless it is `unused`. */
  answered({ slot }: Send, use: SlotUse, now: Date): Steps {
    const steps = noSteps();
    for (const host of this.#admission.giveBack(slot, use, now)) this.#sendQueued(host, now, steps);
    if (use !== 'unused') this.#admission.beginRecording();
    return steps;
  }

  /** An answer was recorded, or could not be. */
  recorded(): void {
    this.#admission.endRecording();
  }

  /** A delivery is recorded as ended. `followed`: the next one of its payment is here, and sent when there is a slot. */
  ended({ _id, host }: DueDelivery, now: Date): Steps & { readonly followed: boolean } {
    const steps = noSteps();
    const followed = this.parts.queue.readyAfter(host, _id);
    if (followed) this.#sendQueued(host, now, steps);
    return { ...steps, followed };
  }

  /** A delivery stays due: returns those queued behind it, which are given back until that is due again. */
  stays({ _id, host }: DueDelivery): ClaimedDelivery[] {
    const followers: ClaimedDelivery[] = [];
    const next = (before: string) => this.parts.queue.takeFollower(host, before);
    for (let follower = next(_id); follower; follower = next(follower._id)) followers.push(follower);
    return followers;
  }

  /** What has been queued since `sinceMs` or longer found no slot soon: it is left to processes that have one. */
  overdue(sinceMs: number): GiveBack[] {
    const { hostLimits, queue } = this.parts;
    const receivers = queue.queuedSince(sinceMs);
    for (const receiver of receivers) hostLimits.notQuick(receiver);
    return this.#takeOut(receivers);
  }

  /** Nothing begins any more, and what is queued is given back. What is in flight is still answered. */
  close(): GiveBack[] {
    this.#isClosed = true;
    return this.#takeOut(this.parts.queue.receivers());
  }

  /** A full search begins: what it finds is the truth. */
  beginFullSearch(): void {
    this.parts.backlog.clear();
  }

  /** The next page of a full search brings so many, and leaves out who has no room; `undefined`: there is none in the process. */
  fullSearchPage(now: Date): { readonly limit: number; readonly busy: Required<Busy> } | undefined {
    const limit = Math.min(this.#admission.room, limits.sweepPageMax);
    if (limit <= 0) return undefined;
    const busy = this.#admission.busy(now);
    this.parts.backlog.addLeftOut(busy, this.parts.hostLimits.receiversInFlight());
    return { limit, busy };
  }

  /** A full search ended before its last page. */
  cutFullSearch(): void {
    this.parts.backlog.processIsFull();
  }

  /** Whether a slot that this receiver gave back asks for a full search. */
  mayMiss(receiver: Receiver): boolean {
    return this.parts.backlog.mayMiss(receiver);
  }

  /** Whether room in the process asks for a full search. */
  get processWasFull(): boolean {
    return this.parts.backlog.processWasFull;
  }

  /** The receivers of the backlog for which there is room now, those first that were searched for longest ago. */
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

  /** A search for these begins: what is due for them is found. */
  searching(receivers: readonly Receiver[]): void {
    for (const receiver of receivers) this.parts.backlog.remove(receiver);
  }

  /** A search was filled: more may be due for them. */
  moreDue(receivers: readonly Receiver[]): void {
    for (const receiver of receivers) this.parts.backlog.add(receiver);
  }

  /** What is queued for a host takes the slots that are free there. What is queued for a paused receiver is given back. */
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
