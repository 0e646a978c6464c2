/**
 * Keeps senders busy: finds due deliveries in MongoDB, chooses those whose turn it is and whose receiver has room, claims them
 * and starts them. A place at a host is free at the answer, not when that is recorded, and what was claimed ahead takes it in
 * the same turn; where something waits for it in MongoDB that is fetched at once, so the rate does not hang on the sweep's timer.
 */
import { limits } from '../../config/limits.js';
import type { Delivery } from '../../shared/domain/callback/delivery.js';
import { coalesce } from '../../shared/store/coalesce.js';
import type { Busy, DueDelivery } from '../../shared/store/delivery.repository.js';
import { createClaimedAhead } from './claimed-ahead.js';
import type { ClientShares } from './client-shares.js';
import { type DelivererDeps, recordTry, type SentTry, sendCallback } from './deliver-callback.handler.js';
import type { HostGate, Receiver, Ticket } from './host-gate.js';
import { takeTurns } from './take-turns.js';
import { createUnderWay } from './under-way.js';

export interface PumpDeps extends DelivererDeps {
  readonly gate: HostGate;
  readonly shares: ClientShares;
  /** Deliveries claimed and not answered at once in this process, over all hosts; and so many whose answers are recorded. */
  readonly concurrency: number;
}

/** Where a claimed delivery stands: at a place of its host, or in the queue for one. */
type Place = Ticket | 'ahead';
type Entered = { readonly receiver: Receiver; readonly place: Place };

export interface DeliveryPump {
  /** Starts what is due and has room; answers how many. Calls while one is running join it. */
  pump(): Promise<number>;
  /** Starts those of `ids` that are due, whose turn it is and that have room. */
  start(ids: readonly string[]): Promise<void>;
  /** Settles when this delivery is no longer under way here. */
  finished(id: string): Promise<void>;
  /** Settles when nothing is under way. */
  idle(): Promise<void>;
  /** Starts nothing any more and waits for what is under way. */
  close(): Promise<void>;
}

