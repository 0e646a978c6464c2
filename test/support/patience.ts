/**
 * How long a test waits for an outcome before it fails: a machine may be ten times slower than ours, and
 * busy. A shorter wait tests the machine (test/guards/patience.test.ts).
 */
export const PATIENCE_MS = 120_000;

/** Interval of the checks: short enough for a reader, long enough for the machine that is checked. */
const LOOK_AGAIN_MS = 10;

/**
 * Calls `look` until the result fulfils `isSo`.
 * @param what names what is awaited in the error; by default the error shows the last result
 */
export async function waitFor<T>(look: () => T | Promise<T>, isSo: (seen: T) => boolean, what?: string): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > giveUpAt) throw new Error(`not so: ${what ?? JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** Calls `look` until the result is truthy. */
export const until = <T>(look: () => T | Promise<T>, what?: string) =>
  waitFor(look, Boolean, what) as Promise<NonNullable<T>>;
