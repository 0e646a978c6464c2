import fc from 'fast-check';
import { limits } from '../../config/limits.js';
import { coalesce, type Settled } from '../../shared/store/coalesce.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));
const bounds = { itemsMax: 3, inFlightMax: 2 };

/** A batch runner whose batches end when the test says so. */
function controlled() {
  const batches: {
    items: readonly number[];
    end(results?: readonly Settled<number>[]): void;
    fail(error: Error): void;
  }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<readonly Settled<number>[]>((resolve, reject) => {
      batches.push({
        items,
        end: (results) => resolve(results ?? items.map((item) => ({ ok: item * 10 }))),
        fail: reject,
      });
    });
  return { batches, run };
}

test('items of one tick share a batch, and a lone item does not wait for more', async () => {
  const { batches, run } = controlled();
  const call = coalesce(run, bounds);
  const both = Promise.all([call(1), call(2)]);
  await tick();
  const alone = call(3);
  await tick();
  expect(batches.map(({ items }) => items)).toEqual([[1, 2], [3]]);
  for (const batch of batches) batch.end();
  expect(await both).toEqual([10, 20]);
  expect(await alone).toBe(30);
});

test('with a gap, items soon after a batch gather; a full batch and the first item after a pause do not wait', async () => {
  const gapMs = 500;
  const { batches, run } = controlled();
  const call = coalesce(run, { ...bounds, gapMs });
  const calls = [call(1)];
  await tick();
  const beganMs = performance.now();
  expect(batches.map(({ items }) => items)).toEqual([[1]]);
  batches[0]?.end();
  await calls[0];
  calls.push(call(2));
  await tick();
  calls.push(call(3));
  await tick();
  expect(batches).toHaveLength(1);
  while (batches.length < 2) await tick();
  expect(batches[1]?.items).toEqual([2, 3]);
  expect(performance.now() - beganMs).toBeGreaterThan(gapMs - 5);
  calls.push(call(4), call(5), call(6));
  await tick();
  expect(batches.slice(2).map(({ items }) => items)).toEqual([[4, 5, 6]]);
  for (const batch of batches.slice(1)) batch.end();
  expect(await Promise.all(calls)).toEqual([10, 20, 30, 40, 50, 60]);
  await new Promise((resolve) => setTimeout(resolve, gapMs + 10));
  const late = call(7);
  await tick();
  expect(batches.at(-1)?.items).toEqual([7]);
  batches.at(-1)?.end();
  expect(await late).toBe(70);
});

test('the size and number of batches are bounded; the oldest waiting items go when a batch ends', async () => {
  const { batches, run } = controlled();
  const call = coalesce(run, bounds);
  const all = Promise.all(Array.from({ length: 10 }, (_, index) => call(index)));
  await tick();
  expect(batches.map(({ items }) => items)).toEqual([
    [0, 1, 2],
    [3, 4, 5],
  ]);
  batches[1]?.end();
  await tick();
  await tick();
  expect(batches.map(({ items }) => items)).toEqual([
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
  ]);
  batches[0]?.end();
  batches[2]?.end();
  await tick();
  await tick();
  batches[3]?.end();
  expect(await all).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});

test('an error of one item reaches only its caller', async () => {
  const { batches, run } = controlled();
  const call = coalesce(run, bounds);
  const results = Promise.allSettled([call(1), call(2), call(3)]);
  await tick();
  const lost = new Error('mine');
  batches[0]?.end([{ ok: 1 }, { error: lost }, { ok: 3 }]);
  expect(await results).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: lost },
    { status: 'fulfilled', value: 3 },
  ]);
});

test('a batch that fails or returns too few results rejects, and the next batch is not held up', async () => {
  const { batches, run } = controlled();
  const call = coalesce(run, { itemsMax: 2, inFlightMax: 1 });
  const results = Promise.allSettled([call(1), call(2), call(3), call(4)]);
  await tick();
  batches[0]?.fail(new Error('all'));
  await tick();
  await tick();
  batches[1]?.end([{ ok: 30 }]);
  const reasons = (await results).map((result) =>
    result.status === 'rejected' ? result.reason.message : result.value,
  );
  expect(reasons).toEqual(['all', 'all', 30, expect.stringContaining('fewer results')]);
  const next = call(5);
  await tick();
  batches[2]?.end();
  expect(await next).toBe(50);
});

test('a runner that throws synchronously rejects its callers', async () => {
  const call = coalesce<number, number>(() => {
    throw new Error('at once');
  }, bounds);
  await expect(call(1)).rejects.toThrow('at once');
  await expect(call(2)).rejects.toThrow('at once');
});

