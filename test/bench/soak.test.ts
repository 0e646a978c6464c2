/** `npm run soak`: its options and how it judges memory. */
import { readSoakOptions } from '../../bench/soak-options.mjs';
import { judgeSoak, memoryOf, renderSoak } from '../../bench/soak-verdict.mjs';

const SAMPLES = 60;
const limits = { api: 200, worker: 130 };
/** Builds a run in which the memory of one process depends on the share of the run that has passed. */
const soaked = (memoryAt: (share: number) => number, { secs = 600, violations = [] as string[] } = {}) => ({
  violations,
  samples: Array.from({ length: SAMPLES }, (_, index) => ({
    atS: (secs * (index + 1)) / SAMPLES,
    rate: 100,
    p99: 20,
    rssMb: { api: memoryAt(index / SAMPLES), worker: 120 },
  })),
});

test('the default is ten minutes, and a wrong option shows the usage', () => {
  expect(readSoakOptions([])).toEqual({ secs: 600, conc: 16, json: undefined });
  expect(readSoakOptions(['--secs', '30', '--conc=4', '--json', 'x.json'])).toEqual({
    secs: 30,
    conc: 4,
    json: 'x.json',
  });
  for (const args of [
    ['--secs', '0'],
    ['--conc', '257'],
    ['--reps', '3'],
  ]) {
    expect(() => readSoakOptions(args)).toThrow(/npm run soak/);
  }
});

test.each<[string, (share: number) => number, 0 | 1]>([
  ['flat', () => 150, 0],
  ['growing until it knows how much it needs', (share) => (share < 0.25 ? 80 + share * 280 : 150), 0],
  ['going up and down', (share) => 150 + 10 * Math.sin(share * 40), 0],
  ['growing all the time', (share) => 100 + 100 * share, 1],
  ['growing slowly', (share) => 150 + 40 * share, 1],
])('memory that is %s is judged by its growth', (_what, memoryAt, exitCode) => {
  expect(judgeSoak(soaked(memoryAt), limits).exitCode).toBe(exitCode);
});

test('the process that grows is named, a short run does not judge, and a lost payment always fails it', () => {
  const growing = (share: number) => 100 + 100 * share;
  expect(judgeSoak(soaked(growing), limits).text).toMatch(/memory of api grows/);
  expect(judgeSoak(soaked(growing, { secs: 30 }), limits)).toMatchObject({
    exitCode: 0,
    text: expect.stringMatching(/short/),
  });
  const lost = soaked(() => 150, { secs: 30, violations: ['1 payment is lost'] });
  expect(judgeSoak(lost, limits).exitCode).toBe(1);
  expect(renderSoak(lost, limits)).toContain('1 payment is lost');
  expect(memoryOf(lost.samples).map(({ name }: { name: string }) => name)).toEqual(['api', 'worker']);
});

test('a process that held more than its limit fails the run, however short it was', () => {
  const once = (share: number) => (share === 0.5 ? 201 : 150);
  for (const secs of [30, 600]) {
    expect(judgeSoak(soaked(once, { secs }), limits)).toEqual({
      exitCode: 1,
      text: 'FAILED: api held 201 MB; its limit is 200 MB',
    });
  }
});
