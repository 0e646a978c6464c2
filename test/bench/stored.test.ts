/** `npm run stored`: its options and how it judges pairs. */
import { comparePairs, renderPairs } from '../../bench/pairs.mjs';
import { readCompareOptions } from '../../bench/stored/compare-options.mjs';
import { judgePairs } from '../../bench/stored/judge-pairs.mjs';

test('the defaults are a million payments and six pairs, and a wrong option shows the usage', () => {
  const usual = { stored: 1_000_000, secs: 5, reps: 6, conc: 64, keep: false, json: undefined };
  expect(readCompareOptions([])).toEqual(usual);
  const given = ['--stored', '2000', '--secs=1', '--reps=2', '--conc', '8', '--keep', '--json', 'x.json'];
  expect(readCompareOptions(given)).toEqual({
    stored: 2_000,
    secs: 1,
    reps: 2,
    conc: 8,
    keep: true,
    json: 'x.json',
  });
  for (const args of [
    ['--conc', '0'],
    ['--reps', '51'],
    ['--profile', '1'],
  ]) {
    expect(() => readCompareOptions(args)).toThrow(/npm run stored/);
  }
});

const cell = (rate: number, foreignShare = 0) => ({
  rate,
  p50: 100,
  p99: 200,
  cpuUsTotal: 1_000_000 / rate,
  cpuUs: { mongodb: 500 },
  rssMb: { api: 150 },
  work: { 'mongodb commands': 2 },
  foreignShare,
});
const pair = (empty: number, filled: number, foreignShare = 0) => [cell(empty), cell(filled, foreignShare)] as const;
type Pair = ReturnType<typeof pair>;

test('ratios are taken within pairs, because a machine that slows down changes both sides', () => {
  const rows = comparePairs([pair(1_000, 990), pair(500, 505), pair(100, 98)]);
  expect(rows[0]).toMatchObject({ name: 'payments/s', first: 500, second: 505, ratio: 0.99, least: 0.98, most: 1.01 });
  expect(rows.map(({ name }: { name: string }) => name)).toContain('mongodb commands');
  expect(renderPairs(rows, ['empty', 'filled'])).toMatch(/payments\/s +500 +505 +0\.99 +0\.98 +1\.01/);
});

test.each<[string, Pair[], string[], 0 | 1, RegExp]>([
  ['as fast', [pair(100, 99), pair(100, 101)], [], 0, /0\.99|1\.00/],
  ['slower in each pair', [pair(100, 94), pair(100, 90)], [], 1, /^FAILED: .*every pair below 0\.95/],
  ['slower in one pair', [pair(100, 94), pair(100, 96)], [], 0, /at 0\.950/],
  ['others were busy', [pair(100, 50, 0.5), pair(100, 60, 0.4)], [], 0, /^inconclusive/],
  ['a lost payment', [pair(100, 100)], ['1 payment is lost'], 1, /^FAILED: 1 violation/],
])('the verdict: %s', (_what, pairs, violations, exitCode, text) => {
  expect(judgePairs(pairs, violations)).toEqual({ exitCode, text: expect.stringMatching(text) });
});
