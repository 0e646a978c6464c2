import { createLoader } from '../../api/pages/reference/swagger-files.js';

test('a file is read once, and again after a failure', async () => {
  let reads = 0;
  const load = createLoader(async (name) => {
    reads += 1;
    if (reads === 1) throw new Error('too many open files');
    return name;
  });
  const first = await Promise.allSettled([load('a.css'), load('a.css')]);
  expect([first.map(({ status }) => status), reads]).toEqual([['rejected', 'rejected'], 1]);
  expect(await Promise.all([load('a.css'), load('a.css')])).toEqual(['a.css', 'a.css']);
  expect(await load('a.css')).toBe('a.css');
  expect(reads).toBe(2);
});