test('with any bounds and load, each caller gets the answer to its own item and no bound is exceeded', async () => {
  const load = fc.array(fc.nat(20), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      load,
      async (itemsMax, inFlightMax, bursts) => {
        let inFlight = 0;
        const call = coalesce<number, number>(
          async (items) => {
            inFlight += 1;
            expect(items.length).toBeLessThanOrEqual(itemsMax);
            expect(inFlight).toBeLessThanOrEqual(inFlightMax);
            await tick();
            inFlight -= 1;
            return items.map((item) => (item % 7 === 6 ? { error: item } : { ok: item }));
          },
          { itemsMax, inFlightMax },
        );
        let next = 0;
        const calls: Promise<void>[] = [];
        for (const burst of bursts) {
          for (let n = 0; n < burst; n += 1) {
            const item = next++;
            const got = call(item).catch((error) => error);
            calls.push(got.then((value) => expect(value).toBe(item)));
          }
          await tick();
        }
        await Promise.all(calls);
      },
    ),
    { numRuns: 30 },
  );
});

test('batches that hang do not hold up others, and do not free their slot twice when they end', async () => {
  const { batches, run } = controlled();
  const call = coalesce(run, { ...bounds, slowMs: 500 });
  const hung = [call(1)];
  await tick();
  hung.push(call(2));
  await tick();
  const later = Promise.all([call(3), call(4)]);
  await tick();
  expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
  while (batches.length < 3) await tick();
  expect(batches[2]?.items).toEqual([3, 4]);
  batches[2]?.end();
  expect(await later).toEqual([30, 40]);
  for (const batch of batches.slice(0, 2)) batch.end();
  expect(await Promise.all(hung)).toEqual([10, 20]);
  // There are as many slots as before: the third batch has to wait.
  const calls = [call(5)];
  await tick();
  calls.push(call(6));
  await tick();
  calls.push(call(7));
  await tick();
  expect(batches.slice(3).map(({ items }) => items)).toEqual([[5], [6]]);
  for (const batch of batches.slice(3)) batch.end();
  while (batches.length < 6) await tick();
  batches[5]?.end();
  expect(await Promise.all(calls)).toEqual([50, 60, 70]);
});

describe('a slow batch', () => {
  const slow = { itemsMax: 1, inFlightMax: 1, slowMs: 100 };
  const { setTimeout: realTimeout } = globalThis;
  let nowMs: number;
  let timers: { readonly atMs: number; readonly due: () => void }[];
  beforeEach(() => {
    [nowMs, timers] = [0, []];
    Object.defineProperty(performance, 'now', { value: () => nowMs, configurable: true });
    Object.assign(globalThis, {
      setTimeout: (due: () => void, ms: number) => timers.push({ atMs: nowMs + ms, due }),
    });
  });
  afterEach(() => {
    Object.assign(globalThis, { setTimeout: realTimeout });
    delete (performance as { now?: unknown }).now;
  });
  /** Moves the clock forward and runs the timers that are due. */
  async function pass(ms: number): Promise<void> {
    nowMs += ms;
    const due = timers.filter(({ atMs }) => atMs <= nowMs);
    timers = timers.filter(({ atMs }) => atMs > nowMs);
    for (const timer of due) timer.due();
    await tick();
  }
  const started = ({ batches }: ReturnType<typeof controlled>) => batches.flatMap(({ items }) => items);

  test('gives up its slot when it becomes slow, while a later batch keeps its slot', async () => {
    const runner = controlled();
    const call = coalesce(runner.run, { ...slow, inFlightMax: 2 });
    void call(1);
    await tick();
    await pass(60);
    void call(2);
    await tick();
    void call(3);
    await tick();
    void call(4);
    await tick();
    expect([started(runner), timers.length]).toEqual([[1, 2], 1]);
    await pass(39);
    expect(started(runner)).toEqual([1, 2]);
    await pass(1);
    expect(started(runner)).toEqual([1, 2, 3]);
    await pass(59);
    expect(started(runner)).toEqual([1, 2, 3]);
    await pass(1);
    expect(started(runner)).toEqual([1, 2, 3, 4]);
    expect(timers).toEqual([]);
  });

  test('is one of a bounded number; when one of them ends, another batch may be slow', async () => {
    const runner = controlled();
    const call = coalesce(runner.run, slow);
    const count = limits.batchesSlowMax + 2;
    for (let n = 1; n <= count; n += 1) void call(n);
    for (let n = 0; n < 2 * count; n += 1) await pass(100);
    expect(started(runner)).toHaveLength(limits.batchesSlowMax + 1);
    runner.batches[0]?.end();
    await tick();
    await pass(100);
    expect(started(runner)).toHaveLength(count);
    runner.batches[1]?.end();
    void call(99);
    await tick();
    await pass(100);
    expect(started(runner)).toHaveLength(count + 1);
  });

  test('needs no timer while no item waits for its slot', async () => {
    const { batches, run } = controlled();
    const call = coalesce(run, slow);
    const one = call(1);
    await tick();
    expect([batches.length, timers.length]).toEqual([1, 0]);
    batches[0]?.end();
    await one;
    await tick();
    expect(timers).toEqual([]);
  });
});
