/** The run behind `npm run elections`: prints what clients saw of each fault, ends with 1 when a check failed. */
import { parseArgs } from 'node:util';
import { breakOffCleanly } from './harness/break-off.js';
import { renderElections } from './harness/report-elections.js';
import { electionFaults, runElections } from './harness/run-elections.js';

breakOffCleanly();

const { values } = parseArgs({
  options: {
    elections: { type: 'boolean' },
    fault: { type: 'string', multiple: true, default: [...electionFaults] },
    rate: { type: 'string', default: '20' },
  },
});

const faults = electionFaults.filter((fault) => values.fault.includes(fault));
const perSecond = Number(values.rate);
if (faults.length !== values.fault.length || !(perSecond >= 1 && perSecond <= 1_000)) {
  console.error(`--fault is one of ${electionFaults.join(', ')}; --rate is a number from 1 to 1000.`);
  process.exit(2);
}

const result = await runElections({
  faults,
  perSecond,
  calmMs: 5_000,
  heldMs: 20_000,
  drainMs: 120_000,
  flowsWithinMs: 3_000,
  say: (text) => console.error(text),
});
console.log(renderElections(result));
process.exit(result.checks.every(({ ok }) => ok) ? 0 : 1);
