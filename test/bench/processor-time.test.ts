import { parseMachine, parseProcessMs, readProcessorTime, spentBetween } from '../../bench/measure/processor-time.mjs';

test('user and system time are read of a process whose name has spaces and parentheses', () => {
  const stat = '42 (node (a) b) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 7 7 20 0 11 0 1000 1 1';
  expect(parseProcessMs(stat, 10)).toBe(3_000);
});

test('the machine is busy with user, nice, system and stolen time, not with interrupts', () => {
  const stat = 'cpu  100 10 50 700 40 5 5 90 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n';
  expect(parseMachine(stat, 10)).toEqual({ busyMs: 2_500, totalMs: 10_000 });
});

test('the foreign share is what the machine was busy with beside our own processes', () => {
  const before = { processMs: { api: 100, worker: 0 }, busyMs: 1_000, totalMs: 4_000 };
  const after = { processMs: { api: 400, worker: 200 }, busyMs: 2_000, totalMs: 6_000 };
  expect(spentBetween(before, after)).toEqual({
    processMs: { api: 300, worker: 200 },
    foreignShare: 0.25,
    idleShare: 0.5,
  });
});

test('without /proc nothing is foreign', () => {
  const none = { processMs: { api: 0 }, busyMs: 0, totalMs: 0 };
  expect(spentBetween(none, none)).toEqual({ processMs: { api: 0 }, foreignShare: 0, idleShare: 0 });
});

test('a process that is gone has used nothing', () => {
  expect(readProcessorTime({ gone: 4_194_303 }).processMs).toEqual({ gone: 0 });
});
