/** Evaluates the marks of traced processes: where the time of a payment goes, step by step. Pure. */
import { median } from '../measure/statistics.mjs';

/** @typedef {{ step: string, at: number, ids: readonly string[] }} Mark `at`: ms since the epoch */
/** @typedef {{ step: string, atMs: number, tookMs: number, share: number }} Step medians; `share` of the payments that take it */

const BEGIN = 'api: request';
const END = 'api: answered';
/** Steps that a smaller share of the payments take are left out. */
const SHARE_MIN = 0.5;

/**
 * @param {readonly Mark[]} marks
 * @param {{ from: number, to: number }} window ms since the epoch in which the request arrived
 * @returns {Step[]} in the order of time; `tookMs` since the step before
 */
export function readTrace(marks, { from, to }) {
  /** @type {Map<string, Map<string, number>>} */
  const payments = new Map();
  for (const { step, at, ids } of marks) {
    for (const id of ids) {
      const steps = payments.get(id) ?? new Map();
      payments.set(id, steps);
      // Only the first occurrence counts: the first caller does not wait for repetitions.
      if (!steps.has(step)) steps.set(step, at);
    }
  }
  const complete = [...payments.values()].filter((steps) => {
    const begun = steps.get(BEGIN);
    return begun !== undefined && steps.has(END) && begun >= from && begun <= to;
  });
  /** @type {Map<string, number[]>} */
  const offsets = new Map();
  for (const steps of complete) {
    const begun = Number(steps.get(BEGIN));
    for (const [step, at] of steps) {
      if (at > Number(steps.get(END))) continue;
      const earlier = offsets.get(step);
      if (earlier) earlier.push(at - begun);
      else offsets.set(step, [at - begun]);
    }
  }
  const medianSteps = [...offsets]
    .filter(([, values]) => values.length >= complete.length * SHARE_MIN)
    .map(([step, values]) => ({ step, atMs: median(values), share: values.length / complete.length }))
    .sort((a, b) => a.atMs - b.atMs);
  return medianSteps.map((one, index) => ({ ...one, tookMs: one.atMs - (medianSteps[index - 1]?.atMs ?? 0) }));
}

/** @param {readonly Step[]} steps @param {string} title */
export const renderTrace = (steps, title) =>
  [
    `${title.padEnd(34)}      at ms    took ms`,
    ...steps.map(
      ({ step, atMs, tookMs }) =>
        `  ${step.padEnd(32)} ${atMs.toFixed(1).padStart(10)} ${tookMs.toFixed(1).padStart(10)}`,
    ),
  ].join('\n');
