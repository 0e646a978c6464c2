/** The run behind `npm run elections`: prints what clients saw of each fault, and exits with 1 when a check failed. */
import { parseArgs } from 'node:util';
import { replicaSetTimes } from '../support/own-replica-set.js';
import { abortOnSignals } from './harness/abort-run.js';
import { renderElections } from './harness/report-elections.js';
import { electionFaults, runElections } from './harness/run-elections.js';

abortOnSignals();

const { values } = parseArgs({
  options: {
    elections: { type: 'boolean' },
    fault: { type: 'string', multiple: true, default: [...electionFaults] },
    rate: { type: 'string', default: '20' },
    heartbeat: { type: 'string', default: String(replicaSetTimes.heartbeatMs) },
    election: { type: 'string', default: String(replicaSetTimes.electionMs) },
  },
});

const faults = electionFaults.filter((fault) => values.fault.includes(fault));
const perSecond = Number(values.rate);
const times = { heartbeatMs: Number(values.heartbeat), electionMs: Number(values.election) };
const isInRange = (value: number, least: number, most: number) => value >= least && value <= most;
const areGood =
  isInRange(perSecond, 1, 1_000) &&
  isInRange(times.heartbeatMs, 50, 10_000) &&
  isInRange(times.electionMs, 500, 60_000);
if (faults.length !== values.fault.length || !areGood) {
  console.error(
    [
      `--fault is one of ${electionFaults.join(', ')}.`,
      '--rate is a number from 1 to 1000 (calls a second), --heartbeat one from 50 to 10000 (ms), --election one from 500 to 60000 (ms).',
    ].join('\n'),
  );
  process.exit(2);
}

const result = await runElections({
  faults,
  perSecond,
  times,
  calmMs: 5_000,
  outageMs: 20_000,
  drainMs: 120_000,
  recoversWithinMs: 3_000,
  log: (text) => console.error(text),
});
console.log(renderElections(result));
process.exit(result.checks.every(({ ok }) => ok) ? 0 : 1);
