/** Which processors payments can be sent to, as the running workers report it beside their keys. Pure. */
import type { KeyHolder } from './master-keys.js';

/** @returns undefined where it is not known: no worker runs at the moment, or one of them does not say. */
export function offeredProcessors(
  holders: readonly Pick<KeyHolder, 'role' | 'processors'>[],
): ReadonlySet<string> | undefined {
  const workers = holders.filter(({ role }) => role.split('+').includes('processor'));
  if (workers.length === 0 || workers.some(({ processors }) => processors === undefined)) return undefined;
  return new Set(workers.flatMap(({ processors = [] }) => processors));
}
