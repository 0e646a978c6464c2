/** Measures single cells: a load for some seconds, with the processor time of all processes and the work of the servers meanwhile. */
import { watchMemory } from './measure/memory.mjs';
import { readProcessorTime, spentBetween } from './measure/processor-time.mjs';
import { perPayment } from './measure/server-work.mjs';
import { isNoisy } from './verdict.mjs';

/** Answers before this are left out of the figures: connections are still being opened. */
const RAMP_MS = 200;
/** Maximum number of repetitions of a noisy cell. */
const RETRIES_MAX = 2;

/** Processes whose time is the price of a payment. The test processor represents an external system, so it does not count. */
const COUNTED_PROCESSES = /** @type {const} */ ({
  gateway: ['api', 'worker', 'mongodb', 'redis'],
  F1: ['F1', 'mongodb'],
  F2: ['F2', 'mongodb'],
  F2p: ['F2p', 'mongodb'],
  F3: ['F3', 'redis'],
  F4: ['F4'],
});

/**
 * @typedef {import('./plan.mjs').Cell & {
 *   repetition: number, rate: number, p50: number, p95: number, p99: number, answers: Record<string, number>,
 *   cpuUs: Record<string, number>, cpuUsTotal: number, foreignShare: number, idleShare: number,
 *   work: import('./measure/server-work.mjs').Work, startedAt: number, endedAt: number,
 *   rssMb: Record<string, number>, tries: number }} MeasuredCell
 *   `cpuUs`: processor time per payment (µs) of every process that used some; `cpuUsTotal`: of those in the price;
 *   `rssMb`: maximum memory of each process of the gateway; `work`: work of the servers per payment;
 *   `startedAt`, `endedAt`: ms since the epoch
 */

/** @param {Record<string, number>} counts */
const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0);

/**
 * @param {object} given
 * @param {Record<string, number>} given.pids of all processes of the benchmark
 * @param {Record<string, number>} given.gateway pids of the processes whose memory is watched
 * @param {(subject: import('./plan.mjs').Cell['subject'], order: object) => Promise<import('./load/load-client.mjs').LoadReport>} given.load
 * @param {() => Promise<import('./measure/server-work.mjs').Work>} given.readWork counters of MongoDB and Redis
 * @param {number} given.ms length of a measurement
 * @param {number} given.giveUpAt no cell is measured again after this moment (`performance.now()`)
 */
export function createMeasurer({ pids, gateway, load, readWork, ms, giveUpAt }) {
  /**
   * @param {import('./plan.mjs').Cell} cell
   * @param {number} repetition
   * @param {object} [more] further fields of the order
   * @returns {Promise<MeasuredCell>}
   */
  async function measureOnce(cell, repetition, more = {}) {
    const workBefore = await readWork();
    const startedAt = Date.now();
    const before = readProcessorTime(pids);
    const memory = watchMemory(gateway);
    const report = await load(cell.subject, { conc: cell.conc, ms: ms + RAMP_MS, rampMs: RAMP_MS, ...more });
    const spent = spentBetween(before, readProcessorTime(pids));
    const endedAt = Date.now();
    const payments = Math.max(1, sum(report.answers));
    const cpuUs = Object.fromEntries(
      Object.entries(spent.processMs)
        .filter(([, used]) => used > 0)
        .map(([name, used]) => [name, Math.round((used * 1_000) / payments)]),
    );
    return {
      ...cell,
      ...report,
      repetition,
      cpuUs,
      cpuUsTotal: COUNTED_PROCESSES[cell.subject].reduce((total, name) => total + (cpuUs[name] ?? 0), 0),
      foreignShare: spent.foreignShare,
      idleShare: spent.idleShare,
      work: perPayment(workBefore, await readWork(), payments),
      startedAt,
      endedAt,
      rssMb: memory.stop(),
      tries: 1,
    };
  }

  /**
   * Measures a cell, and again when other processes disturbed it. Keeps the least disturbed try.
   * @param {import('./plan.mjs').Cell} cell
   * @param {number} repetition
   * @param {object} [more]
   * @returns {Promise<MeasuredCell>}
   */
  return async function measure(cell, repetition, more) {
    let best = await measureOnce(cell, repetition, more);
    for (let tries = 2; tries <= RETRIES_MAX + 1 && isNoisy(best) && performance.now() < giveUpAt; tries += 1) {
      const retried = await measureOnce(cell, repetition, more);
      best = { ...(retried.foreignShare < best.foreignShare ? retried : best), tries };
    }
    return best;
  };
}
