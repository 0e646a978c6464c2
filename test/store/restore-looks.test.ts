/** What each check for a restored database does and logs, on a real MongoDB: the test fires the timer. */
import { limits } from '../../config/limits.js';
import type { Log, LogFields } from '../../shared/log.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import {
  beginSafeMode,
  endSafeMode,
  openRestoreWatch,
  type RedisWitness,
  type RestoreWatch,
  type RestoreWatchDeps,
  readSafeMode,
} from '../../shared/store/restore-watch.js';
import { dropDatabase } from '../support/drop-database.js';
import { until } from '../support/patience.js';
import { testMongoUri } from '../support/services.js';

const START = new Date('2027-01-01T00:00:00.000Z');
let database: Database;
beforeAll(async () => {
  database = await openDatabase(testMongoUri('restore_looks'));
});
afterAll(async () => {
  await dropDatabase(database);
  await database?.close();
});

interface Row {
  _id: string;
  number: number;
  line: string;
  at: Date;
}
const installation = () => database.collection<Row>('installation');
const marks = () => database.ephemeral<Row>('marks');
const mark = async () => (await installation().findOne({ _id: 'mark' })) as Row;
const witness = async () => (await marks().findOne({ _id: 'mark' })) as Row;

const lines: [string, LogFields][] = [];
const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
const events: string[] = [];
const metrics = { event: (name: string) => void events.push(name) };
let now = START;
const clock = { now: () => now };

const real = { setInterval: globalThis.setInterval, clearInterval: globalThis.clearInterval };
/** Timers that are set, with their function and interval (ms). */
const timers = new Map<unknown, { ring: () => void; ms: number | undefined; unref: boolean }>();
const watches: RestoreWatch[] = [];

beforeEach(async () => {
  now = START;
  lines.length = 0;
  events.length = 0;
  await Promise.all([installation().deleteMany({}), marks().deleteMany({})]);
  globalThis.setInterval = ((ring: () => void, ms?: number) => {
    // The timers of the driver run as usual.
    if (ms !== limits.restoreLookMs) return real.setInterval(ring, ms);
    const timer = { ring, ms, unref: false };
    const handle = { unref: () => void Object.assign(timer, { unref: true }) };
    timers.set(handle, timer);
    return handle;
  }) as never;
  globalThis.clearInterval = ((handle: NodeJS.Timeout) => timers.delete(handle) || real.clearInterval(handle)) as never;
});
afterEach(async () => {
  await Promise.all(watches.splice(0).map((watch) => watch.stop()));
  Object.assign(globalThis, real);
  timers.clear();
});

async function open(more: Partial<RestoreWatchDeps> = {}) {
  const before = new Set(timers.keys());
  const watch = await openRestoreWatch({ database, clock, log, metrics, moves: true, ...more });
  watches.push(watch);
  const own = [...timers].find(([handle]) => !before.has(handle))?.[1];
  /** Runs the next check and waits for its end. */
  const look = async () => {
    own?.ring();
    await watch.stop();
  };
  return { ...watch, timer: own, look };
}

const safeModeLines = () => lines.map(([message, { reason }]) => [message, reason]);

test('the first check begins a line, and each check of a moving process raises the mark and its witnesses by one', async () => {
  const written: unknown[] = [];
  const asked: string[] = [];
  const redis: RedisWitness = {
    read: async (line) => void asked.push(line),
    write: async (moved) => void written.push(moved),
  };
  const { look, timer, problem, stop } = await open({ redis });
  expect(timer).toMatchObject({ ms: limits.restoreLookMs, unref: true });
  const { line } = await mark();
  expect([await mark(), await witness()]).toMatchObject([
    { line, number: 1, at: START },
    { line, number: 1 },
  ]);
  now = new Date(START.getTime() + 1_000);
  await look();
  expect([await mark(), await witness()]).toMatchObject([
    { line, number: 2, at: now },
    { line, number: 2 },
  ]);
  expect(written).toEqual([1, 2].map((number) => ({ line, number })));
  // Redis is read only for a line that is known: it cannot have the mark of a new one.
  expect(asked).toEqual([line]);
  const still = await open({ moves: false });
  await still.look();
  expect(await mark()).toMatchObject({ number: 2, at: now });
  expect([problem(), still.problem(), lines, events]).toEqual([undefined, undefined, [], []]);
  await stop();
  await still.stop();
  expect(timers.size).toBe(0);
});

test('safe mode is logged by every process, counted by the one that begins it, and the mark does not move', async () => {
  const first = await open();
  await first.look();
  await installation().updateOne({ _id: 'mark' }, { $set: { number: 1 } });
  now = new Date(START.getTime() + 60_000);
  await first.look();
  const reason = 'the database is older than its ephemeral part';
  expect(await readSafeMode(database)).toMatchObject({ reason, since: now, from: START });
  expect(first.problem()).toBe(`safe mode: ${reason}; run ./gateway reconcile`);
  expect([safeModeLines(), events]).toEqual([[['safe-mode.begun', reason]], ['safe-mode']]);
  const second = await open();
  await first.look();
  await second.look();
  expect([safeModeLines(), events]).toEqual([
    [
      ['safe-mode.begun', reason],
      ['safe-mode.begun', reason],
    ],
    ['safe-mode'],
  ]);
  expect([(await mark()).number, (await witness()).number]).toEqual([1, 2]);
  lines.length = 0;
  await endSafeMode(database, now);
  await first.look();
  await second.look();
  expect([first.problem(), second.problem(), safeModeLines()]).toEqual([
    undefined,
    undefined,
    [
      ['safe-mode.ended', undefined],
      ['safe-mode.ended', undefined],
    ],
  ]);
  expect(await mark()).toMatchObject({ number: 3 });
});

