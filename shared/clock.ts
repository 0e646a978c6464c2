/** Source of the current time. It is injected: the API and the workers use MongoDB's time (`shared/store/database-clock.ts`). */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * Starts to measure; the returned function says how much time has passed (ms). Of two clocks the one counts by which it was longer: the
 * monotonic clock of a machine stops while the machine is suspended, and its wall clock may be set back.
 */
export function startStopwatch(): () => number {
  const [steadyMs, wallMs] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - steadyMs, Date.now() - wallMs);
}

/** Waits for `ms` milliseconds. It uses the timer of the global object, which a simulated world replaces. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/**
 * Returns the result of `work`, or what `late` returns or throws when `work` takes longer than `ms`. Late work continues, and its
 * failure is ignored.
 */
export async function within<Result, Late>(
  ms: number,
  work: Promise<Result>,
  late: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, timeIsUp.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
