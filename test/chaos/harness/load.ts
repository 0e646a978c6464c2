/** Two kinds of customers: some arrive at a fixed rate, others return as soon as they got their answer. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from './caller.js';
import { type JourneyDeps, runJourney } from './journeys.js';
import type { Random } from './random.js';

export interface LoadOptions {
  readonly loadMs: number;
  /** Arrivals per second of the first kind. */
  readonly perSecond: number;
  readonly random: Random;
  readonly caller: Caller;
  readonly callbackUrls: readonly string[];
  readonly gateway: JourneyDeps['gateway'];
  readonly cardProcessor: JourneyDeps['cardProcessor'];
}

const RETURNING_CUSTOMERS = 4;
const THINK_MS = 400;

/** Resolves when the last customer is done. */
export async function runLoad({
  loadMs,
  perSecond,
  random,
  caller,
  callbackUrls,
  gateway,
  cardProcessor,
}: LoadOptions): Promise<void> {
  const endsAt = performance.now() + loadMs;
  const deps = { caller, callbackUrls, gateway, cardProcessor };
  const running = new Set<Promise<void>>();
  let journeys = 0;
  const startJourney = (): Promise<void> => {
    journeys += 1;
    const journey: Promise<void> = runJourney(journeys, random, deps).finally(() => running.delete(journey));
    running.add(journey);
    journey.catch(() => undefined);
    return journey;
  };

  const playReturningCustomer = async (own: Random) => {
    while (performance.now() < endsAt) {
      await startJourney();
      await pause(own.between(THINK_MS / 2, THINK_MS * 1.5));
    }
  };
  const returningCustomers = Array.from({ length: RETURNING_CUSTOMERS }, (_, index) =>
    playReturningCustomer(random.fork(`regular ${index}`)),
  );

  const arrivals = random.fork('arrivals');
  let due = performance.now();
  while (due < endsAt) {
    due += (-Math.log(1 - arrivals.next()) * 1000) / perSecond;
    await pause(Math.max(0, due - performance.now()));
    void startJourney();
  }
  await Promise.all(returningCustomers);
  await Promise.all(running);
}
