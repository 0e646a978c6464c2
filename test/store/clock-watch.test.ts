import { limits } from '../../config/limits.js';
import type { Log } from '../../shared/log.js';
import { ClockError, watchClock } from '../../shared/store/clock-watch.js';
import { openDatabase } from '../../shared/store/database.js';
import { testMongoUri } from '../support/services.js';

const seen: string[] = [];
const note = (message: string) => void seen.push(message);
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
const metrics = { event: note };
const watch = async (offsetMs: number, environment: 'testing' | 'production') =>
  (await watchClock({ database: { clockOffsetMs: async () => offsetMs }, environment, log, metrics }))();
beforeEach(() => seen.splice(0));

test('the clocks of this machine and of its MongoDB are one', async () => {
  const database = await openDatabase(testMongoUri('clock'));
  expect(Math.abs(await database.clockOffsetMs())).toBeLessThan(5_000);
  await database.close();
});

test.each([limits.clockOffsetMaxMs, -limits.clockOffsetMaxMs, 0])(
  '%d ms apart is as it should be',
  async (offsetMs) => {
    await watch(offsetMs, 'production');
    expect(seen).toEqual([]);
  },
);

test.each([
  [1_200_000, 'ahead of'],
  [-1_200_000, 'behind'],
] as const)('%d ms apart is said, and no process of a production starts so', async (offsetMs, how) => {
  await watch(offsetMs, 'testing');
  expect(seen).toEqual(['clock-off', 'clock.off']);
  const refused = watch(offsetMs, 'production');
  await expect(refused).rejects.toBeInstanceOf(ClockError);
  await expect(refused).rejects.toThrow(`1200 seconds ${how}`);
});
