/** `performance.now()` as if time had passed: what counts by it need not be waited for. Give it back at the end. */
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
