import { createAdmissionLimit } from '../../api/payments/admission-limit.js';
import { limits } from '../../config/limits.js';

function newAdmissionLimit(responseWaitMs = 15_000) {
  const seen = { waiting: 0, refused: 0 };
  const metrics = {
    waiting: (count: number) => {
      seen.waiting = count;
    },
    event: () => {
      seen.refused += 1;
    },
  };
  return { seen, ...createAdmissionLimit(responseWaitMs, metrics, () => false) };
}

test('a full admission limit refuses the next call, and a slot that is left is free again', () => {
  const { enter, seen } = newAdmissionLimit();
  const slots = Array.from({ length: limits.waitingMax }, () => enter());
  expect(() => enter()).toThrow(expect.objectContaining({ code: 'service-unavailable' }));
  expect(seen).toEqual({ waiting: limits.waitingMax, refused: 1 });
  slots[0]?.leave();
  expect(() => enter()).not.toThrow();
  expect(() => enter()).toThrow();
});

test('a busy admission limit gives a short wait, but never a longer one than configured', () => {
  const { enter } = newAdmissionLimit();
  const waits = Array.from({ length: limits.waitingBusy + 1 }, () => enter().waitMs);
  expect([waits[0], waits.at(-2), waits.at(-1)]).toEqual([15_000, 15_000, limits.busyWaitMs]);
  const quick = newAdmissionLimit(300);
  for (let n = 0; n < limits.waitingBusy; n += 1) quick.enter();
  expect(quick.enter().waitMs).toBe(300);
});

test('leaving twice frees one slot', () => {
  const { enter, seen } = newAdmissionLimit();
  const [first] = [enter(), enter()];
  first?.leave();
  first?.leave();
  expect(seen.waiting).toBe(1);
});

test('in safe mode every call is refused, and calls are admitted again afterwards', () => {
  let closed = true;
  const events: string[] = [];
  const metrics = { waiting: () => undefined, event: (event: string) => void events.push(event) };
  const { enter } = createAdmissionLimit(15_000, metrics, () => closed);
  expect(() => enter()).toThrow(expect.objectContaining({ code: 'service-unavailable', retryAfterSeconds: 60 }));
  closed = false;
  expect(enter().waitMs).toBe(15_000);
  expect(events).toEqual(['safe-mode-refused']);
});
