/** The long run behind `npm run chaos`: prints its progress, writes a report, and exits with 1 when a check failed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { local, root } from '../../scripts/setup/paths.mjs';
import { abortOnSignals } from './harness/abort-run.js';
import { renderReport } from './harness/report.js';
import { runChaos } from './harness/run-chaos.js';
import { redisForms, type Topology } from './harness/topology.js';

const MONGO_FROM_SECS = 60;
abortOnSignals();

const { values } = parseArgs({
  options: {
    secs: { type: 'string', default: '300' },
    seed: { type: 'string' },
    rate: { type: 'string', default: '34' },
    workers: { type: 'string', default: '3' },
    mongo: { type: 'boolean' },
    processor: { type: 'string', default: 'sandbox' },
    json: { type: 'boolean', default: false },
    redis: { type: 'string' },
    mongodb: { type: 'string' },
    balancer: { type: 'boolean' },
    clocks: { type: 'boolean' },
    real: { type: 'boolean', default: false },
  },
});

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`--${name} must be a whole number.`);
  process.exit(2);
}

if (values.processor !== 'sandbox' && values.processor !== 'iso8583') {
  console.error('--processor must be sandbox or iso8583.');
  process.exit(2);
}
const cardProcessor = values.processor === 'iso8583' ? values.processor : undefined;
if (cardProcessor) {
  const found = (await import('../support/jpos/obtain-jpos.js')).obtainJpos();
  if ('problem' in found) {
    console.error(`Skipped: the acquirer of these runs is on jPOS. ${found.problem}.`);
    process.exit(0);
  }
}

/** `--real` sets every option. Options that are given beside it override it. */
function shapeFrom({
  real,
  redis = real ? 'sentinel' : 'single',
  mongodb = real ? 'set' : 'one',
  ...rest
}: typeof values): Topology {
  const form = redisForms.find((one) => one === redis);
  if (!form || (mongodb !== 'one' && mongodb !== 'set')) {
    console.error(`--redis is one of ${redisForms.join(', ')}; --mongodb is one or set.`);
    process.exit(2);
  }
  const faketime = (rest.clocks ?? real) ? process.env.FAKETIME_LIBRARY || undefined : undefined;
  return { redis: form, mongodb, balancer: rest.balancer ?? real, faketime };
}

const secs = wholeNumber('secs', values.secs);
const seed = values.seed === undefined ? Date.now() % 1_000_000 : wholeNumber('seed', values.seed);
const result = await runChaos({
  seed,
  secs,
  perSecond: wholeNumber('rate', values.rate),
  workers: wholeNumber('workers', values.workers),
  mongo: values.mongo ?? secs >= MONGO_FROM_SECS,
  cardProcessor,
  topology: shapeFrom(values),
  // An operation that the acquirer does not know is given up a minute after its time-out. A reversal whose first six tries met a fault is
  // tried again five minutes later, with the run's `TIME_SCALE`.
  drain: { withinMs: cardProcessor ? 240_000 : 120_000, scheduledMs: 480_000 },
  patience: 1,
  log: (text) => console.error(text),
});

const folder = join(local, 'chaos');
mkdirSync(folder, { recursive: true });
const report = join(folder, `seed-${seed}-${new Date(result.startedAt).toISOString().replace(/[:.]/g, '-')}.md`);
const text = renderReport(result, root);
writeFileSync(report, text);
if (values.json) console.log(JSON.stringify({ report, ...result }, null, 2));
else console.log(`\n${text}\nReport: ${relative(process.cwd(), report)}`);
process.exit(result.ok ? 0 : 1);
