/**
 * Sends what was claimed. A place at a host is free at the answer, not when that is recorded, and what was claimed ahead takes it
 * in the same turn.
 */
import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, DueDelivery, Receiver } from '../../shared/domain/callback/delivery.js';
import type { RecordedTry } from '../../shared/store/delivery-records.js';
import { turnDueAt } from '../../shared/store/delivery-turns.js';
import type { ClaimedAhead } from './claimed-ahead.js';
import { type DelivererDeps, recordTry, type SentTry, sendCallback } from './deliver-callback.handler.js';
import type { HostGate, Ticket } from './host-gate.js';
import type { Place, Places } from './places.js';
import { createUnderWay } from './under-way.js';

export interface SendersDeps extends DelivererDeps {
  readonly gate: HostGate;
  readonly ahead: ClaimedAhead;
  /** Made with {@link Senders.recording}, hence later. */
  readonly places: () => Places;
  /** A place of this receiver came back, and what was claimed ahead has taken what it could. */
  freed(receiver: Receiver): void;
  /** An answer is recorded: there may be room in the process. */
  recorded(): void;
  /** A delivery is over and recorded; `next` may follow it now. */
  ended(next: DueDelivery | undefined): Promise<void>;
}

export interface Senders {
  /** Sends it: now, or when a place comes back and the delivery `after` has ended. */
  start(claimed: ClaimedDelivery, place: Place, after?: string): void;
  /** Starts what was claimed ahead for a host, as far as it has places now. */
  startAhead(host: string): void;
  /** Answers that are being recorded. */
  recording(): number;
  /** Settles when this delivery is no longer under way. */
  finished(id: string): Promise<void>;
  /** Settles when all are over that are under way now. */
  all(): Promise<unknown>;
  size(): number;
  /** Gives back what waits for a place. */
  close(): Promise<void>;
}

export function createSenders(deps: SendersDeps): Senders {
  const { deliveries, gate, ahead, clock, log } = deps;
  const underWay = createUnderWay();
  let recording = 0;
  let aheadTimer: NodeJS.Timeout | undefined;

  /** Sends; the place is free afterwards, and taken by what waits for it. */
  async function send(claimed: ClaimedDelivery, ticket: Ticket): Promise<SentTry | undefined> {
    let sent: SentTry | undefined;
    try {
      sent = await sendCallback(claimed, deps);
    } catch (error) {
      log.error('delivery.record-failed', { deliveryId: claimed._id, host: claimed.host, error });
    }
    for (const host of deps.places().leave(ticket, sent?.visit ?? 'unused')) startAhead(host);
    deps.freed(claimed);
    return sent;
  }

  async function record(sent: SentTry): Promise<void> {
    const { _id: deliveryId, host } = sent.claimed;
    recording += 1;
    let recorded: RecordedTry | undefined;
    try {
      recorded = await recordTry(sent, deps);
    } catch (error) {
      log.error('delivery.record-failed', { deliveryId, host, error });
    } finally {
      recording -= 1;
      deps.recorded();
    }
    try {
      if (recorded && recorded.state !== 'waiting') await deps.ended(await next(sent.claimed));
      else await leaveFollower(sent.claimed, recorded?.dueAt);
    } catch (error) {
      log.warn('delivery.follow-up-failed', { deliveryId, error });
    }
  }

  /** The delivery of the payment whose turn it is now, where it is not here already: then it is started. */
  async function next({ _id, host, paymentId }: ClaimedDelivery): Promise<DueDelivery | undefined> {
    if (!ahead.follow(host, _id)) return deliveries.wakeNext(paymentId, clock.now());
    startAhead(host);
    return undefined;
  }

  /** What waits here for a delivery that did not end is given back, until that is due again. */
  async function leaveFollower({ _id, host }: ClaimedDelivery, dueAt: Date | undefined): Promise<void> {
    const follower = ahead.takeFollower(host, _id);
    if (!follower) return;
    deps.places().leaveQueue();
    const now = clock.now();
    await deliveries
      .release([{ claimed: follower, dueAt: turnDueAt({ dueAt: dueAt ?? now }, now) }])
      .finally(() => underWay.end(follower._id));
    await leaveFollower(follower, dueAt);
  }

  const run = (claimed: ClaimedDelivery, ticket: Ticket) => send(claimed, ticket).then((sent) => sent && record(sent));

  function startAhead(host: string): void {
    const closed: { receiver: Receiver; until: Date }[] = [];
    ahead.takeAt(host, (claimed) => {
      const entered = deps.places().leaveQueueFor(claimed);
      if (entered.kind === 'closed') closed.push({ receiver: claimed, until: entered.until });
      if (entered.kind !== 'place') return false;
      void run(claimed, entered.place).finally(() => underWay.end(claimed._id));
      return true;
    });
    for (const { receiver, until } of closed) void giveBack(receiver, until);
  }

  /** Gives back what was claimed ahead for a receiver; it is due again at once, or `until` then. */
  async function giveBack(receiver: Receiver, until?: Date): Promise<void> {
    const waiting = ahead.takeOf(receiver);
    for (const _ of waiting) deps.places().leaveQueue();
    try {
      await deliveries.release(waiting.map((claimed) => ({ claimed })));
      if (until) await deliveries.postponeReceiver(receiver, until);
    } catch (error) {
      // Their leases run out.
      log.warn('delivery.follow-up-failed', { host: receiver.host, error });
    }
    for (const { _id } of waiting) underWay.end(_id);
  }

  /** What finds no place soon is left to processes that have one: the leases end, and others of the pool have room. */
  function watchAhead(): void {
    aheadTimer ??= setTimeout(() => {
      aheadTimer = undefined;
      for (const receiver of ahead.waitingSince(performance.now() - limits.callbackAheadMs)) {
        gate.stalled(receiver);
        void giveBack(receiver);
      }
      if (ahead.size() > 0) watchAhead();
    }, limits.callbackAheadMs);
  }

  return {
    start(claimed, place, after) {
      if (place !== 'ahead') return underWay.add(claimed._id, run(claimed, place));
      ahead.put(claimed, performance.now(), after);
      underWay.addWaiting(claimed._id);
      watchAhead();
    },
    startAhead,
    recording: () => recording,
    finished: async (id) => underWay.of(id),
    all: underWay.all,
    size: underWay.size,
    async close() {
      await Promise.all(ahead.receivers().map((receiver) => giveBack(receiver)));
      clearTimeout(aheadTimer);
    },
  };
}
