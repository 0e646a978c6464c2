/** A primary that hangs with open connections, on three real nodes under load (docs/verification.md, T19). */
import { runElections } from './harness/run-elections.js';

test('a frozen primary costs callers only time: no connection ends, nothing is charged twice, all is settled', async () => {
  const log: string[] = [];
  const result = await runElections({
    faults: ['freeze'],
    perSecond: 5,
    calmMs: 1_000,
    outageMs: 1_000,
    drainMs: 90_000,
    // The gateway is measured, on a machine that does other things too.
    recoversWithinMs: 20_000,
    log: (text) => log.push(text),
  });
  const failed = result.checks.filter(({ ok }) => !ok);
  if (failed.length > 0)
    console.error([JSON.stringify({ failed, observations: result.observations }, null, 2), ...log].join('\n'));
  expect(failed).toEqual([]);
  expect(result.payments).toBeGreaterThan(30);
}, 300_000);
