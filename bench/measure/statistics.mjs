/** The few statistics that the benchmark needs. Pure. */

/** @param {readonly number[]} values */
const ascending = (values) => [...values].sort((a, b) => a - b);

/**
 * The value that `share` of the values do not exceed (nearest rank).
 * @param {readonly number[]} values
 * @param {number} share 0 to 1
 * @returns {number} NaN of nothing
 */
export function percentile(values, share) {
  const sorted = ascending(values);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

/**
 * The middle value; of an even number, the mean of the two in the middle.
 * @param {readonly number[]} values
 * @returns {number} NaN of nothing
 */
export function median(values) {
  const sorted = ascending(values);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Median of the ratios of what was measured side by side. The ratio of two medians would mix moments in which the machine
 * was fast with others in which it was slow.
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