export function createDeliveryPump(deps: PumpDeps): DeliveryPump {
  const { deliveries, gate, shares, clock, log } = deps;
  const ahead = createClaimedAhead({
    perReceiverMax: limits.callbackAheadPerReceiverMax,
    perHostMax: limits.callbackAheadPerHostMax,
    max: Math.floor(deps.concurrency * limits.callbackAheadShare),
  });
  const underWay = createUnderWay();
  /** Claimed or just being claimed, and not answered. */
  let taken = 0;
  let recording = 0;
  /** Hosts, clients, and whether the whole pool, had to turn something away: when one of theirs comes back, look again. */
  const turnedAway = new Set<string>();
  const clientsTurnedAway = new Set<string>();
  let poolWasFull = false;
  let closed = false;
  let running: Promise<number> | undefined;
  let again = false;
  let aheadTimer: NodeJS.Timeout | undefined;

  const leaveShare = ({ clientId }: Receiver) => {
    taken -= 1;
    shares.leave(clientId);
  };
  const leave = (ticket: Ticket, visit: SentTry['visit'] | 'unused') => {
    leaveShare(ticket);
    gate.leave(ticket, visit, clock.now());
  };
  const cancel = (receiver: Receiver, place: Place) => {
    if (place !== 'ahead') return leave(place, 'unused');
    ahead.cancel(receiver);
    leaveShare(receiver);
  };
  const wasTurnedAway = ({ host, clientId }: Receiver) =>
    poolWasFull || turnedAway.has(host) || clientsTurnedAway.has(clientId);
  const room = () => deps.concurrency - Math.max(taken, recording);

  const lookAgain = () => {
    // Nothing is lost when that fails: it stays due and the sweep finds it.
    pump().catch((error) => log.warn('delivery.follow-up-failed', { error }));
  };

  /** Sends; the place is free afterwards, and taken by what waits for it. */
  async function send(delivery: Delivery, ticket: Ticket): Promise<SentTry | undefined> {
    let sent: SentTry | undefined;
    try {
      sent = await sendCallback(delivery, deps);
    } catch (error) {
      log.error('delivery.record-failed', { deliveryId: delivery._id, host: delivery.host, error });
    }
    leave(ticket, sent?.visit ?? 'unused');
    startAhead(delivery.host);
    if (!closed && wasTurnedAway(delivery) && ahead.isLow(delivery)) lookAgain();
    return sent;
  }

  async function record(sent: SentTry): Promise<void> {
    const { _id: deliveryId, host } = sent.claimed;
    recording += 1;
    let nextId: string | undefined;
    try {
      nextId = await recordTry(sent, deps);
    } catch (error) {
      log.error('delivery.record-failed', { deliveryId, host, error });
    } finally {
      recording -= 1;
    }
    try {
      if (nextId !== undefined) await start([nextId]);
      if (!closed && poolWasFull) await pump();
    } catch (error) {
      log.warn('delivery.follow-up-failed', { deliveryId, error });
    }
  }

  const run = (delivery: Delivery, ticket: Ticket) => send(delivery, ticket).then((sent) => sent && record(sent));

  /** Starts what was claimed ahead for a host, as far as it has places now. */
  function startAhead(host: string): void {
    const closedReceivers: { receiver: Receiver; until: Date }[] = [];
    ahead.takeAt(host, (delivery) => {
      const entrance = gate.enter(delivery, clock.now());
      if (entrance.kind === 'open') closedReceivers.push({ receiver: delivery, until: entrance.until });
      if (entrance.kind !== 'entered') return false;
      void run(delivery, entrance.ticket).finally(() => underWay.end(delivery._id));
      return true;
    });
    for (const { receiver, until } of closedReceivers) void giveBack(receiver, until);
  }

  /** Gives back what was claimed ahead for a receiver; it is due again at once, or `until` then. */
  async function giveBack(receiver: Receiver, until?: Date): Promise<void> {
    const waiting = ahead.takeOf(receiver);
    for (const delivery of waiting) leaveShare(delivery);
    try {
      await Promise.all(waiting.map(deliveries.release));
      if (until) await deliveries.postponeReceiver(receiver, until);
    } catch (error) {
      // Their leases run out.
      log.warn('delivery.follow-up-failed', { host: receiver.host, error });
    }
    for (const { _id } of waiting) underWay.end(_id);
  }

  /** What finds no place soon is for whoever has one: the leases go on, and others of the pool have room. */
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

  /** Takes a place or room in the queue for one, or remembers who had none. @returns until when the receiver is closed, where it is. */
  function enter({ host, clientId }: DueDelivery): Place | Date | undefined {
    if (!shares.enter(clientId)) return void clientsTurnedAway.add(clientId);
    const receiver = { host, clientId };
    const entrance = gate.enter(receiver, clock.now());
    if (entrance.kind !== 'open') {
      taken += 1;
      if (entrance.kind === 'entered') return entrance.ticket;
      if (mayWait(receiver) && ahead.reserve(receiver)) return 'ahead';
      taken -= 1;
    }
    shares.leave(clientId);
    if (entrance.kind === 'open') return entrance.until;
    return void turnedAway.add(host);
  }

  const mayWait = (receiver: Receiver) => gate.isQuickAt(receiver.host) && gate.isQuick(receiver);

  /** Takes a place for each that finds room; receivers that are closed have all of theirs moved to when they open. */
  async function enterHosts(ready: readonly DueDelivery[]): Promise<Map<string, Entered>> {
    const places = new Map<string, Entered>();
    const closedReceivers = new Map<string, { receiver: Receiver; until: Date }>();
    for (const delivery of ready) {
      if (room() <= 0) {
        poolWasFull = true;
        break;
      }
      const entered = enter(delivery);
      if (entered instanceof Date) {
        closedReceivers.set(`${delivery.host} ${delivery.clientId}`, { receiver: delivery, until: entered });
      } else if (entered) places.set(delivery._id, { receiver: delivery, place: entered });
    }
    try {
      await Promise.all(
        [...closedReceivers.values()].map(({ receiver, until }) => deliveries.postponeReceiver(receiver, until)),
      );
    } catch (error) {
      for (const { receiver, place } of places.values()) cancel(receiver, place);
      throw error;
    }
    return places;
  }

  async function startDue(due: readonly DueDelivery[]): Promise<number> {
    const places = await enterHosts(await takeTurns(due, deps));
    let claimed: Delivery[] = [];
    try {
      claimed = await deliveries.claim([...places.keys()]);
      if (closed) await Promise.all(claimed.splice(0).map(deliveries.release));
    } finally {
      const won = new Set(claimed.map(({ _id }) => _id));
      for (const [id, { receiver, place }] of places) if (!won.has(id)) cancel(receiver, place);
    }
    for (const delivery of claimed) {
      const place = places.get(delivery._id)?.place;
      if (place === 'ahead') {
        ahead.put(delivery, performance.now());
        underWay.addWaiting(delivery._id);
        watchAhead();
      } else if (place) underWay.add(delivery._id, run(delivery, place));
    }
    // While they were claimed, places may have become free.
    for (const host of new Set(claimed.map((delivery) => delivery.host))) startAhead(host);
    return claimed.length;
  }

  /** Who is not looked for: there is no place, nor room in the queue for one. */
  function busy(): Busy {
    const full = gate.full(clock.now());
    return {
      hosts: full.hosts.filter((host) => !gate.isQuickAt(host) || !ahead.hasRoomAt(host)),
      receivers: full.receivers.filter((receiver) => !mayWait(receiver) || !ahead.hasRoom(receiver)),
      clients: shares.full(),
    };
  }

  async function pass(): Promise<number> {
    let started = 0;
    turnedAway.clear();
    clientsTurnedAway.clear();
    poolWasFull = false;
    while (!closed) {
      const wanted = Math.min(room(), limits.sweepPageMax);
      poolWasFull ||= wanted <= 0;
      if (wanted <= 0) break;
      const { hosts = [], receivers = [], clients = [] } = busy();
      for (const host of [...hosts, ...receivers.map((receiver) => receiver.host)]) turnedAway.add(host);
      for (const clientId of clients) clientsTurnedAway.add(clientId);
      const page = await deliveries.findDue(clock.now(), wanted, { hosts, clients, receivers });
      started += await startDue(page);
      if (page.length < wanted) break;
    }
    return started;
  }

  async function passes(): Promise<number> {
    let started = 0;
    do {
      again = false;
      started += await pass();
    } while (again && !closed);
    return started;
  }

  function pump(): Promise<number> {
    if (running) again = true;
    running ??= passes().finally(() => {
      running = undefined;
    });
    return running;
  }

  /** Hints that come in the same turn are one look and one claim. */
  const startOne = coalesce<string, void>(
    async (ids) => {
      if (!closed) await startDue(await deliveries.findDueAmong([...new Set(ids)], clock.now()));
      return ids.map(() => ({ ok: undefined }));
    },
    { itemsMax: limits.batchItemsMax, inFlightMax: limits.batchesInFlightMax },
  );

  async function start(ids: readonly string[]): Promise<void> {
    if (!closed) await Promise.all(ids.map(startOne));
  }

  async function idle(): Promise<void> {
    while (underWay.size() > 0 || running) await Promise.all([underWay.all(), running]);
  }

  return {
    pump,
    start,
    finished: async (id) => underWay.of(id),
    idle,
    close: async () => {
      closed = true;
      await Promise.all(ahead.receivers().map((receiver) => giveBack(receiver)));
      clearTimeout(aheadTimer);
      await idle();
    },
  };
}
