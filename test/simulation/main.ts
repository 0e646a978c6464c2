/** `npm run simulation`: all single faults and all pairs of every scenario, and also seeds (docs/verification.md, "Simulation"). */
import { parseArgs } from 'node:util';
import { type CampaignPlan, type Report, runCampaign, type ScenarioReport } from './campaign.js';
import { scenarioNames } from './scenarios.js';

const USAGE = `npm run simulation -- [--scenario "3DS"] [--pairs all | 60] [--seeds 100] [--seed 1] [--json]
  --scenario  those whose name contains the text; all of them otherwise
  --pairs     how many pairs of faults of each scenario; all of them otherwise
  --seeds     how many seeds of each scenario, from --seed on
  --json      the report as JSON on standard output`;

const SEEDS = '100';
const NAME_WIDTH = 42;
const COLUMN_WIDTH = 13;

function readArguments(args: readonly string[]): CampaignPlan & { readonly json: boolean } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string', default: '' },
      pairs: { type: 'string', default: 'all' },
      seeds: { type: 'string', default: SEEDS },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const scenarios = scenarioNames.filter((name) => name.includes(values.scenario));
  const numbers = [values.seeds, values.seed, values.pairs === 'all' ? '0' : values.pairs].map(Number);
  if (values.help || scenarios.length === 0 || numbers.some(Number.isNaN)) {
    process.stdout.write(`${USAGE}\n\nScenarios:\n${scenarioNames.map((name) => `  ${name}`).join('\n')}\n`);
    process.exit(values.help ? 0 : 2);
  }
  const [seeds = 0, firstSeed = 1, pairs = 0] = numbers;
  return {
    scenarios,
    seeds,
    firstSeed,
    singles: 'all',
    pairs: values.pairs === 'all' ? 'all' : pairs,
    json: values.json,
  };
}

const columns = (name: string, cells: readonly (string | number)[]): string =>
  `${name.padEnd(NAME_WIDTH)}${cells.map((cell) => String(cell).padStart(COLUMN_WIDTH)).join('')}\n`;

function scenarioRow({
  scenario,
  points,
  singles,
  pairs,
  pairsPossible,
  seeds,
  findings,
  seconds,
}: ScenarioReport): string {
  const ofAll = pairs === pairsPossible ? `${pairs}` : `${pairs}/${pairsPossible}`;
  return columns(scenario, [points, singles, ofAll, seeds, findings.length, `${seconds.toFixed(0)} s`]);
}

function summary({ scenarios, transitions, workKinds }: Report): string {
  const total = (count: (report: ScenarioReport) => number) => scenarios.reduce((sum, one) => sum + count(one), 0);
  const cells = [
    total(({ points }) => points),
    total(({ singles }) => singles),
    total(({ pairs }) => pairs),
    total(({ seeds }) => seeds),
    total(({ findings }) => findings.length),
    `${total(({ seconds }) => seconds).toFixed(0)} s`,
  ];
  const covered = ({ exercised, missing }: Report['transitions']) =>
    `${exercised.length} of ${exercised.length + missing.length}${missing.length > 0 ? `, not: ${missing.join(', ')}` : ''}`;
  return [
    columns('together', cells),
    `moves of the table exercised: ${covered(transitions)}\n`,
    `kinds of work exercised: ${covered(workKinds)}\n`,
  ].join('');
}

async function main(): Promise<number> {
  const { json, ...plan } = readArguments(process.argv.slice(2));
  const print = (text: string) => void (json ? process.stderr : process.stdout).write(text);
  const isTerminal = process.stderr.isTTY;
  const progress = (done: string) => isTerminal && process.stderr.write(`\r\u001b[K${done}`);
  print(columns('scenario', ['points', 'singles', 'pairs', 'seeds', 'findings', 'CPU']));
  const report = await runCampaign(plan, progress, (one) => {
    if (isTerminal) process.stderr.write('\r\u001b[K');
    print(scenarioRow(one));
    for (const { story, violations, trace = [] } of one.findings)
      print(`  ${story}\n    ${[...violations, ...trace].join('\n    ')}\n`);
  });
  print(`\n${summary(report)}`);
  if (json) process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  return report.scenarios.some(({ findings }) => findings.length > 0) ? 1 : 0;
}

// Setting the exit code, instead of exiting, lets pending output finish.
process.exitCode = await main();
