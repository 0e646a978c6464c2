import { limits } from '../../config/limits.js';
import { makeSchedule } from '../../shared/domain/schedule.js';

test('an unscaled schedule equals the limits; not-found waits for the send, the processor and a minute', () => {
  const schedule = makeSchedule(limits, { timeScale: 1, processorTimeoutMs: 30_000 });
  expect(schedule.inquireAfterMs).toEqual([2_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000, 86_400_000]);
  expect(schedule.notFoundSettlesMs).toBe(3_500 + 30_000 + 60_000);
  expect(schedule.authorizationExpiryMs).toBe(7 * 86_400_000);
});

test('a scale shortens waits, but not the real time of a payer or a processor', () => {
  const schedule = makeSchedule(limits, { timeScale: 60, processorTimeoutMs: 30_000 });
  expect(schedule).toMatchObject({
    notFoundSettlesMs: 3_500 + 30_000 + 1_000,
    reverseAgainMs: 60_000,
    pendingTooLongMs: limits.pendingTooLongMs / 60,
    resentTooLongMs: limits.resentTooLongMs / 60,
    authorizeWithinMs: limits.authorizeWithinMs,
    cvcDestroyMs: limits.cvcDestroyMs,
    notSentRetryMs: limits.notSentRetryMs,
  });
  expect(schedule.inquireAfterMs.slice(0, 3)).toEqual([34, 1_000, 5_000]);
  const extreme = makeSchedule(limits, { timeScale: 100_000, processorTimeoutMs: 100 });
  for (const ms of extreme.inquireAfterMs) expect(Number.isInteger(ms) && ms >= 1).toBe(true);
});

test('even with an extreme scale bank and provider are not asked more often than allowed', () => {
  const extreme = makeSchedule(limits, { timeScale: 100_000, processorTimeoutMs: 100 });
  expect(extreme.challengeAskMs).toBe(limits.challengeAskMsMin);
  expect(extreme.askTransfer).toEqual(
    limits.askTransfer.map(({ untilMs }) => ({
      untilMs: Math.ceil(untilMs / 100_000),
      everyMs: limits.transferAskMsMin,
    })),
  );
  expect(extreme.ownRetryMs).toBe(Math.ceil(60_000 / 100_000));
});
