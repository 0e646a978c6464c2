/** How a pool sweeps and how it ends, without Redis: pools that only time drives have no queue. */
import { limits } from '../../config/limits.js';
import type { Log, LogFields } from '../../shared/log.js';
import type { Pool } from '../../workers/pool.js';
import { type RunningPool, runPool } from '../../workers/run-pool.js';
import { until } from '../support/patience.js';

/** So many pages that, with the usual pause between sweeps, they would take longer than a test has. */
const FULL_PAGES = 200;

const lines: [string, LogFields][] = [];
const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
const metrics = { event: () => undefined };

let running: RunningPool | undefined;
beforeEach(() => {
  lines.length = 0;
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const realSetTimeout = globalThis.setTimeout;
afterEach(() => {
  globalThis.setTimeout = realSetTimeout;
});
/** Makes timers fire at once if `isOver` says so for their time; returns the list of the times asked for (ms). */
function hurry(isOver: (ms: number) => boolean): number[] {
  const asked: number[] = [];
  globalThis.setTimeout = ((ring: () => void, ms = 0) => {
    asked.push(ms);
    return realSetTimeout(ring, isOver(ms) ? 0 : ms);
  }) as typeof setTimeout;
  return asked;
}

const none = { found: 0, more: false };
function run(sweep: Pool['sweep'], more: Partial<Pool> = {}, options: { mayTakeWork?: () => boolean } = {}) {
  const pool: Pool = { name: 'expiry', jobs: [], sweep, close: async () => undefined, ...more };
  const redis = { redisUrl: 'redis://127.0.0.1:1', redisPrefix: 'none' };
  running = runPool(pool, { ...redis, concurrency: 1, log, metrics, ...options });
  return running;
}

/** Returns a promise and the function that resolves it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

test('after a full page the next sweep begins at once', async () => {
  let sweeps = 0;
  run(async () => {
    sweeps += 1;
    return { found: 1, more: sweeps < FULL_PAGES };
  });
  await until(() => sweeps > FULL_PAGES);
  // The pool has no queue, so it connects to none and logs nothing.
  expect(lines).toEqual([]);
});

test('a sweep that fails is logged and followed by the next; a pool stopped between two sweeps begins none', async () => {
  let before = 0;
  const first = run(async () => {
    before += 1;
    return none;
  });
  await new Promise((resolve) => setImmediate(resolve));
  await first.stop();
  const error = new Error('no primary');
  let sweeps = 0;
  run(async () => {
    sweeps += 1;
    if (sweeps === 1) throw error;
    return none;
  });
  await until(() => sweeps > 2);
  expect(lines).toEqual([['sweep.failed', { pool: 'expiry', error }]]);
  expect(before).toBe(1);
});

test('a pool that stops waits for its sweep and what it began, closes, and sweeps no more', async () => {
  const [began, held, idle] = [gate(), gate(), gate()];
  const order: string[] = [];
  const pool = run(
    async () => {
      order.push('sweep');
      began.open();
      await held.opened;
      order.push('swept');
      return { found: 1, more: true };
    },
    {
      quiesce: async () => void order.push('begins no more'),
      idle: async () => {
        order.push('waits');
        await idle.opened;
        order.push('idle');
      },
      close: async () => void order.push('closed'),
    },
  );
  expect(pool.name).toBe('expiry');
  await began.opened;
  const stopped = pool.stop();
  running = undefined;
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(['sweep', 'begins no more']);
  held.open();
  await until(() => order.includes('waits'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(['sweep', 'begins no more', 'swept', 'waits']);
  idle.open();
  await stopped;
  await new Promise((resolve) => setTimeout(resolve));
  expect(order).toEqual(['sweep', 'begins no more', 'swept', 'waits', 'idle', 'closed']);
});

test('the pause between two sweeps is a second, 30 % more or less', async () => {
  const asked = hurry((ms) => ms > limits.sweepMs / 2 && ms < limits.sweepMs * 2);
  let sweeps = 0;
  run(async () => {
    sweeps += 1;
    return none;
  });
  await until(() => sweeps > FULL_PAGES);
  const pauses = asked.filter((ms) => ms > limits.sweepMs / 2);
  expect(pauses.length).toBeGreaterThanOrEqual(FULL_PAGES);
  // Among so many pauses, some are near each end.
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(0.7 * limits.sweepMs);
  expect(Math.min(...pauses)).toBeLessThan(0.8 * limits.sweepMs);
  expect(Math.max(...pauses)).toBeLessThan(1.3 * limits.sweepMs);
  expect(Math.max(...pauses)).toBeGreaterThan(1.2 * limits.sweepMs);
});

test('a pool whose work does not end is closed after its time limit', async () => {
  const [began, closed] = [gate(), gate()];
  const pool = run(
    () => {
      began.open();
      return new Promise(() => undefined);
    },
    { close: async () => closed.open() },
  );
  await began.opened;
  const asked = hurry((ms) => ms === limits.poolCloseMs);
  running = undefined;
  await pool.stop();
  await closed.opened;
  expect(asked).toEqual([limits.poolCloseMs]);
});

test('a pool that may not take work does not sweep, and sweeps once it may', async () => {
  let [may, asked, sweeps] = [false, 0, 0];
  hurry((ms) => ms > limits.sweepMs / 2 && ms < limits.sweepMs * 2);
  const mayTakeWork = () => {
    asked += 1;
    return may;
  };
  run(
    async () => {
      sweeps += 1;
      return none;
    },
    {},
    { mayTakeWork },
  );
  await until(() => asked > 3);
  expect(sweeps).toBe(0);
  may = true;
  await until(() => sweeps > 0);
});

test('a sweep that fails and a sweep that may not begin are both followed by a pause', async () => {
  const asked = hurry((ms) => ms > limits.sweepMs / 2 && ms < limits.sweepMs * 2);
  let looks = 0;
  run(
    () => Promise.reject(new Error('no primary')),
    {},
    {
      mayTakeWork: () => {
        looks += 1;
        return looks % 2 === 0;
      },
    },
  );
  await until(() => looks > 4);
  expect(asked.filter((ms) => ms === 0)).toEqual([]);
});
