/**
 * Keeps senders busy: finds due deliveries in MongoDB, chooses those whose turn it is and whose receiver has room, claims them
 * and starts them. A place that becomes free is filled at once while something waits for it, so the rate does not hang
 * on the sweep's timer.
 */
import { limits } from '../../config/limits.js';
import type { Delivery } from '../../shared/domain/callback/delivery.js';
import type { DueDelivery } from '../../shared/store/delivery.repository.js';
import type { ClientShares } from './client-shares.js';
import { type DelivererDeps, deliverCallback, type TryOutcome } from './deliver-callback.handler.js';
import type { HostGate, Receiver, Ticket } from './host-gate.js';

export interface PumpDeps extends DelivererDeps {
  readonly gate: HostGate;
  readonly shares: ClientShares;
  /** Deliveries under way at once in this process, over all hosts. */
  readonly concurrency: number;
}

/** Where a delivery under way stands: at its host, and in the share of its client. */
interface Place {
  readonly ticket: Ticket;
  readonly clientId: string;
}

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
  const underWay = new Map<string, Promise<void>>();
  /** Places taken, including those of deliveries that are just being claimed. */
  let taken = 0;
  /** Hosts, clients, and whether the whole pool, had to turn something away: when one of theirs comes back, look again. */
  const turnedAway = new Set<string>();
  const clientsTurnedAway = new Set<string>();
  let poolWasFull = false;
  let closed = false;
  let running: Promise<number> | undefined;
  let again = false;

  const leave = ({ ticket, clientId }: Place, outcome: TryOutcome) => {
    taken -= 1;
    shares.leave(clientId);
    gate.leave(ticket, outcome.visit, clock.now());
  };
  const wasTurnedAway = ({ host, clientId }: DueDelivery) =>
    poolWasFull || turnedAway.has(host) || clientsTurnedAway.has(clientId);

  async function run(delivery: Delivery, place: Place): Promise<void> {
    let outcome: TryOutcome = { visit: 'unused' };
    try {
      outcome = await deliverCallback(delivery, deps);
    } catch (error) {
      log.error('delivery.record-failed', { deliveryId: delivery._id, host: delivery.host, error });
    }
    leave(place, outcome);
    try {
      if (outcome.nextId !== undefined) await start([outcome.nextId]);
      if (!closed && wasTurnedAway(delivery)) await pump();
    } catch (error) {
      // Nothing is lost: it stays due and the sweep finds it.
      log.warn('delivery.follow-up-failed', { deliveryId: delivery._id, error });
    }
  }

  function track(id: string, running: Promise<void>): void {
    // The same delivery may be under way again before the follow-up of its last try has settled.
    const settled = running.finally(() => underWay.get(id) === settled && underWay.delete(id));
    underWay.set(id, settled);
  }

  /** Splits off those that must wait for an earlier delivery of their payment, and lets them wait. */
  async function takeTurns(due: readonly DueDelivery[]): Promise<DueDelivery[]> {
    const first = await deliveries.findFirstWaiting([...new Set(due.map(({ paymentId }) => paymentId))]);
    const ready: DueDelivery[] = [];
    const later: Promise<void>[] = [];
    for (const delivery of due) {
      const before = first.get(delivery.paymentId);
      if (before?._id === delivery._id) ready.push(delivery);
      else if (before && before.seq < delivery.seq) {
        // It is woken when the earlier one ends; the lease's length is the backstop should that be missed.
        const backstopMs = clock.now().getTime() + limits.callbackLeaseMs;
        later.push(deliveries.postpone(delivery, new Date(Math.max(before.dueAt.getTime(), backstopMs))));
      }
    }
    await Promise.all(later);
    return ready;
  }

  /** Takes a place, or remembers who had none. @returns until when the receiver is closed, where it is. */
  function enter({ host, clientId }: DueDelivery): Place | Date | undefined {
    if (!shares.enter(clientId)) return void clientsTurnedAway.add(clientId);
    const entrance = gate.enter({ host, clientId }, clock.now());
    if (entrance.kind === 'entered') {
      taken += 1;
      return { ticket: entrance.ticket, clientId };
    }
    shares.leave(clientId);
    if (entrance.kind === 'open') return entrance.until;
    return void turnedAway.add(host);
  }

  /** Takes a place for each that finds room; receivers that are closed have all of theirs moved to when they open. */
  async function enterHosts(ready: readonly DueDelivery[]): Promise<Map<string, Place>> {
    const places = new Map<string, Place>();
    const closedReceivers = new Map<string, { receiver: Receiver; until: Date }>();
    for (const delivery of ready) {
      if (taken >= deps.concurrency) {
        poolWasFull = true;
        break;
      }
      const entered = enter(delivery);
      if (entered instanceof Date) {
        closedReceivers.set(`${delivery.host} ${delivery.clientId}`, { receiver: delivery, until: entered });
      } else if (entered) places.set(delivery._id, entered);
    }
    try {
      await Promise.all(
        [...closedReceivers.values()].map(({ receiver, until }) => deliveries.postponeReceiver(receiver, until)),
      );
    } catch (error) {
      for (const place of places.values()) leave(place, { visit: 'unused' });
      throw error;
    }
    return places;
  }

  async function startDue(due: readonly DueDelivery[]): Promise<number> {
    const places = await enterHosts(await takeTurns(due));
    let claimed: Delivery[] = [];
    try {
      claimed = await deliveries.claim([...places.keys()]);
      if (closed) await Promise.all(claimed.splice(0).map(deliveries.release));
    } finally {
      const won = new Set(claimed.map(({ _id }) => _id));
      for (const [id, place] of places) if (!won.has(id)) leave(place, { visit: 'unused' });
    }
    for (const delivery of claimed) {
      const place = places.get(delivery._id);
      if (place) track(delivery._id, run(delivery, place));
    }
    return claimed.length;
  }

  async function pass(): Promise<number> {
    let started = 0;
    turnedAway.clear();
    clientsTurnedAway.clear();
    poolWasFull = false;
    while (!closed) {
      const room = Math.min(deps.concurrency - taken, limits.sweepPageMax);
      poolWasFull ||= room <= 0;
      if (room <= 0) break;
      const { hosts, receivers } = gate.full(clock.now());
      const clients = shares.full();
      for (const host of [...hosts, ...receivers.map((receiver) => receiver.host)]) turnedAway.add(host);
      for (const clientId of clients) clientsTurnedAway.add(clientId);
      const page = await deliveries.findDue(clock.now(), room, { hosts, clients, receivers });
      started += await startDue(page);
      if (page.length < room) break;
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

  async function start(ids: readonly string[]): Promise<void> {
    if (closed || ids.length === 0) return;
    await startDue(await deliveries.findDueAmong(ids, clock.now()));
  }

  async function idle(): Promise<void> {
    while (underWay.size > 0 || running) await Promise.all([...underWay.values(), running]);
  }

  return {
    pump,
    start,
    finished: async (id) => underWay.get(id),
    idle,
    close: async () => {
      closed = true;
      await idle();
    },
  };
}
