import { limits } from '../../config/limits.js';
import type { Log } from '../../shared/log.js';
import { openDatabase } from '../../shared/store/database.js';
import { type ClockDeps, ClockError, openDatabaseClock } from '../../shared/store/database-clock.js';
import { testMongoUri } from '../support/services.js';

const NOON_MS = Date.UTC(2026, 10, 23, 12);
const MINUTES_20_MS = 20 * 60_000;

const seen: string[] = [];
const note = (message: string) => void seen.push(message);
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
beforeEach(() => seen.splice(0));

/** Builds a machine and a MongoDB whose clocks agree; each clock can be moved. */
function twoClocks({ environment = 'testing' as ClockDeps['environment'], uncertainMs = 1 } = {}) {
  const time = { databaseMs: NOON_MS, wallMs: NOON_MS, monotonicMs: 5_000 };
  const database = { readClock: async () => ({ timeMs: time.databaseMs, uncertainMs }) };
  const machine = { wallMs: () => time.wallMs, monotonicMs: () => time.monotonicMs };
  return {
    time,
    database,
    pass(ms: number) {
      time.databaseMs += ms;
      time.wallMs += ms;
      time.monotonicMs += ms;
    },
    open: () => openDatabaseClock({ database, environment, log, metrics: { event: note }, machine }),
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("the time of a process is MongoDB's", async () => {
  const database = await openDatabase(testMongoUri('clock'));
  const clock = await openDatabaseClock({ database, environment: 'production', log, metrics: { event: note } });
  const { timeMs, uncertainMs } = await database.readClock();
  expect(Math.abs(clock.now().getTime() - timeMs)).toBeLessThan(5_000 + uncertainMs);
  expect(clock.problem()).toBeUndefined();
  clock.stop();
  await database.close();
});

test.each([limits.clockOffsetMaxMs, -limits.clockOffsetMaxMs, 0])(
  'a machine whose clock is %d ms off works',
  async (offMs) => {
    const clocks = twoClocks({ environment: 'production' });
    clocks.time.wallMs += offMs;
    const clock = await clocks.open();
    clocks.pass(60_000);
    expect(clock.now()).toEqual(new Date(NOON_MS + 60_000));
    expect(clock.problem()).toBeUndefined();
    expect(seen).toEqual([]);
    clock.stop();
  },
);

test.each([
  [MINUTES_20_MS, 'ahead of'],
  [-MINUTES_20_MS, 'behind'],
] as const)(
  'a machine whose clock is %d ms off takes no work, and does not start in production',
  async (offMs, how) => {
    const clocks = twoClocks();
    clocks.time.wallMs += offMs;
    const clock = await clocks.open();
    expect(seen).toEqual(['clock-off', 'clock.off']);
    expect(clock.problem()).toContain(`1200 seconds ${how} that of MongoDB`);
    clock.stop();
    const production = twoClocks({ environment: 'production' });
    production.time.wallMs += offMs;
    await expect(production.open()).rejects.toThrow(ClockError);
  },
);

test.each([MINUTES_20_MS, -MINUTES_20_MS])(
  'a step of the wall clock by %d ms is noticed at once and does not move the time of the process',
  async (stepMs) => {
    const clocks = twoClocks();
    const clock = await clocks.open();
    expect(clock.problem()).toBeUndefined();
    clocks.time.wallMs += stepMs;
    expect(clock.problem()).toContain('1200 seconds');
    expect(clock.now()).toEqual(new Date(NOON_MS));
    clocks.time.wallMs -= stepMs;
    expect(clock.problem()).toBeUndefined();
    clock.stop();
  },
);

test('a clock that stays wrong is logged once a minute', async () => {
  const clocks = twoClocks();
  const clock = await clocks.open();
  clocks.time.wallMs += MINUTES_20_MS;
  for (let second = 0; second <= 60; second += 1) {
    clocks.pass(limits.clockLookAgainMs + 1);
    clock.problem();
    await settle();
  }
  expect(seen).toEqual(['clock-off', 'clock.off', 'clock-off', 'clock.off']);
  clock.stop();
});

test('the error says how far the clock is off, in which direction and what to do', async () => {
  const clocks = twoClocks({ environment: 'production' });
  clocks.time.wallMs += MINUTES_20_MS;
  await expect(clocks.open()).rejects.toThrow(new ClockError(MINUTES_20_MS));
  expect(new ClockError(-MINUTES_20_MS)).toMatchObject({
    name: 'ClockError',
    message:
      'The clock of this machine is 1200 seconds behind that of MongoDB. Set both by NTP: certificates cannot be checked and logs mislead.',
  });
});

test('only one comparison runs at a time; a failed one is logged, changes nothing and is repeated', async () => {
  const clocks = twoClocks();
  const clock = await clocks.open();
  clocks.time.wallMs += MINUTES_20_MS;
  const answers: ((error?: Error) => void)[] = [];
  const { readClock } = clocks.database;
  clocks.database.readClock = () =>
    new Promise((resolve, reject) => answers.push((error) => (error ? reject(error) : resolve(readClock()))));
  const look = () => {
    clocks.pass(limits.clockLookAgainMs + 1);
    clock.problem();
  };
  look();
  look();
  expect(answers).toHaveLength(1);
  answers[0]?.(new Error('no primary'));
  await settle();
  expect(seen).toEqual(['clock.not-compared']);
  expect(clock.now()).toEqual(new Date(clocks.time.databaseMs));
  look();
  expect(answers).toHaveLength(2);
  clocks.pass(limits.clockLookAgainMs);
  clock.problem();
  answers[1]?.();
  await settle();
  expect(answers).toHaveLength(2);
  clock.stop();
});

test('MongoDB is not asked for the time while the clock is right, nor sooner than allowed while it is wrong', async () => {
  const clocks = twoClocks();
  const clock = await clocks.open();
  let asked = 0;
  const { readClock } = clocks.database;
  clocks.database.readClock = () => {
    asked += 1;
    return readClock();
  };
  clocks.pass(limits.clockLookAgainMs * 10);
  expect([clock.problem(), asked]).toEqual([undefined, 0]);
  const again = await clocks.open();
  asked = 0;
  clocks.time.wallMs += MINUTES_20_MS;
  clocks.pass(limits.clockLookAgainMs);
  expect(again.problem()).toBeDefined();
  expect(asked).toBe(0);
  clocks.pass(1);
  again.problem();
  expect(asked).toBe(1);
  await settle();
  clock.stop();
  again.stop();
});

test('a machine that was suspended takes no work until its time is compared again', async () => {
  const clocks = twoClocks();
  const clock = await clocks.open();
  // The monotonic clock of Linux stands still while the machine is suspended.
  clocks.time.databaseMs += MINUTES_20_MS;
  clocks.time.wallMs += MINUTES_20_MS;
  clocks.time.monotonicMs += limits.clockLookAgainMs + 1;
  expect(clock.problem()).toBeDefined();
  await settle();
  expect(clock.problem()).toBeUndefined();
  expect(clock.now()).toEqual(new Date(NOON_MS + MINUTES_20_MS));
  clock.stop();
});

test('a time of MongoDB that is less exact than the difference changes nothing', async () => {
  const clocks = twoClocks({ uncertainMs: 500 });
  const clock = await clocks.open();
  const before = clock.now();
  clocks.time.databaseMs += limits.clockLookAgainMs + 1 + 400;
  clocks.time.wallMs += MINUTES_20_MS;
  clocks.time.monotonicMs += limits.clockLookAgainMs + 1;
  clock.problem();
  await settle();
  expect(clock.now().getTime() - before.getTime()).toBe(limits.clockLookAgainMs + 1);
  clock.stop();
});
