/** The few statistics that the benchmark needs. Pure. */

/** @param {readonly number[]} values */
const ascending = (values) => [...values].sort((a, b) => a - b);

/**
 * Returns the value that `share` of the values do not exceed (nearest rank).
 * @param {readonly number[]} values
 * @param {number} share 0 to 1
 * @returns {number} NaN when there are no values
 */
export function percentile(values, share) {
  const sorted = ascending(values);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

/**
 * Returns the middle value; for an even number of values, the mean of the two in the middle.
 * @param {readonly number[]} values
 * @returns {number} NaN when there are no values
 */
export function median(values) {
  const sorted = ascending(values);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Returns the median of the ratios of values that were measured side by side. The ratio of two medians would mix moments in which
 * the machine was fast with moments in which it was slow.
 * @param {readonly (number | undefined)[]} values one per repetition
 * @param {readonly (number | undefined)[]} floors one per repetition
 * @returns {number} NaN when no repetition has both
 */
export function pairedRatio(values, floors) {
  const ratios = values.flatMap((value, index) => {
    const floor = floors[index];
    return value === undefined || floor === undefined || !(floor > 0) ? [] : [value / floor];
  });
  return median(ratios);
}
