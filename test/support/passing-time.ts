/** Moves `performance.now()` forward, so that tests need not wait for code that measures with it. Call `giveBack` at the end. */
export function passingTime(): { by(ms: number): void; giveBack(): void } {
  const real = performance.now;
  let laterMs = 0;
  performance.now = () => real.call(performance) + laterMs;
  return {
    by: (ms) => {
      laterMs += ms;
    },
    giveBack: () => {
      performance.now = real;
    },
  };
}
