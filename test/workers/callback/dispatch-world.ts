/**
 * What is around a `Dispatch` in the callback pool, played without time and I/O: MongoDB with the deliveries that wait, claims, tries,
 * records and searches that are under way and end in any order, and another process that wins claims. It keeps books of its own about
 * who has what, and judges by them what the dispatch decides.
 */
import { limits } from '../../../config/limits.js';
import type { ClaimedDelivery, DueDelivery, Receiver } from '../../../shared/domain/callback/delivery.js';
import { receiverKey } from '../../../shared/domain/callback/delivery.js';
import type { Busy } from '../../../shared/store/delivery.repository.js';
import { turnDueAt } from '../../../shared/store/delivery-turns.js';
import { ClientLimits } from '../../../workers/callback/dispatch/admission.js';
import { Backlog } from '../../../workers/callback/dispatch/backlog.js';
import {
  type Choice,
  Dispatch,
  type GiveBack,
  type Send,
  type Steps,
} from '../../../workers/callback/dispatch/dispatch.js';
import { HostLimits, type SlotUse } from '../../../workers/callback/dispatch/host-limits.js';
import { SendQueue } from '../../../workers/callback/dispatch/send-queue.js';
import { Books, bounds } from './dispatch-books.js';

/** A delivery in MongoDB. */
interface Stored {
  delivery: DueDelivery;
  isHeld: boolean;
  hasEnded: boolean;
}

/** A statement or a request that is under way. */
type Work =
  | { readonly kind: 'claim'; readonly choice: Choice; readonly goOn: (admitted: number) => void }
  | { readonly kind: 'try'; readonly send: Send }
  | { readonly kind: 'record'; readonly claimed: ClaimedDelivery; readonly use: SlotUse }
  | { readonly kind: 'release'; readonly givenBack: GiveBack; readonly dueAt?: Date }
  | { readonly kind: 'found'; readonly due: readonly DueDelivery[]; readonly goOn: (admitted: number) => void };

/** How receivers answer. */
export type Mood = Exclude<SlotUse, 'unused'>;

/** How something that is under way ends. */
export interface Ending {
  /** The database or the sender fails. */
  readonly fails: boolean;
  /** Another process wins the first of what is claimed, and ends it. */
  readonly loses: boolean;
}

const RETRY_MS = 5_000;
const ignore = () => undefined;
const byDate = (one: Stored, other: Stored) => one.delivery.dueAt.getTime() - other.delivery.dueAt.getTime();

export class DispatchWorld {
  readonly hostLimits = new HostLimits(bounds.hosts);
  readonly clientLimits = new ClientLimits(bounds.perClientMax);
  readonly queue = new SendQueue(bounds.queue);
  readonly dispatch = new Dispatch({ ...this, backlog: new Backlog(), concurrency: bounds.concurrency });
  readonly books = new Books();
  /** What was found, and had no room. */
  readonly owed = new Set<string>();
  /** Of the receivers that do not answer well. */
  readonly #moods = new Map<string, Mood>();
  #nowMs = 1_000_000;
  #payments = 0;
  readonly #stored = new Map<string, Stored>();
  readonly #works: Work[] = [];
  readonly #wanted = { all: false, backlog: false };
  #isSearching = false;

  get #now(): Date {
    return new Date(this.#nowMs);
  }

  get isBusy(): boolean {
    return this.#works.length > 0;
  }

