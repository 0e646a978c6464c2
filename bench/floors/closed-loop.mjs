/** A closed loop inside one process: `conc` calls at once, for a duration or a number of calls. */
import { percentile } from '../measure/statistics.mjs';

/**
 * @param {{ conc: number, ms?: number, count?: number, rampMs?: number }} order
 * @param {(serial: number) => Promise<unknown>} once
 * @returns {Promise<import('../load/load-client.mjs').LoadReport>}
 */
export async function runClosedLoop(
  { conc, ms = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY, rampMs = 0 },
  once,
) {
  const startedAt = performance.now();
  const endAt = startedAt + ms;
  /** @type {number[]} */
  const latencies = [];
  let serial = 0;
  const caller = async () => {
    while (performance.now() < endAt && serial < count) {
      serial += 1;
      const sentAt = performance.now();
      await once(serial);
      const now = performance.now();
      if (now >= startedAt + rampMs && now < endAt) latencies.push(now - sentAt);
    }
  };
  await Promise.all(Array.from({ length: conc }, caller));
  const seconds = (Math.min(endAt, performance.now()) - startedAt - rampMs) / 1_000;
  return {
    rate: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    answers: { 200: serial },
  };
}
