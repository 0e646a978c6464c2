/** The send queue of the `callback` pool: what has room in it, what leaves it, and in which order. */
import type { ClaimedDelivery } from '../../../shared/domain/callback/delivery.js';
import { SendQueue } from '../../../workers/callback/dispatch/send-queue.js';

const bounds = { perReceiverMax: 4, perHostMax: 6, perClientMax: 5, max: 8 };
let queue: SendQueue;
beforeEach(() => {
  queue = new SendQueue(bounds);
});

const of = (clientId: string, host = 'a') => ({ host, clientId });
const delivery = (_id: string, clientId = 'one', host = 'a') => ({ _id, clientId, host }) as ClaimedDelivery;
const idsOf = (found: readonly ClaimedDelivery[]) => found.map(({ _id }) => _id);
function put(_id: string, clientId = 'one', host = 'a', sinceMs = 0, after?: string): void {
  expect(queue.reserve(of(clientId, host))).toBe(true);
  queue.put(delivery(_id, clientId, host), sinceMs, after);
}
function reserveAll(clientId: string, host: string): number {
  let reserved = 0;
  while (queue.reserve(of(clientId, host))) reserved += 1;
  return reserved;
}
function take(host: string, accepts: (one: ClaimedDelivery) => boolean = () => true): string[] {
  const taken: string[] = [];
  queue.takeReady(host, (one) => {
    const accepted = accepts(one);
    if (accepted) taken.push(one._id);
    return accepted;
  });
  return taken;
}

describe('room', () => {
  test('is bounded for a receiver, then for its client, its host, and the whole queue', () => {
    expect(reserveAll('one', 'a')).toBe(4);
    expect(reserveAll('one', 'b')).toBe(1);
    expect(reserveAll('two', 'a')).toBe(2);
    expect(queue.hasRoomAt('a')).toBe(false);
    expect(queue.hasRoomAt('b')).toBe(true);
    expect(reserveAll('three', 'c')).toBe(1);
    expect(queue.hasRoomAt('b')).toBe(false);
    expect(queue.roomFor(of('four', 'd'))).toBe(0);
    expect(queue.roomForClient('one')).toBe(0);
    expect(queue.roomForClient('two')).toBe(3);
  });

  test('comes back with a reservation that is cancelled, and with a delivery that is taken out', () => {
    expect(queue.reserve(of('one'))).toBe(true);
    expect(queue.roomFor(of('one'))).toBe(3);
    queue.cancel(of('one'));
    expect(queue.roomFor(of('one'))).toBe(4);
    put('x');
    expect([queue.roomFor(of('one')), queue.roomForClient('one')]).toEqual([3, 4]);
    expect(take('a')).toEqual(['x']);
    expect([queue.roomFor(of('one')), queue.roomForClient('one')]).toEqual([4, 5]);
    // Room never exceeds its bound.
    queue.cancel(of('one'));
    expect(queue.roomFor(of('one'))).toBe(4);
  });

  test('is low while at most half of what a receiver may have is used', () => {
    const lows = [queue.isLow(of('one'))];
    for (let n = 1; n <= 4; n += 1) {
      queue.reserve(of('one'));
      lows.push(queue.isLow(of('one')));
    }
    expect(lows).toEqual([true, true, true, false, false]);
    expect(queue.isLow(of('two'))).toBe(true);
  });
});

describe('a queued delivery', () => {
  test('leaves oldest first, at its host only, and a receiver that is refused once is not tried again', () => {
    put('1');
    put('2', 'two');
    put('3');
    put('4', 'two', 'b');
    const tried: string[] = [];
    const taken = take('a', ({ _id, clientId }) => {
      tried.push(_id);
      return clientId === 'two';
    });
    expect([tried, taken]).toEqual([['1', '2'], ['2']]);
    expect(take('a')).toEqual(['1', '3']);
    expect(take('a')).toEqual([]);
    expect(queue.isEmpty).toBe(false);
    expect(take('b')).toEqual(['4']);
    expect(queue.isEmpty).toBe(true);
  });

  test('waits for the delivery before it, without delaying what is ready', () => {
    put('2', 'one', 'a', 0, '1');
    put('9');
    expect(take('a')).toEqual(['9']);
    expect(queue.readyAfter('a', 'another')).toBe(false);
    expect(queue.readyAfter('b', '1')).toBe(false);
    expect(take('a')).toEqual([]);
    expect(queue.readyAfter('a', '1')).toBe(true);
    expect(queue.readyAfter('a', '1')).toBe(false);
    expect(take('a')).toEqual(['2']);
  });

  test('is taken out as the follower of one that will be tried again, or with all of its receiver', () => {
    put('2', 'one', 'a', 0, '1');
    put('3');
    put('4', 'two');
    expect(queue.takeFollower('a', '9')).toBeUndefined();
    expect(queue.takeFollower('a', '1')).toEqual(delivery('2'));
    expect(queue.takeFollower('a', '1')).toBeUndefined();
    put('5', 'one', 'a', 0, '3');
    expect(idsOf(queue.takeAllOf(of('one')))).toEqual(['3', '5']);
    expect(queue.roomFor(of('one'))).toBe(4);
    expect(take('a')).toEqual(['4']);
  });

  test('is found by its receiver, its client, and how long it has been queued', () => {
    put('1', 'one', 'a', 5);
    put('2', 'one', 'b', 6);
    put('3', 'two', 'b', 7);
    expect(idsOf(queue.queuedSince(6) as ClaimedDelivery[])).toEqual(['1', '2']);
    expect(queue.hostsOf('one')).toEqual(['a', 'b']);
    expect(queue.hostsOf('two')).toEqual(['b']);
    expect(idsOf(queue.receivers() as ClaimedDelivery[])).toEqual(['1', '2', '3']);
  });
});
