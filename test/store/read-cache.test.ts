import { createReadCache } from '../../shared/store/read-cache.js';

const clock = { ms: 0, now: () => new Date(clock.ms) };

/** Builds a cache over a source that answers on demand. */
function slowCache() {
  const waiting: { resolve: (value: string | undefined) => void; reject: (error: Error) => void }[] = [];
  const cache = createReadCache<string, string>({
    max: 2,
    ttlMs: 100,
    clock,
    load: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
  });
  return { cache, waiting };
}

beforeEach(() => {
  clock.ms = 1_000;
});

test('simultaneous calls share one read, and its age counts from its start', async () => {
  const { cache, waiting } = slowCache();
  const answers = Promise.all([cache.get('a'), cache.get('a'), cache.reload('a')]);
  expect(waiting).toHaveLength(1);
  clock.ms += 60;
  waiting[0]?.resolve('one');
  expect(await answers).toEqual(['one', 'one', 'one']);
  clock.ms += 39;
  expect(await cache.get('a')).toBe('one');
  clock.ms += 1;
  void cache.get('a');
  expect(waiting).toHaveLength(2);
});

test('a failed read rejects the waiting callers and is not cached', async () => {
  const { cache, waiting } = slowCache();
  const failing = cache.get('a');
  waiting[0]?.reject(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  const next = cache.get('a');
  waiting[1]?.resolve('one');
  expect(await next).toBe('one');
});

test('a missing value is not cached', async () => {
  const { cache, waiting } = slowCache();
  const missing = cache.get('a');
  waiting[0]?.resolve(undefined);
  expect(await missing).toBeUndefined();
  void cache.get('a');
  expect(waiting).toHaveLength(2);
});

test('a read that was overtaken by a change is not cached', async () => {
  const { cache, waiting } = slowCache();
  const before = cache.get('a');
  cache.forget('a');
  const after = cache.get('a');
  waiting[1]?.resolve('new');
  waiting[0]?.resolve('old');
  expect(await before).toBe('old');
  expect(await after).toBe('new');
  expect(await cache.get('a')).toBe('new');
});

test('the cache holds no more than its bound, and reads again when the clock was set back', async () => {
  const { cache, waiting } = slowCache();
  for (const key of ['a', 'b', 'c']) {
    const answer = cache.get(key);
    waiting.at(-1)?.resolve(key);
    await answer;
  }
  void cache.get('a');
  expect(waiting).toHaveLength(4);
  expect(await cache.get('c')).toBe('c');
  clock.ms -= 1;
  void cache.get('c');
  expect(waiting).toHaveLength(5);
});
