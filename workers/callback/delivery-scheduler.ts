/**
 * Claims what is due and has it sent. What was found is looked at in order: whose turn it is, and whether there is a slot for it or
 * room in the send queue (`chooseDue`); what is chosen is claimed in one statement; the rest waits in MongoDB, and the receivers
 * that it is due for are remembered as the backlog. The backlog is searched as slots become free, so that the rate does not depend
 * on the timer of the sweep.
 */
import { limits } from '../../config/limits.js';
import {
  type ClaimedDelivery,
  type DueDelivery,
  type Receiver,
  receiverKey,
} from '../../shared/domain/callback/delivery.js';
import { coalesce } from '../../shared/store/coalesce.js';
import { type Postponed, turnDueAt } from '../../shared/store/delivery-turns.js';
import { Admission, type AdmittedTo, type ClientLimits } from './admission.js';
import { Backlog } from './backlog.js';
import { DeliverySender } from './delivery-sender.js';
import { DueSearch, type Started } from './due-search.js';
import type { HostLimits } from './host-limits.js';
import { SendQueue } from './send-queue.js';
import type { TryDeps } from './try-delivery.js';

export interface SchedulerDeps extends TryDeps {
  readonly hostLimits: HostLimits;
  readonly clientLimits: ClientLimits;
  /** Deliveries claimed and not answered at once in this process, over all hosts; and so many whose answers are being recorded. */
  readonly concurrency: number;
}

const bounds = { itemsMax: limits.batchItemsMax, inFlightMax: limits.batchesInFlightMax };

function sendQueueFor(concurrency: number): SendQueue {
  return new SendQueue({
    perReceiverMax: limits.callbackSendQueuePerReceiverMax,
    perHostMax: limits.callbackSendQueuePerHostMax,
    perClientMax: Math.max(1, Math.floor(concurrency * limits.callbackClientShare)),
    max: Math.floor(concurrency * limits.callbackSendQueueShare),
  });
}

export class DeliveryScheduler {
  readonly #backlog = new Backlog();
  readonly #admission: Admission;
  readonly #sender: DeliverySender;
  readonly #search: DueSearch;
  #closed = false;

