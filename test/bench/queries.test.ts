/** `npm run queries`: its options, its questions, and how it judges the answers. */

import { paymentQuerySchema } from '../../api/payments/payment-query.schema.js';
import { depthRatio, judgeAnswers, renderRows, toRows } from '../../bench/stored/answers.mjs';
import { readQueryOptions } from '../../bench/stored/query-options.mjs';
import { filtersOf, questionsOf } from '../../bench/stored/questions.mjs';
import { values, variationOf } from '../../bench/stored/vary.mjs';

test('the defaults are a million payments, three times, and a wrong option shows the usage', () => {
  expect(readQueryOptions([])).toEqual({ stored: 1_000_000, reps: 3, keep: false, json: undefined });
  const given = ['--stored', '2000', '--reps=1', '--keep', '--json', 'x.json'];
  expect(readQueryOptions(given)).toEqual({ stored: 2_000, reps: 1, keep: true, json: 'x.json' });
  for (const args of [
    ['--stored', '0'],
    ['--reps', 'x'],
    ['--conc', '4'],
  ]) {
    expect(() => readQueryOptions(args)).toThrow(/npm run queries/);
  }
});

const filters = filtersOf({ stored: 10_000, filledAt: Date.UTC(2026, 5, 1), id: 'pay_1' });
const questions = questionsOf(filters);

test('every filter of the query is asked for, alone and together with every other', () => {
  const asked = questions.map(({ filter }: { filter: object }): string[] => Object.keys(filter));
  const known = Object.keys(paymentQuerySchema.describe().keys).filter((key) => key !== 'size' && key !== 'cursor');
  const together = (one: string, other: string) =>
    asked.some((keys: string[]) => keys.includes(one) && keys.includes(other));
  const missing = known.flatMap((one) =>
    known.filter((other) => !together(one, other)).map((other) => `${one} + ${other}`),
  );
  expect(missing).toEqual([]);
  expect(questions.length).toBeGreaterThan(300);
  for (const { filter } of questions) expect(paymentQuerySchema.validate(filter).error).toBeUndefined();
});

test('common values fill most of the database, rare values little of it, and absent values nothing', () => {
  const all = Array.from({ length: 10_000 }, (_, serial) => variationOf(serial));
  const share = (fits: (one: ReturnType<typeof variationOf>) => boolean) => all.filter(fits).length / all.length;
  const { merchants, currencies, brands, totals } = values;
  const rare = [
    share(({ merchantId }) => merchantId === merchants.rare),
    share(({ status }) => status === 'cancelled'),
    share(({ currency }) => currency === currencies.rare),
    share(({ brand }) => brand === brands.rare),
    share(({ totalMinor }) => totalMinor === totals.rare),
    share(({ metadata }) => metadata.some(({ k }: { k: string }) => k === 'gift')),
  ];
  for (const one of rare) {
    expect(one).toBeGreaterThan(0);
    expect(one).toBeLessThanOrEqual(0.01);
  }
  expect(share(({ merchantId }) => merchantId === merchants.common)).toBeGreaterThan(0.6);
  expect(share(({ currency }) => currency === currencies.common)).toBeGreaterThan(0.9);
  expect(share(({ currency }) => currency === currencies.none)).toBe(0);
});

const page = (at: string, ms: number[], more = {}) => ({
  at,
  ms,
  status: 200,
  found: 20,
  documents: 21,
  keys: 21,
  ...more,
});
const asked = (name: string, firstMs: number, deepMs: number, more = {}) => ({
  name,
  pages: [page('first', [firstMs, 9 * firstMs, firstMs]), page('95 %', [deepMs, deepMs, deepMs], more)],
});
const judged = (all: ReturnType<typeof asked>[], more = {}) =>
  judgeAnswers({ asked: all, rows: toRows(all, 20), stored: 1_000_000, foreignShare: 0, ...more });

test('a row has the median of the first page and of the worst page, and the longest answer', () => {
  const rows = toRows([asked('quick', 2, 3), asked('slow', 2, 90, { found: 0, documents: 7_000 })], 20);
  expect(rows[0]).toMatchObject({ name: 'slow', firstMs: 2, worstMs: 90, worstAt: '95 %', documents: 7_000 });
  expect(rows[1]).toMatchObject({ name: 'quick', worstMs: 3, maxMs: 18, isFull: true });
  // Only full pages show what depth costs.
  expect(depthRatio(rows)).toEqual({ questions: 1, most: 1.5 });
  expect(renderRows(rows)).toMatch(/slow +2\.0 +90\.0 +95 % +90\.0 +20 +7000/);
});

test('a refusal fails the run, and a slow page fails it on a quiet machine with a large database', () => {
  expect(judged([asked('a', 2, 199)])).toMatchObject({ exitCode: 0, text: expect.stringMatching(/^passed/) });
  const slow = [asked('a', 2, 201)];
  expect(judged(slow)).toMatchObject({ exitCode: 1, text: expect.stringMatching(/1 of 1 .* above 200 ms/) });
  expect(judged(slow, { foreignShare: 0.5 })).toMatchObject({ exitCode: 0, text: expect.stringMatching(/^inconcl/) });
  expect(judged(slow, { stored: 3_000 })).toMatchObject({ exitCode: 0, text: expect.stringMatching(/too few/) });
  // A query that takes too long counts as slow: a busy machine may be to blame.
  const timedOut = [asked('a', 2, 3, { status: 503 })];
  expect(judged(timedOut)).toMatchObject({ exitCode: 1, text: expect.stringMatching(/1 of 1 /) });
  expect(judged(timedOut, { foreignShare: 0.5 })).toMatchObject({ exitCode: 0 });
  const refused = judged([asked('a', 2, 3, { status: 500 })], { stored: 3_000 });
  expect(refused).toMatchObject({ exitCode: 1, text: expect.stringMatching(/a, 95 %: 500/) });
});
