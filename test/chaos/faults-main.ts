/** The run behind `npm run faults`: prints what clients saw of each fault, and exits with 1 when a check failed. */
import { parseArgs } from 'node:util';
import { abortOnSignals } from './harness/abort-run.js';
import { faultNames, faults } from './harness/faults.js';
import { renderFaults } from './harness/report-faults.js';
import { runFaults } from './harness/run-faults.js';

abortOnSignals();

const { values } = parseArgs({
  options: {
    faults: { type: 'boolean' },
    fault: { type: 'string', multiple: true, default: [...faultNames] },
    rate: { type: 'string', default: '20' },
    secs: { type: 'string', default: '10' },
  },
});

const wanted = faultNames.filter((fault) => values.fault.includes(fault));
const perSecond = Number(values.rate);
const heldMs = Number(values.secs) * 1_000;
if (wanted.length !== values.fault.length || !(perSecond >= 1 && perSecond <= 1_000) || !(heldMs >= 1_000)) {
  console.error(`--fault is one of ${faultNames.join(', ')}; --rate is a number from 1 to 1000, --secs one from 1 on.`);
  process.exit(2);
}
const faketime = process.env.FAKETIME_LIBRARY || undefined;
const possible = wanted.filter((fault) => faketime || faults[fault].setup !== 'clocks');
if (possible.length < wanted.length)
  console.error('Clocks are not stepped: libfaketime is neither here nor to be had.');

const result = await runFaults({
  faults: possible,
  perSecond,
  calmMs: 5_000,
  faultMs: heldMs,
  drainMs: 240_000,
  faketime,
  log: (text) => console.error(text),
});
console.log(renderFaults(result));
process.exit(result.checks.every(({ ok }) => ok) ? 0 : 1);
