import fc from 'fast-check';
import { limits } from '../../../config/limits.js';
import { blamesReceiver, meaningOf, nextTryAt } from '../../../workers/callback/try-delivery.js';

const now = new Date('2026-01-02T03:04:05.678Z');
const schedule = (random: number, timeScale = 1) => ({
  afterMs: limits.callbackAfterMs,
  jitter: limits.callbackJitter,
  timeScale,
  random: () => random,
});
const waitMs = (triesDone: number, random: number, timeScale = 1) => {
  const at = nextTryAt(triesDone, now, schedule(random, timeScale));
  return at === 'exhausted' ? at : at.getTime() - now.getTime();
};

describe('nextTryAt', () => {
  it('follows the schedule of docs/decisions.md and then gives up', () => {
    const seconds = Array.from({ length: 11 }, (_, tries) => {
      const ms = waitMs(tries, 0.5);
      return ms === 'exhausted' ? ms : ms / 1_000;
    });
    expect(seconds).toEqual([0, 10, 60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 'exhausted']);
  });

  it('divides the waits by the time scale', () => {
    expect(waitMs(1, 0.5, 1_000)).toBe(10);
  });

  it('stays within ±10 % and uses both sides of it', () => {
    expect(waitMs(2, 0)).toBe(54_000);
    expect(waitMs(2, 0.999_999_9)).toBe(66_000);
    fc.assert(
      fc.property(fc.nat(9), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (tries, random) => {
        const planned = limits.callbackAfterMs[tries] ?? 0;
        expect(waitMs(tries, random)).toBeGreaterThanOrEqual(planned * 0.9);
        expect(waitMs(tries, random)).toBeLessThanOrEqual(planned * 1.1);
      }),
    );
  });
});

describe('an answer', () => {
  it.each([
    [200, 'delivered', false],
    [204, 'delivered', false],
    [299, 'delivered', false],
    [302, 'again', false],
    [400, 'again', false],
    [404, 'again', false],
    [410, 'ended', false],
    [429, 'again', true],
    [500, 'again', true],
    [503, 'again', true],
  ])('%i means %s (host to blame: %s)', (status, meaning, host) => {
    expect(meaningOf(status)).toBe(meaning);
    expect(blamesReceiver(status)).toBe(host);
  });
});
