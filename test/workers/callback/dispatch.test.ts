/**
 * The dispatch keeps its promises after any sequence of events: bounds, the order of a payment, pauses with one probe, no slot that is
 * lost, and nothing that waits forever.
 */
import fc from 'fast-check';
import type { Receiver } from '../../../shared/domain/callback/delivery.js';
import { bounds } from './dispatch-books.js';
import { DispatchWorld, type Ending, type Mood } from './dispatch-world.js';

const receivers: Receiver[] = ['a', 'b'].flatMap((host) =>
  ['one', 'two', 'three', 'four'].map((clientId) => ({ host, clientId })),
);
const well: Ending = { fails: false, loses: false };
type Event = (world: DispatchWorld) => void;

const often = (weight: number, arbitrary: fc.Arbitrary<Event>) => ({ arbitrary, weight });
const rarely = (one: number) => fc.nat(one - 1).map((n) => n === one - 1);
const aReceiver = fc.constantFrom(...receivers);
const turns = (...moods: Mood[]) =>
  fc.tuple(aReceiver, fc.constantFrom<Mood[]>('good', ...moods)).map(
    ([receiver, mood]): Event =>
      (world) =>
        world.turn(receiver, mood),
  );
const ends = (how: fc.Arbitrary<Ending>) =>
  fc.tuple(fc.nat(30), how).map(
    ([index, ending]): Event =>
      (world) =>
        world.end(index, ending),
  );
const announces = fc.tuple(aReceiver, fc.integer({ min: 1, max: 3 })).map(
  ([receiver, count]): Event =>
    (world) =>
      world.announce(receiver, count),
);
const passes = fc.constantFrom(10, 500, 1_000, 6_000).map(
  (ms): Event =>
    (world) =>
      world.pass(ms),
);
const searches = fc.constant<Event>((world) => world.search());
const sweeps = fc.constant<Event>((world) => world.sweep());
const overdue = fc.constant<Event>((world) => world.overdue(1_000));
const expiries = fc.constant<Event>((world) => world.expireLeases());
const events = (...kinds: ReturnType<typeof often>[]) => fc.array(fc.oneof(...kinds), { maxLength: 250, size: 'max' });

const anything = events(
  often(8, announces),
  often(24, ends(fc.record({ fails: rarely(20), loses: rarely(10) }))),
  often(3, turns('slow', 'failed', 'failed')),
  often(4, searches),
  often(2, passes),
  often(1, sweeps),
  often(1, overdue),
  often(1, expiries),
);
/** Events without failures, passing time or another process: only room is missing. Claims can still be lost out of turn. */
const untroubled = events(
  often(8, announces),
  often(24, ends(fc.constant(well))),
  often(2, turns('slow')),
  often(3, searches),
  often(3, sweeps),
);

function play(events: readonly Event[]): DispatchWorld {
  const world = new DispatchWorld();
  for (const event of events) {
    event(world);
    world.books.checkAll();
  }
  return world;
}

/** Ends well all that is in progress, and makes all searches that are wanted. Time does not advance. */
function settle(world: DispatchWorld): void {
  for (let steps = 0; world.isBusy || world.wantsSearch; steps += 1) {
    if (steps > 3_000) throw new Error('it goes on for ever');
    world.search();
    world.end(0, well);
    world.books.checkAll();
  }
}

/** Sweeps, with pauses, until nothing waits. Each receiver first answers well once more, so that it is forgotten. */
function drain(world: DispatchWorld): void {
  for (const receiver of receivers) {
    world.turn(receiver, 'good');
    world.announce(receiver, 1);
  }
  settle(world);
  for (let sweeps = 0; world.waiting().length > 0; sweeps += 1) {
    if (sweeps > 30) throw new Error(`left for ever: ${world.waiting()}`);
    world.pass(31_000);
    world.overdue(1_000);
    world.expireLeases();
    world.sweep();
    settle(world);
  }
}

function expectNothingHeld(world: DispatchWorld): void {
  const { hostLimits, clientLimits, queue, books } = world;
  expect(books.isEmpty).toBe(true);
  expect([clientLimits.inFlight, clientLimits.size, queue.count, queue.size]).toEqual([0, 0, 0, 0]);
  expect(hostLimits.receiversInFlight()).toEqual([]);
  expect(world.dispatch.fullSearchPage(new Date())?.limit).toBe(bounds.concurrency);
  for (const receiver of receivers) {
    expect(queue.roomFor(receiver)).toBe(bounds.queue.perReceiverMax);
    expect(queue.roomForClient(receiver.clientId)).toBe(bounds.queue.perClientMax);
    expect(clientLimits.roomFor(receiver.clientId)).toBe(bounds.perClientMax);
  }
}

const numRuns = 200;

test('bounds, order and pauses are kept; in the end all is sent, and nothing is held', () => {
  fc.assert(
    fc.property(anything, (events) => {
      const world = play(events);
      drain(world);
      expectNothingHeld(world);
      // The last answer of each receiver was good.
      expect(world.hostLimits.size).toBe(0);
    }),
    { numRuns },
  );
});

test('deliveries that found no room are found as slots become free, without a sweep', () => {
  fc.assert(
    fc.property(untroubled, (events) => {
      const world = play(events);
      settle(world);
      expect(world.neglected()).toEqual([]);
      expectNothingHeld(world);
    }),
    { numRuns },
  );
});

test('a closed dispatch gives back what is queued, begins nothing, and holds nothing after the last answer', () => {
  fc.assert(
    fc.property(anything, (events) => {
      const world = play(events);
      world.close();
      expect([world.books.queuedCount, world.dispatch.hasQueued]).toEqual([0, false]);
      let inFlight = world.books.inFlightCount;
      world.announce(receivers[0] as Receiver, 2);
      world.sweep();
      while (world.isBusy) {
        world.end(0, well);
        world.books.checkAll();
        expect(world.books.inFlightCount).toBeLessThanOrEqual(inFlight);
        inFlight = world.books.inFlightCount;
      }
      expectNothingHeld(world);
    }),
    { numRuns },
  );
});
