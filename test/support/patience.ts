/**
 * How long a test waits for an outcome before it says that it does not come: a machine may be ten times slower than ours, and
 * busy. A shorter wait tests the machine (test/guards/patience.test.ts).
 */
export const PATIENCE_MS = 120_000;

/** Soon enough for a reader, and seldom enough for a machine that is asked. */
const LOOK_AGAIN_MS = 10;

/**
 * Looks until what it sees is so.
 * @param what is said when it does not come; by default what was seen last
 */
export async function untilSo<T>(look: () => T | Promise<T>, isSo: (seen: T) => boolean, what?: string): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > giveUpAt) throw new Error(`not so: ${what ?? JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** Looks until there is something to see. */
export const until = <T>(look: () => T | Promise<T>, what?: string) =>
  untilSo(look, Boolean, what) as Promise<NonNullable<T>>;
