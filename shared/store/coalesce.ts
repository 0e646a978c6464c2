/**
 * Group commit: calls of the same tick become one operation, with at most `inFlightMax` operations of at most `itemsMax` items at a time.
 * Each caller gets an ordinary promise for its own item. One failing item never rejects another, and an operation that is slow or hangs
 * does not delay others.
 */
import { limits } from '../../config/limits.js';

/** The result of one item of a batch. */
export type Settled<R> = { readonly ok: R } | { readonly error: unknown };

/** Runs a batch; returns one result per item, in order. A rejection means that every item of the batch failed with this error. */
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
   * A batch that is not full begins this long after the one before (ms). For work that can wait, so that many items are one operation
   * under load. The first batch after a pause does not wait.
   */
  readonly gapMs?: number;
  /** A batch that takes longer (ms) gives its slot to the next one. */
  readonly slowMs?: number;
}

/** Returns the bounds of work on payments; with `batched: false` (a setting) each item goes alone, through the same code. */
export const batchBounds = (batched: boolean): BatchBounds =>
  batched
    ? { itemsMax: limits.batchItemsMax, inFlightMax: limits.batchesInFlightMax }
    : { itemsMax: 1, inFlightMax: Number.POSITIVE_INFINITY };

/** The slots of batches. A batch that has been in flight for too long no longer counts, so that it does not delay waiting items. */
class Slots {
  readonly #flights = new Map<object, number>();
  #slow = 0;
  #watching = false;

  constructor(
    private readonly max: number,
    private readonly slowMs: number,
  ) {}

  get free(): boolean {
    return this.#flights.size < this.max;
  }

  enter(): object {
    const flight = {};
    this.#flights.set(flight, performance.now());
    return flight;
  }

  leave(flight: object): void {
    if (!this.#flights.delete(flight)) this.#slow -= 1;
  }

  /** Calls `freed` when a slot becomes free because its batch is slow. One timer, and only while a batch waits. */
  watch(freed: () => void): void {
    if (this.#watching || this.max === Number.POSITIVE_INFINITY) return;
    const [oldestMs] = this.#flights.values();
    if (oldestMs === undefined || this.#slow >= limits.batchesSlowMax) return;
    this.#watching = true;
    setTimeout(
      () => {
        this.#watching = false;
        this.#passOver();
        freed();
      },
      Math.max(0, oldestMs + this.slowMs - performance.now()),
    );
  }

  #passOver(): void {
    const slowFromMs = performance.now() - this.slowMs;
    for (const [flight, beganMs] of this.#flights) {
      if (beganMs > slowFromMs || this.#slow >= limits.batchesSlowMax) break;
      this.#flights.delete(flight);
      this.#slow += 1;
    }
  }
}

/**
 * Makes the batched form of an operation. A lone caller waits only for the end of the tick, so that batching costs a quiet process
 * nothing.
 */
export function coalesce<T, R>(run: RunBatch<T, R>, bounds: BatchBounds): (item: T) => Promise<R> {
  const { itemsMax, inFlightMax, gapMs = 0, slowMs = limits.batchSlowMs } = bounds;
  const queue: Waiting<T, R>[] = [];
  const slots = new Slots(inFlightMax, slowMs);
  let scheduled = false;
  let timing = false;
  let notBeforeMs = 0;

  const flush = () => {
    scheduled = false;
    while (queue.length > 0 && slots.free) void runBatch(queue.splice(0, itemsMax));
    if (queue.length > 0) slots.watch(schedule);
  };

  const runBatch = async (batch: readonly Waiting<T, R>[]) => {
    const flight = slots.enter();
    if (gapMs > 0) notBeforeMs = performance.now() + gapMs;
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, waiting] of batch.entries()) settle(waiting, results[index]);
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    } finally {
      slots.leave(flight);
      schedule();
    }
  };

  const wait = (ms: number) => {
    if (timing) return;
    timing = true;
    setTimeout(() => {
      timing = false;
      schedule();
    }, ms);
  };

  const schedule = () => {
    if (scheduled || queue.length === 0) return;
    if (!slots.free) return slots.watch(schedule);
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
