/**
 * How long a test waits for an outcome before it says that it does not come: a machine may be ten times slower than ours, and
 * busy. A shorter wait tests the machine (test/guards/patience.test.ts).
 */
export const PATIENCE_MS = 120_000;
