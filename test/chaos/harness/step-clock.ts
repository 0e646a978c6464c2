/** Steps the clock of a worker, and judges what the worker did meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkerClock } from './worker-clock.js';

const POLL_MS = 50;

async function until(clock: WorkerClock, ok: boolean): Promise<string> {
  for (;;) {
    // It may just be starting.
    const ready = await clock.ready().catch(() => undefined);
    if (ready?.ok === ok) return ready.reason;
    await pause(POLL_MS);
  }
}

/**
 * Resolves when the clock is right again and the worker says so.
 * @param settleMs until what was under way before the step is finished; by default a third of `forMs`
 * @returns what should not have been seen, in sentences
 */
export async function stepClock(
  name: string,
  clock: WorkerClock | undefined,
  seconds: number,
  forMs: number,
  settleMs: number = forMs / 3,
): Promise<readonly string[]> {
  if (!clock) return [`${name} has no clock of its own`];
  clock.step(seconds);
  const reason = await until(clock, false);
  await pause(settleMs);
  const before = await clock.done();
  await pause(forMs - settleMs);
  const after = await clock.done();
  clock.step(0);
  await until(clock, true);
  const said =
    seconds > 0
      ? /^The clock of this machine is \d+ seconds ahead/
      : /^The clock of this machine is \d+ seconds behind/;
  return [
    ...(said.test(reason) ? [] : [`${name} does not say that its clock is off: ${reason}`]),
    ...(after === before ? [] : [`${name} did ${after - before} pieces of work with a clock that is off`]),
  ];
}
