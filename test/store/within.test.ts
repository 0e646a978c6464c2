/** The limit of what MongoDB is asked for, by the time of this process. */
import { getMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { within } from '../../shared/store/deadlines.js';

test('what takes too long is given up by name', async () => {
  const endless = (signal: AbortSignal) => setTimeout(300_000, undefined, { signal });
  await expect(within(1, endless)).rejects.toMatchObject({ cause: { name: 'MongoOperationTimeoutError' } });
});

test('what is done in time is answered, and a failure of its own is passed on', async () => {
  expect(await within(300_000, async () => 1)).toBe(1);
  await expect(within(300_000, () => Promise.reject(new Error('its own')))).rejects.toThrow('its own');
});

test('as many statements as there are listen to one limit: none is taken for a leak', async () => {
  await within(300_000, async (signal) => expect(getMaxListeners(signal)).toBe(Number.POSITIVE_INFINITY));
});
