import fc from 'fast-check';
import { afterFailure, type Breaker, breakerState, closedBreaker } from '../../workers/circuit-breaker.js';

const settings = { failuresMax: 10, openMs: 30_000, openMsMax: 600_000 };

function failing(times: number): Breaker {
  let breaker = closedBreaker;
  for (let n = 0; n < times; n += 1) breaker = afterFailure(breaker, false, 1_000, settings);
  return breaker;
}

describe('the circuit breaker', () => {
  it('opens with the tenth failure in a row, for 30 s, then lets a probe through', () => {
    expect(breakerState(failing(9), 1_000)).toBe('closed');
    const open = failing(10);
    expect(breakerState(open, 30_999)).toBe('open');
    expect(breakerState(open, 31_000)).toBe('half-open');
  });

  it('doubles the wait with each failed probe, up to 10 minutes', () => {
    let breaker = failing(10);
    const waits: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const nowMs = breaker.openUntilMs;
      breaker = afterFailure(breaker, true, nowMs, settings);
      waits.push((breaker.openUntilMs - nowMs) / 1_000);
    }
    expect(waits).toEqual([60, 120, 240, 480, 600, 600]);
  });

  it('is not prolonged by tries that were under way when it opened', () => {
    const open = failing(10);
    expect(afterFailure(open, false, 50_000, settings)).toBe(open);
  });

  it('never stays open longer than the longest wait', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(100_000)), { maxLength: 60 }), (steps) => {
        let breaker = closedBreaker;
        let nowMs = 0;
        for (const [probe, passedMs] of steps) {
          nowMs += passedMs;
          breaker = afterFailure(breaker, probe, nowMs, settings);
          expect(breaker.openUntilMs - nowMs).toBeLessThanOrEqual(settings.openMsMax);
        }
      }),
    );
  });
});
