/** Moves the wall clock forward, and not the monotonic clock: as after a machine was suspended. Call `giveBack` at the end. */
export function suspendedMachine(): { by(ms: number): void; giveBack(): void } {
  const real = Date.now;
  let laterMs = 0;
  Date.now = () => real() + laterMs;
  return {
    by: (ms) => {
      laterMs += ms;
    },
    giveBack: () => {
      Date.now = real;
    },
  };
}

/**
 * Moves `performance.now()` forward, so that tests need not wait for code that measures with it. Call `giveBack` at the end.
 * @param frozen whether it moves only by `by`, however long the test takes
 */
export function passingTime({ frozen = false } = {}): { by(ms: number): void; giveBack(): void } {
  const real = performance.now;
  const startMs = real.call(performance);
  let laterMs = 0;
  performance.now = () => (frozen ? startMs : real.call(performance)) + laterMs;
  return {
    by: (ms) => {
      laterMs += ms;
    },
    giveBack: () => {
      performance.now = real;
    },
  };
}