  /** Deliveries that wait in MongoDB, due or not. */
  waiting(): string[] {
    return [...this.#stored].filter(([, { hasEnded }]) => !hasEnded).map(([id]) => id);
  }

  /** What had no room when it was found, and could be sent now: it is due, not held, and the first of its payment. */
  neglected(): string[] {
    return [...this.owed].filter((id) => {
      const stored = this.#at(id);
      return this.#isDue(stored) && this.#before(stored.delivery, []) === undefined;
    });
  }

  /** A payment is announced: its deliveries are stored, and found at once. */
  announce(receiver: Receiver, count: number): void {
    this.#payments += 1;
    const paymentId = `pay_${this.#payments}`;
    const due = Array.from({ length: count }, (_, n) => {
      const delivery = { _id: `${paymentId}:${n}`, paymentId, seq: n, dueAt: this.#now, ...receiver } as DueDelivery;
      this.#stored.set(delivery._id, { delivery, isHeld: false, hasEnded: false });
      return delivery;
    });
    this.#works.push({ kind: 'found', due, goOn: ignore });
  }

  /** From now on the receiver answers so. */
  turn(receiver: Receiver, mood: Mood): void {
    this.#moods.set(receiverKey(receiver), mood);
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  sweep(): void {
    this.#wanted.all = true;
  }

  /** Begins the search that is wanted, unless one runs. */
  search(): void {
    if (this.#isSearching || this.dispatch.isClosed) return;
    if (this.#wanted.all) {
      this.#wanted.all = false;
      this.#isSearching = true;
      this.dispatch.beginFullSearch();
      this.#searchNextPage();
    } else if (this.#wanted.backlog) {
      this.#wanted.backlog = false;
      this.#isSearching = true;
      this.#searchBacklog();
    }
  }

  get wantsSearch(): boolean {
    return !this.dispatch.isClosed && (this.#wanted.all || this.#wanted.backlog);
  }

  overdue(ms: number): void {
    for (const givenBack of this.dispatch.overdue(this.#nowMs - ms)) this.#giveBack(givenBack);
  }

  close(): void {
    for (const givenBack of this.dispatch.close()) this.#giveBack(givenBack);
  }

  /** One of the works that are under way ends. */
  end(index: number, ending: Ending): void {
    const [work] = this.#works.splice(index % Math.max(1, this.#works.length), 1);
    if (!work) return;
    if (work.kind === 'found') this.#found(work.due, work.goOn);
    else if (work.kind === 'claim') this.#endClaim(work, ending);
    else if (work.kind === 'try') this.#endTry(work.send, ending);
    else if (work.kind === 'record') this.#endRecord(work.claimed, work.use, ending);
    else this.#endRelease(work);
  }

  /** What a process that died, or a failed statement, holds is free when the lease has run out. */
  expireLeases(): void {
    for (const stored of this.#stored.values()) {
      if (!this.books.isClaimed(stored.delivery._id) && !this.#isBeingReleased(stored)) stored.isHeld = false;
    }
  }

  #found(due: readonly DueDelivery[], goOn: (admitted: number) => void): void {
    const choice = this.dispatch.found(due, this.#now);
    this.books.chose(choice, this.#nowMs);
    const looked = new Set([
      ...choice.chosen.map(({ delivery }) => delivery._id),
      ...choice.later.map((one) => one.seen._id),
    ]);
    const paused = new Set(choice.paused.map(({ receiver }) => receiverKey(receiver)));
    for (const delivery of due) {
      if (looked.has(delivery._id) || paused.has(receiverKey(delivery))) this.owed.delete(delivery._id);
      else if (!this.dispatch.isClosed) this.owed.add(delivery._id);
    }
    for (const { seen, dueAt } of choice.later) this.#move(this.#at(seen._id), dueAt, seen.dueAt);
    for (const { receiver, until } of choice.paused) this.#postponeReceiver(receiver, until);
    this.#works.push({ kind: 'claim', choice, goOn });
  }

  #endClaim({ choice: { chosen }, goOn }: Work & { kind: 'claim' }, { fails, loses }: Ending): void {
    const [first] = chosen;
    if (loses && first && this.#isDue(this.#at(first.delivery._id))) this.#at(first.delivery._id).hasEnded = true;
    const held = fails ? [] : chosen.filter(({ delivery }) => this.#isDue(this.#at(delivery._id)));
    const ids = held.map(({ delivery }) => delivery._id);
    const claimed: ClaimedDelivery[] = [];
    for (const { delivery } of held) {
      const before = this.#before(delivery, ids);
      if (before) this.#move(this.#at(delivery._id), turnDueAt(before.delivery, this.#now));
      else claimed.push({ ...delivery, leaseToken: 'token' });
    }
    for (const { _id } of claimed) this.#at(_id).isHeld = true;
    this.books.settled(chosen, claimed);
    const { freed, ...steps } = this.dispatch.settled(chosen, claimed, { now: this.#now, steadyMs: this.#nowMs });
    this.#carryOut(steps);
    if (!fails) for (const receiver of freed) this.#slotFreed(receiver);
    goOn(chosen.length);
  }

  #endTry(send: Send, { fails }: Ending): void {
    const use = this.#moods.get(receiverKey(send.claimed)) ?? 'good';
    const learned = fails ? 'unused' : use;
    this.books.answered(send, learned, this.#nowMs);
    this.#carryOut(this.dispatch.answered(send, learned, this.#now));
    this.#slotFreed(send.claimed);
    if (!fails) this.#works.push({ kind: 'record', claimed: send.claimed, use });
    // Its lease runs out.
    else this.#stays(send.claimed);
  }

  #endRecord(claimed: ClaimedDelivery, use: SlotUse, { fails }: Ending): void {
    this.dispatch.recorded();
    this.books.recorded();
    if (this.dispatch.processWasFull) this.#wanted.all = true;
    const stored = this.#at(claimed._id);
    if (fails) {
      this.#stays(claimed);
      return;
    }
    stored.isHeld = false;
    stored.hasEnded = use !== 'failed';
    if (!stored.hasEnded) {
      this.#move(stored, new Date(this.#nowMs + RETRY_MS));
      this.#stays(claimed);
      return;
    }
    const { followed, ...steps } = this.dispatch.ended(claimed, this.#now);
    this.#carryOut(steps);
    if (followed || this.dispatch.isClosed) return;
    const next = [...this.#stored.values()].find(
      (one) => one.delivery.paymentId === claimed.paymentId && !one.hasEnded,
    );
    if (!next) return;
    next.delivery = { ...next.delivery, dueAt: this.#now };
    this.#works.push({ kind: 'found', due: [next.delivery], goOn: ignore });
  }

  #stays(claimed: ClaimedDelivery): void {
    const deliveries = this.dispatch.stays(claimed);
    if (deliveries.length === 0) return;
    this.books.gaveBack(deliveries);
    this.#works.push({
      kind: 'release',
      givenBack: { deliveries },
      dueAt: turnDueAt(this.#at(claimed._id).delivery, this.#now),
    });
  }

  #endRelease({ givenBack: { deliveries, pause }, dueAt }: Work & { kind: 'release' }): void {
    for (const { _id } of deliveries) {
      const stored = this.#at(_id);
      stored.isHeld = false;
      if (dueAt) this.#move(stored, dueAt);
    }
    if (pause) this.#postponeReceiver(pause.receiver, pause.until);
  }

  #carryOut({ send, queue, giveBack }: Steps): void {
    for (const claimed of queue) this.books.queued(claimed);
    for (const one of send) {
      const before = this.#before(one.claimed, []);
      if (before) throw new Error(`${one.claimed._id} is sent before ${before.delivery._id} has ended`);
      this.books.sent(one, this.#nowMs);
      this.#works.push({ kind: 'try', send: one });
    }
    for (const one of giveBack) this.#giveBack(one);
  }

  #giveBack(givenBack: GiveBack): void {
    this.books.gaveBack(givenBack.deliveries);
    this.#works.push({ kind: 'release', givenBack });
  }

  #slotFreed(receiver: Receiver): void {
    if (this.dispatch.mayMiss(receiver)) this.#wanted.all = true;
    this.#wanted.backlog = true;
  }

  #searchNextPage(): void {
    const page = this.dispatch.fullSearchPage(this.#now);
    if (!page) {
      this.dispatch.cutFullSearch();
      this.#isSearching = false;
      return;
    }
    const due = this.#find(page.limit, page.busy);
    const goOn = () => {
      if (due.length === page.limit && !this.dispatch.isClosed) this.#searchNextPage();
      else this.#isSearching = false;
    };
    this.#works.push({ kind: 'found', due, goOn });
  }

  #searchBacklog(): void {
    const search = this.#wanted.all ? undefined : this.dispatch.backlogSearch(this.#now);
    if (!search) {
      this.#isSearching = false;
      return;
    }
    const { receivers, limit } = search;
    this.dispatch.searching(receivers);
    const keys = new Set(receivers.map(receiverKey));
    const due = this.#find(limit, {}, (delivery) => keys.has(receiverKey(delivery)));
    const more = due.length === limit;
    if (more) this.dispatch.moreDue(receivers);
    const goOn = (admitted: number) => {
      const isFilled = admitted === limit && limit < limits.sweepPageMax;
      if (!more || isFilled || admitted === 0 || this.dispatch.isClosed) this.#isSearching = false;
      else this.#searchBacklog();
    };
    this.#works.push({ kind: 'found', due, goOn });
  }

  #find(limit: number, busy: Busy, isWanted: (delivery: DueDelivery) => boolean = () => true): DueDelivery[] {
    const { hosts = [], clients = [], receivers = [] } = busy;
    const left = new Set(receivers.map(receiverKey));
    const due = [...this.#stored.values()].filter(
      (stored) =>
        this.#isDue(stored) &&
        isWanted(stored.delivery) &&
        !hosts.includes(stored.delivery.host) &&
        !clients.includes(stored.delivery.clientId) &&
        !left.has(receiverKey(stored.delivery)),
    );
    return due
      .toSorted(byDate)
      .slice(0, limit)
      .map(({ delivery }) => delivery);
  }

  #postponeReceiver(receiver: Receiver, until: Date): void {
    for (const stored of this.#stored.values()) {
      if (receiverKey(stored.delivery) !== receiverKey(receiver) || stored.delivery.dueAt >= until) continue;
      if (!stored.hasEnded && !stored.isHeld) this.#move(stored, until);
    }
  }

  #move(stored: Stored, dueAt: Date, seenDueAt = stored.delivery.dueAt): void {
    if (stored.isHeld || stored.hasEnded || stored.delivery.dueAt.getTime() !== seenDueAt.getTime()) return;
    stored.delivery = { ...stored.delivery, dueAt };
  }

  /** The first of the same payment that has not ended, before this one and not among `ids`. */
  #before({ paymentId, seq }: DueDelivery, ids: readonly string[]): Stored | undefined {
    return [...this.#stored.values()].find(
      (stored) =>
        stored.delivery.paymentId === paymentId &&
        stored.delivery.seq < seq &&
        !stored.hasEnded &&
        !ids.includes(stored.delivery._id),
    );
  }

  #isDue({ delivery, isHeld, hasEnded }: Stored): boolean {
    return !isHeld && !hasEnded && delivery.dueAt.getTime() <= this.#nowMs;
  }

  #isBeingReleased({ delivery }: Stored): boolean {
    return this.#works.some(
      (work) =>
        (work.kind === 'release' && work.givenBack.deliveries.some(({ _id }) => _id === delivery._id)) ||
        (work.kind === 'record' && work.claimed._id === delivery._id),
    );
  }

  #at(id: string): Stored {
    const stored = this.#stored.get(id);
    if (!stored) throw new Error(`there is no ${id}`);
    return stored;
  }
}
