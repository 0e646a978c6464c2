import { setTimeout as sleep } from 'node:timers/promises';
import { exceededLimits, limitsOf, maximaOf, watchMemory } from '../../bench/measure/memory.mjs';
import { FOREIGN_SHARE_MAX, judge } from '../../bench/verdict.mjs';

const gate = { conc: 64, rateToF2: 0.5 };
const cells = (quiet: number, noisy: number) => [
  ...Array.from({ length: quiet }, () => ({ subject: 'gateway', conc: 64, foreignShare: 0 })),
  ...Array.from({ length: noisy }, () => ({ subject: 'F2', conc: 64, foreignShare: FOREIGN_SHARE_MAX + 0.01 })),
];

test('a ratio at the gate passes, and one below it fails', () => {
  expect(judge({ cells: cells(4, 0), violations: [], gate, ratio: 0.5 }).exitCode).toBe(0);
  expect(judge({ cells: cells(4, 0), violations: [], gate, ratio: 0.499 })).toMatchObject({
    exitCode: 1,
    text: expect.stringMatching(/^FAILED: rate\/F2 of gateway c=64/),
  });
});

test('a run is inconclusive if more than half of its cells are noisy, but not if half of them are', () => {
  expect(judge({ cells: cells(2, 3), violations: [], gate, ratio: 0.1 })).toMatchObject({
    exitCode: 0,
    text: expect.stringMatching(/^inconclusive: 3 of 5/),
  });
  expect(judge({ cells: cells(3, 3), violations: [], gate, ratio: 0.1 }).exitCode).toBe(1);
});

test('a lost payment fails the run, however noisy and fast it was', () => {
  expect(judge({ cells: cells(0, 3), violations: ['1 payment is lost'], gate, ratio: 9 }).exitCode).toBe(1);
});

test('without the cell of the gate there is no verdict', () => {
  expect(judge({ cells: cells(3, 0), violations: [], gate, ratio: undefined })).toMatchObject({
    exitCode: 0,
    text: expect.stringMatching(/^no verdict/),
  });
});

test('too much memory fails the run, and is not reported if the run lost a payment', () => {
  const memory = exceededLimits({ api: 150, worker: 131.5, callback: 90 }, { api: 150, worker: 130 });
  expect(judge({ cells: cells(0, 3), violations: [], gate, ratio: 9, memory })).toEqual({
    exitCode: 1,
    text: 'FAILED: worker held 131.5 MB; its limit is 130 MB',
  });
  expect(judge({ cells: cells(3, 0), violations: ['1 payment is lost'], gate, ratio: 9, memory }).text).toMatch(
    /correct/,
  );
});

test('limits are those of the release of Node, or else of the newest release that was measured', () => {
  const limits = { '20': { api: 180 }, '24': { api: 190 } };
  expect(['20', '24', '26'].map((release) => limitsOf(limits, release))).toEqual([
    { api: 180 },
    { api: 190 },
    { api: 190 },
  ]);
});

test('the highest memory that was seen of a process counts', async () => {
  const seen = [120, 160, 110];
  const watched = watchMemory({ api: 1 }, () => seen.shift() ?? 100);
  while (seen.length > 0) await sleep(50);
  expect(watched.stop()).toEqual({ api: 160 });
  expect(
    maximaOf([
      { api: 160, worker: 90 },
      { api: 150, worker: 95 },
    ]),
  ).toEqual({ api: 160, worker: 95 });
});