  constructor(private readonly deps: SchedulerDeps) {
    const queue = sendQueueFor(deps.concurrency);
    this.#admission = new Admission({ ...deps, queue });
    this.#search = new DueSearch({
      ...deps,
      admission: this.#admission,
      backlog: this.#backlog,
      startDue: (due) => this.#startDue(due),
    });
    this.#sender = new DeliverySender({
      ...deps,
      queue,
      admission: this.#admission,
      slotFreed: (receiver) => this.#search.slotFreed(receiver),
      recorded: () => {
        if (this.#backlog.processWasFull) this.#search.searchAllSoon();
      },
      ended: async (next) => {
        if (next && !this.#closed) await this.#startNext(next);
      },
    });
  }

  /** Starts what is due and has room; returns how many. Calls while one is running join it. */
  startAllDue(): Promise<number> {
    return this.#search.searchAll();
  }

  /** Starts those of `ids` that are due, whose turn it is and that have room. */
  async start(ids: readonly string[]): Promise<void> {
    if (!this.#closed) await Promise.all(ids.map(this.#startOne));
  }

  /** The same of some that need not be read. */
  async startStored(due: readonly DueDelivery[]): Promise<void> {
    if (!this.#closed) await this.#startDue(due);
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
    this.#closed = true;
    this.#search.close();
    await this.#sender.close();
    await this.idle();
  }

  /** Nudges that come in the same turn are one search and one claim. */
  readonly #startOne = coalesce<string, void>(async (ids) => {
    const { deliveries, clock } = this.deps;
    if (!this.#closed) await this.#startDue(await deliveries.findDueAmong([...new Set(ids)], clock.now()));
    return ids.map(() => ({ ok: undefined }));
  }, bounds);

  readonly #startNext = coalesce<DueDelivery, void>(async (next) => {
    if (!this.#closed) await this.#startDue(next);
    return next.map(() => ({ ok: undefined }));
  }, bounds);

  /** The path of all that is due, however it was found: choose, claim, send or queue. */
  async #startDue(due: readonly DueDelivery[]): Promise<Started> {
    if (due.length === 0) return { admitted: 0, claimed: 0 };
    const now = this.deps.clock.now();
    const choice = chooseDue(due, { admission: this.#admission, backlog: this.#backlog, now });
    const { chosen } = choice;
    const won = new Map<string, ClaimedDelivery>();
    try {
      const [claimed] = await Promise.all([this.#claim(choice, now), this.#postpone(choice)]);
      if (this.#closed) await this.deps.deliveries.release(claimed.map((delivery) => ({ claimed: delivery })));
      else for (const delivery of claimed) won.set(delivery._id, delivery);
    } finally {
      this.#sendWon(chosen, won);
    }
    return { admitted: chosen.length, claimed: won.size };
  }

  #claim({ chosen }: Choice, now: Date): Promise<ClaimedDelivery[]> {
    return this.deps.deliveries.claim(
      chosen.map(({ delivery }) => delivery),
      now,
    );
  }

  /** Sends what was claimed. What another process won, or whose turn it is not, gives back what it was admitted to. */
  #sendWon(chosen: readonly Chosen[], won: ReadonlyMap<string, ClaimedDelivery>): void {
    // While they were claimed, slots may have become free; and those of the others are.
    const hosts = new Set<string>();
    for (const { delivery, to, after } of chosen) {
      const claimed = won.get(delivery._id);
      hosts.add(delivery.host);
      // Claimed without the one before it, it has no other to wait for: another process has ended that meanwhile.
      if (claimed) this.#sender.send(claimed, to, after !== undefined && won.has(after) ? after : undefined);
      else for (const host of this.#admission.cancel(delivery, to)) hosts.add(host);
    }
    for (const host of hosts) this.#sender.sendQueued(host);
  }

  /** What is not claimed waits in MongoDB: later ones of a payment for their turn, those of a paused receiver for the end of that. */
  async #postpone({ later, paused }: Choice): Promise<void> {
    const { deliveries, log } = this.deps;
    try {
      await Promise.all([
        deliveries.postpone(later),
        ...paused.map(({ receiver, until }) => deliveries.postponeReceiver(receiver, until)),
      ]);
    } catch (error) {
      // They stay due, and are found again.
      log.warn('delivery.follow-up-failed', { error });
    }
  }
}

interface Chosen {
  readonly delivery: DueDelivery;
  readonly to: AdmittedTo;
  /** The delivery of the same payment, chosen too, that must have ended before. */
  readonly after?: string;
}

/** Which of the due deliveries that were found are claimed, and what happens to the others. */
interface Choice {
  readonly chosen: readonly Chosen[];
  /** They wait for one that is chosen, and have no room in the send queue. */
  readonly later: readonly Postponed[];
  /** Receivers to which nothing is sent before `until`. */
  readonly paused: readonly { readonly receiver: Receiver; readonly until: Date }[];
}

/** A delivery and the one of the same payment that must have ended before. */
interface Follower {
  readonly delivery: DueDelivery;
  readonly after: DueDelivery;
}

/** Admits what there is room for; the others are added to the backlog. */
function chooseDue(
  due: readonly DueDelivery[],
  { admission, backlog, now }: { admission: Admission; backlog: Backlog; now: Date },
): Choice {
  const { first, followers } = takeTurns(due);
  const chosen = new Map<string, Chosen>();
  const paused = new Map<string, Choice['paused'][number]>();
  const later: Postponed[] = [];

  const choose = (delivery: DueDelivery) => {
    const { _id, host, clientId } = delivery;
    const admitted = admission.admit(delivery);
    if (admitted.kind === 'admitted') chosen.set(_id, { delivery, to: admitted.to });
    else if (admitted.kind === 'full') backlog.add(delivery);
    else paused.set(receiverKey(delivery), { receiver: { host, clientId }, until: admitted.until });
  };
  // One that follows waits in the send queue until the one before it is recorded as ended. If that one stays due, so does it, and
  // both are found again.
  const follow = ({ delivery, after }: Follower) => {
    if (!chosen.has(after._id)) return;
    if (!admission.admitToQueue(delivery)) later.push({ seen: delivery, dueAt: turnDueAt(after, now) });
    else chosen.set(delivery._id, { delivery, to: 'queue', after: after._id });
  };

  for (const delivery of first) choose(delivery);
  for (const follower of followers) follow(follower);
  if (admission.room <= 0) backlog.processIsFull();
  return { chosen: [...chosen.values()], later, paused: [...paused.values()] };
}

/** Separates those that may be sent from those that follow an earlier one among them. Both stay in the order given. */
function takeTurns(due: readonly DueDelivery[]): { first: DueDelivery[]; followers: Follower[] } {
  const ofPayment = new Map<string, DueDelivery[]>();
  for (const delivery of due) {
    ofPayment.set(delivery.paymentId, [...(ofPayment.get(delivery.paymentId) ?? []), delivery]);
  }
  const first: DueDelivery[] = [];
  const followers: Follower[] = [];
  for (const together of ofPayment.values()) {
    const [earliest, ...others] = together.toSorted((one, other) => one.seq - other.seq);
    if (!earliest) continue;
    first.push(earliest);
    let after = earliest;
    for (const delivery of others) {
      followers.push({ delivery, after });
      after = delivery;
    }
  }
  return { first, followers };
}
