/** Steps the clock of a worker, and judges what the worker did meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE_MS } from '../../support/patience.js';
import type { WorkerClock } from './worker-clock.js';

const POLL_MS = 50;

/** Waits until the worker reports this readiness. @returns its reason; undefined when it does not report it in time */
async function waitForReadiness(clock: WorkerClock, ok: boolean): Promise<string | undefined> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; performance.now() < giveUpAt; await pause(POLL_MS)) {
    // The process may still be starting.
    const ready = await clock.readiness().catch(() => undefined);
    if (ready?.ok === ok) return ready.reason;
  }
  return undefined;
}

/**
 * Resolves when the clock is right again and the worker reports it.
 * @param settleMs time for work that was under way before the step to finish; by default a third of `forMs`
 * @returns what should not have happened, in sentences
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
  const reason = await waitForReadiness(clock, false);
  await pause(settleMs);
  const before = await clock.countDoneWork();
  await pause(forMs - settleMs);
  const after = await clock.countDoneWork();
  clock.step(0);
  const recovered = await waitForReadiness(clock, true);
  const expectedReason =
    seconds > 0
      ? /^The clock of this machine is \d+ seconds ahead/
      : /^The clock of this machine is \d+ seconds behind/;
  return [
    ...(expectedReason.test(reason ?? '')
      ? []
      : [`${name} does not say that its clock is off: ${reason ?? 'it is ready'}`]),
    ...(after === before ? [] : [`${name} did ${after - before} pieces of work with a clock that is off`]),
    ...(recovered === undefined ? [`${name} is not ready with a clock that is right again`] : []),
  ];
}
