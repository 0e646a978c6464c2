/** Warms a process up, until its payments no longer get cheaper. */
import { readProcessorTime, spentBetween } from './measure/processor-time.mjs';

/**
 * Payments per round. V8 keeps making the API cheaper for some 60,000 payments, but not evenly: with short rounds two without a gain
 * would soon follow each other.
 */
const ROUND_PAYMENTS = 4_000;
/** Number of rounds without a gain that end the warm-up. */
const SETTLED_ROUNDS = 2;
/** A smaller gain does not count. */
const GAIN_MIN = 0.03;

/**
 * @param {readonly number[]} costs processor time per payment of each round
 * @returns {boolean} whether the last rounds were no cheaper than the best before them
 */
export function isSettled(costs) {
  const before = Math.min(...costs.slice(0, -SETTLED_ROUNDS));
  const last = Math.min(...costs.slice(-SETTLED_ROUNDS));
  return costs.length > SETTLED_ROUNDS && last > before * (1 - GAIN_MIN);
}

/**
 * Pays until payments stop getting cheaper, or for `ms`, so that it ends on a busy or slow machine too.
 * @param {object} given
 * @param {Record<string, number>} given.pids of the processes whose time counts
 * @param {number} given.ms
 * @param {(order: { count: number, ms: number }) => Promise<import('./load/load-client.mjs').LoadReport>} given.run
 * @returns {Promise<{ rounds: number, settled: boolean }>}
 */
export async function warmUp({ pids, ms, run }) {
  const giveUpAt = performance.now() + ms;
  /** @type {number[]} */
  const costs = [];
  while (!isSettled(costs) && performance.now() < giveUpAt) {
    const before = readProcessorTime(pids);
    const { answers } = await run({ count: ROUND_PAYMENTS, ms: Math.max(1, giveUpAt - performance.now()) });
    const payments = Object.values(answers).reduce((sum, count) => sum + count, 0);
    const { processMs } = spentBetween(before, readProcessorTime(pids));
    costs.push(Object.values(processMs).reduce((sum, spent) => sum + spent, 0) / Math.max(1, payments));
  }
  return { rounds: costs.length, settled: isSettled(costs) };
}
