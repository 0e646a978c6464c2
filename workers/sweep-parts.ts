import { limits } from '../config/limits.js';
import { within } from '../shared/clock.js';
import type { Log } from '../shared/log.js';

/**
 * Runs the parts of a sweep one after another; each returns how much it found. A part that fails is logged and the others go on: a payment
 * of another release, or a slow statement, must not keep cvcs from being destroyed.
 */
export async function sweepParts<Part extends string>(
  { log }: { readonly log: Log },
  parts: Readonly<Record<Part, () => Promise<number>>>,
): Promise<Record<Part, number>> {
  const found: Partial<Record<Part, number>> = {};
  for (const [part, run] of Object.entries(parts) as [Part, () => Promise<number>][]) {
    try {
      found[part] = await run();
    } catch (error) {
      found[part] = 0;
      log.error('sweep.failed', { kind: part, error });
    }
  }
  return found as Record<Part, number>;
}

/**
 * Runs the parts of a sweep like {@link sweepParts}, the search for due work first.
 * @param sweep the search; its `more` says that further work is due
 */
export async function sweepWorkAndParts<Part extends string>(
  deps: { readonly log: Log },
  sweep: () => Promise<{ readonly found: number; readonly more: boolean }>,
  parts: Readonly<Record<Part, () => Promise<number>>>,
): Promise<{ readonly found: number; readonly more: boolean; readonly parts: Record<Part, number> }> {
  let due = { found: 0, more: false };
  await sweepParts(deps, {
    work: async () => {
      due = await sweep();
      return due.found;
    },
  });
  return { ...due, parts: await sweepParts(deps, parts) };
}

/**
 * Does one page of due work, each piece by itself. What fails stays due, and is found first by every sweep: behind a full page of which
 * nothing can be done, the next page is looked for, so that its work does not wait for the first one.
 * @param find returns a page of what is due, the longest due first, without the first `skip`
 * @param work returns whether the piece was done
 * @returns how many were due on the last page; 0 when nothing could be done on `limits.sweepPagesFailedMax` pages: the next sweep must not
 * follow at once
 */
export async function workPage<T>(
  find: (limit: number, skip: number) => Promise<readonly T[]>,
  work: (one: T) => Promise<boolean>,
): Promise<number> {
  const endsMs = performance.now() + limits.sweepWaitMs;
  for (let failed = 0; failed < limits.sweepPagesFailedMax && performance.now() < endsMs; failed += 1) {
    const due = await find(limits.sweepPageMax, failed * limits.sweepPageMax);
    const done = await Promise.all(due.map(work));
    if (due.length < limits.sweepPageMax || done.includes(true)) return due.length;
  }
  return 0;
}

/**
 * Does page after page of due work while there is time, and looks past what failed on the pages before, up to the same bound.
 * @param work does one page, without the first `skip`; returns how many were found, and how many of these were done and so due no more
 * @returns how many were done
 */
export async function workPages(
  work: (limit: number, skip: number) => Promise<{ readonly found: number; readonly done: number }>,
): Promise<number> {
  const endsMs = performance.now() + limits.sweepWaitMs;
  let done = 0;
  for (let failed = 0; failed < limits.sweepPagesFailedMax * limits.sweepPageMax; ) {
    const page = await work(limits.sweepPageMax, failed);
    done += page.done;
    if (page.found < limits.sweepPageMax || performance.now() >= endsMs) break;
    failed += page.found - page.done;
  }
  return done;
}

/** Waits for work of a sweep, but not for long: then returns `undefined`, and the work goes on. */
export const withinSweepWait = <T>(work: Promise<T>): Promise<T | undefined> =>
  within(limits.sweepWaitMs, work, () => undefined);

/**
 * Wraps a part that asks outside parties: one round at a time, with a bounded wait, so that a silent party holds up no other part. A round
 * that fails, or is no longer waited for, counts as nothing found.
 */
export function withoutOverlap(
  { log }: { readonly log: Log },
  kind: string,
  run: () => Promise<number>,
): () => Promise<number> {
  let isRunning = false;
  return async () => {
    if (isRunning) return 0;
    isRunning = true;
    const round = run()
      .catch((error: unknown) => {
        log.error('sweep.failed', { kind, error });
        return 0;
      })
      .finally(() => {
        isRunning = false;
      });
    return (await withinSweepWait(round)) ?? 0;
  };
}
