import type { Log } from '../shared/log.js';

/**
 * Runs the parts of a sweep one after another; each returns how much it found. One that fails is logged, and the others go on: a
 * payment of another release, or a statement that is too slow, must not keep cvcs from being destroyed.
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
