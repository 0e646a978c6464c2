import type { Nudges } from '../../shared/queue/nudges.js';

/** Builds a producer whose nudges, also those of sweeps, are passed to `add`. */
export const nudgesTo = (add: Nudges['add'], ready: () => boolean = () => true): Nudges => ({
  ready,
  add,
  addFromSweep: (job, payload) => add(job, payload),
  close: async () => undefined,
});
