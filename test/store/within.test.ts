/** Time limit of MongoDB operations, by the clock of this process. */
import { getMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { within } from '../../shared/store/deadlines.js';

test('an operation that takes too long ends with MongoOperationTimeoutError', async () => {
  const endless = (signal: AbortSignal) => setTimeout(300_000, undefined, { signal });
  await expect(within(1, endless)).rejects.toMatchObject({ cause: { name: 'MongoOperationTimeoutError' } });
});

test('an operation that ends in time returns its result or passes on its own error', async () => {
  expect(await within(300_000, async () => 1)).toBe(1);
  await expect(within(300_000, () => Promise.reject(new Error('its own')))).rejects.toThrow('its own');
});

test('any number of statements may listen to one limit without a warning of a leak', async () => {
  await within(300_000, async (signal) => expect(getMaxListeners(signal)).toBe(Number.POSITIVE_INFINITY));
});
