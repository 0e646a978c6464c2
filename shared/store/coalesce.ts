/**
 * Group commit: what callers want in the same tick travels as one operation, at most `inFlightMax` operations of at most
 * `itemsMax` items at a time. Each caller sees an ordinary promise of its own item; one failing item never rejects another.
 */

/** The result of one item of a batch. */
export type Settled<R> = { readonly ok: R } | { readonly error: unknown };

/** Runs a batch; answers one result per item, in order. A rejection means that every item of the batch failed so. */
export type RunBatch<T, R> = (items: readonly T[]) => Promise<readonly Settled<R>[]>;

interface Waiting<T, R> {
  readonly item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

function settle<T, R>(waiting: Waiting<T, R>, result: Settled<R> | undefined): void {
  if (!result) waiting.reject(new Error('a batch answered fewer results than it had items'));
  else if ('ok' in result) waiting.resolve(result.ok);
  else waiting.reject(result.error);
}

export interface BatchBounds {
  readonly itemsMax: number;
  readonly inFlightMax: number;
  /**
   * A batch that is not full begins so long after the one before (ms): for what can wait, so that many are one operation under
   * load. The first after a pause does not wait.
   */
  readonly gapMs?: number;
}

/**
 * Makes the batched form of an operation. A lone caller waits for the end of the tick only, so that a quiet process pays
 * nothing for it.
 */
export function coalesce<T, R>(run: RunBatch<T, R>, bounds: BatchBounds): (item: T) => Promise<R> {
  const { itemsMax, inFlightMax, gapMs = 0 } = bounds;
  const queue: Waiting<T, R>[] = [];
  let inFlight = 0;
  let scheduled = false;
  let timing = false;
  let notBeforeMs = 0;

  const flush = () => {
    scheduled = false;
    while (queue.length > 0 && inFlight < inFlightMax) void runBatch(queue.splice(0, itemsMax));
  };

  const runBatch = async (batch: readonly Waiting<T, R>[]) => {
    inFlight += 1;
    if (gapMs > 0) notBeforeMs = performance.now() + gapMs;
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, waiting] of batch.entries()) settle(waiting, results[index]);
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    } finally {
      inFlight -= 1;
      if (queue.length > 0) schedule();
    }
  };

  const wait = (ms: number) => {
    if (timing) return;
    timing = true;
    setTimeout(() => {
      timing = false;
      if (queue.length > 0) schedule();
    }, ms);
  };

  const schedule = () => {
    if (scheduled || inFlight >= inFlightMax) return;
    const waitMs = queue.length < itemsMax ? notBeforeMs - performance.now() : 0;
    if (waitMs > 0) return wait(waitMs);
    scheduled = true;
    setImmediate(flush);
  };

  return (item) =>
    new Promise<R>((resolve, reject) => {
      queue.push({ item, resolve, reject });
      schedule();
    });
}
