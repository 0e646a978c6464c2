/** Time is injected: in processes that serve it is the time of MongoDB (`shared/store/database-clock.ts`). */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
