/** Time is injected: in processes that serve it is the time of MongoDB (`shared/store/database-clock.ts`). */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** By the timer of the global object: a simulated world replaces it. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
