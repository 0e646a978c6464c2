/**
 * Masters of Redis are killed under load (docs/verification.md, T20): behind Sentinel, in a cluster, and in a cluster where no server takes
 * over. `npm run faults` tries each at full size and in more ways.
 */
import type { FaultName } from './harness/faults.js';
import { runFaults } from './harness/run-faults.js';

const faults: readonly FaultName[] = ['sentinel-kill', 'cluster-kill', 'cluster-lose'];

test.each(faults)('%s: payments go on, each is charged once, and the books agree', async (fault) => {
  const log: string[] = [];
  const result = await runFaults({
    faults: [fault],
    perSecond: 5,
    calmMs: 1_000,
    faultMs: 2_000,
    drainMs: 90_000,
    log: (text) => log.push(text),
  });
  const failed = result.checks.filter(({ ok }) => !ok);
  if (failed.length > 0)
    console.error([JSON.stringify({ failed, observations: result.observations }, null, 2), ...log].join('\n'));
  expect(failed).toEqual([]);
  expect(result.observations.map(({ resets }) => resets)).toEqual([0]);
  expect(result.payments).toBeGreaterThan(10);
});