test.each(['a process that runs', 'a process that starts'])(
  'a database without its mark is noticed by %s, and its age is unknown',
  async (which) => {
    const first = await open();
    await first.look();
    if (which === 'a process that starts') await first.stop();
    await installation().deleteOne({ _id: 'mark' });
    now = new Date(START.getTime() + 60_000);
    if (which === 'a process that starts') await open();
    else await first.look();
    const safeMode = await readSafeMode(database);
    expect(safeMode).toMatchObject({ reason: 'the database lost its mark', since: now });
    // Without `from` the command that compares books asks when the backup was made.
    expect(safeMode).not.toHaveProperty('from');
    await first.look();
    expect(await mark()).toBeNull();
    await endSafeMode(database, now);
    await first.look();
    expect([first.problem(), (await mark()).number]).toEqual([undefined, 2]);
  },
);

test('when both parts go back while the gateway runs, the process that saw higher numbers notices it', async () => {
  const { look, problem } = await open();
  for (let looks = 0; looks < 2; looks += 1) await look();
  await Promise.all([installation(), marks()].map((rows) => rows.updateOne({ _id: 'mark' }, { $set: { number: 1 } })));
  await look();
  expect(problem()).toMatch(/went back while the gateway ran/);
});

test('when a database goes back between a check and its move, neither mark nor witnesses move', async () => {
  const { look, stop } = await open();
  await look();
  await stop();
  const written: unknown[] = [];
  const redis: RedisWitness = { read: async () => undefined, write: async (moved) => void written.push(moved) };
  const restored: Database = {
    ...database,
    collection: <T extends object>(name: string) => {
      const rows = database.collection<Row>(name);
      const updateOne = async (...given: Parameters<typeof rows.updateOne>) => {
        await rows.updateOne({ _id: 'mark' }, { $set: { number: 1 } });
        return rows.updateOne(...given);
      };
      return Object.assign(Object.create(rows), { updateOne }) as ReturnType<typeof database.collection<T>>;
    },
  };
  await open({ database: restored, redis });
  expect([(await mark()).number, (await witness()).number, written]).toEqual([1, 2, []]);
});

test('a line that begins during a check is not a restore, whatever number Redis has for the previous line', async () => {
  const { look, stop } = await open();
  await look();
  await stop();
  let reads = 0;
  const redis: RedisWitness = {
    read: async () => {
      reads += 1;
      if (reads === 1) await endSafeMode(database, now);
      return 99;
    },
    write: async () => undefined,
  };
  const { problem } = await open({ redis });
  expect(reads).toBe(2);
  expect([problem(), await readSafeMode(database), lines]).toEqual([undefined, undefined, []]);
});

test('a failing Redis neither begins safe mode nor stops the checks', async () => {
  const fails = async () => {
    throw new Error('a fault of this test');
  };
  const { look, problem } = await open({ redis: { read: fails, write: fails } });
  await look();
  expect([problem(), lines, (await mark()).number]).toEqual([undefined, [], 2]);
});

test('a failed check is logged and changes nothing, also in safe mode; a failed first check is thrown', async () => {
  const error = new Error('no primary');
  let failing = false;
  const faulty: Database = {
    ...database,
    collection: <T extends object>(name: string) => {
      if (failing) throw error;
      return database.collection<T>(name);
    },
  };
  const { look, problem } = await open({ database: faulty });
  failing = true;
  await look();
  expect([problem(), lines]).toEqual([undefined, [['safe-mode.not-looked', { error }]]]);
  failing = false;
  await beginSafeMode(database, { reason: 'a test', since: now });
  await look();
  failing = true;
  await look();
  expect(problem()).toMatch(/a test/);
  failing = false;
  await endSafeMode(database, now);
  await look();
  expect(problem()).toBeUndefined();
  failing = true;
  await expect(open({ database: faulty })).rejects.toBe(error);
});

test('checks do not overlap, and stop waits for the check under way', async () => {
  let reads = 0;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const redis: RedisWitness = {
    read: async () => {
      reads += 1;
      await held;
      return undefined;
    },
    write: async () => undefined,
  };
  const { timer, stop } = await open({ redis });
  timer?.ring();
  timer?.ring();
  let stopped = false;
  const stopping = stop().then(() => {
    stopped = true;
  });
  await until(() => reads > 0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  release();
  await stopping;
  expect([reads, (await mark()).number]).toEqual([1, 2]);
  timer?.ring();
  await stop();
  expect((await mark()).number).toBe(3);
});
