/**
 * How long a test waits for an outcome before it fails: a machine may be ten times slower than ours, and
 * busy. A shorter wait tests the machine (test/guards/patience.test.ts).
 */
export const PATIENCE_MS = 120_000;

/** Interval of the checks: short enough for a reader, long enough for the machine that is checked. */
const READ_AGAIN_MS = 10;

/**
 * Calls `read` until `isExpected` accepts the result.
 * @param what names the awaited outcome in the error; by default the error shows the last result
 */
export async function waitFor<T>(
  read: () => T | Promise<T>,
  isExpected: (value: T) => boolean,
  what?: string,
): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (isExpected(value)) return value;
    if (performance.now() > giveUpAt) throw new Error(`not so: ${what ?? JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
  }
}

/** Calls `read` until the result is truthy. */
export const until = <T>(read: () => T | Promise<T>, what?: string) =>
  waitFor(read, Boolean, what) as Promise<NonNullable<T>>;
