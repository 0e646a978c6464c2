/** How a pool sweeps and how it ends, without Redis: pools that time alone drives have no queue. */
import type { Log, LogFields } from '../../shared/log.js';
import type { Pool } from '../../workers/pool.js';
import { type RunningPool, runPool } from '../../workers/run-pool.js';
import { until } from '../support/patience.js';

/** At the pace of a sweep that found all, they would take longer than a test has. */
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

const none = { found: 0, more: false };
function run(sweep: Pool['sweep'], more: Partial<Pool> = {}) {
  const pool: Pool = { name: 'expiry', jobs: [], sweep, close: async () => undefined, ...more };
  running = runPool(pool, { redisUrl: 'redis://127.0.0.1:1', redisPrefix: 'none', concurrency: 1, log, metrics });
  return running;
}

/** Something that a test lets happen. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

test('a sweep that found a full page goes on at once', async () => {
  let sweeps = 0;
  run(async () => {
    sweeps += 1;
    return { found: 1, more: sweeps < FULL_PAGES };
  });
  await until(() => sweeps > FULL_PAGES);
  // It has no queue, so that it looks for none.
  expect(lines).toEqual([]);
});

test('a sweep that fails is said, and the next one comes all the same; a pool that stopped between two begins none', async () => {
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

test('a pool that stops waits for its sweep, then for what the sweep began, closes, and sweeps no more', async () => {
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
  expect(order).toEqual(['sweep']);
  held.open();
  await until(() => order.includes('waits'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(['sweep', 'swept', 'waits']);
  idle.open();
  await stopped;
  await new Promise((resolve) => setTimeout(resolve));
  expect(order).toEqual(['sweep', 'swept', 'waits', 'idle', 'closed']);
});
