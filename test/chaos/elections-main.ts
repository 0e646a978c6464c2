/** The run behind `npm run elections`: prints what clients saw of each fault, ends with 1 when a check failed. */
import { parseArgs } from 'node:util';
import { testFolders } from '../../scripts/setup/paths.mjs';
import { endLeftovers } from '../../scripts/setup/program.mjs';
import { startNoMore } from './harness/member.js';
import { renderElections } from './harness/report-elections.js';
import { electionFaults, runElections } from './harness/run-elections.js';

const LEFTOVERS_MS = 2_000;

async function breakOff(): Promise<void> {
  startNoMore();
  while ((await endLeftovers(testFolders.run, LEFTOVERS_MS)).length > 0);
  process.exit(1);
}

// The processes of the gateway and the servers are groups of their own: Ctrl-C reaches this process alone.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void breakOff());
process.once('uncaughtException', (error) => {
  // A wrong option needs no stack.
  const wrong = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  console.error(wrong ? `${error.message}\nOptions: docs/chaos.md` : error);
  if (wrong) process.exit(2);
  void breakOff();
});

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
