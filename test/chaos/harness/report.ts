/** Renders a run as a page for people. */
import { relative } from 'node:path';
import type { Check } from './check.js';
import type { FaultRecord } from './fault-injector.js';
import type { Sample } from './probe.js';
import { seconds, table, verdict } from './report-tables.js';
import type { ChaosResult } from './run-chaos.js';
import { describeTopology, topologyOptions } from './topology.js';

const BARS = '▁▂▃▄▅▆▇█';
const COLUMNS = 60;

/** Renders values over time as one line of bars. Each bar shows the highest value of its column. */
function sparkline(values: readonly number[]): string {
  const width = Math.max(1, Math.ceil(values.length / COLUMNS));
  const columns: number[] = [];
  for (let at = 0; at < values.length; at += width) columns.push(Math.max(...values.slice(at, at + width)));
  const highest = Math.max(1, ...columns);
  return columns.map((value) => BARS[Math.round((value / highest) * (BARS.length - 1))]).join('');
}

function renderCurves(samples: readonly Sample[]): string {
  const perSample = samples.map(({ stored }, index) => Math.max(0, stored - (samples[index - 1]?.stored ?? stored)));
  const lines: readonly [string, readonly number[]][] = [
    ['accepted per sample', perSample],
    ['not settled yet', samples.map(({ open }) => open)],
    ['orphans', samples.map(({ orphans }) => orphans)],
  ];
  return [
    '```',
    ...lines.map(([name, values]) => `${name.padEnd(20)} ${sparkline(values)}  max ${Math.max(0, ...values)}`),
    '```',
  ].join('\n');
}

function renderFaults(faults: readonly FaultRecord[], startedAt: number): string {
  const rows = [...faults]
    .sort((a, b) => a.at - b.at)
    .map(({ at, kind, target, repairedAt }) => [
      `${seconds(at - startedAt)} s`,
      kind,
      target,
      repairedAt === undefined ? '' : `${seconds(repairedAt - at)} s`,
    ]);
  return table(['at', 'what', 'target', 'mended after'], rows);
}

/** Renders the details of failed checks, with a heading for each. */
function failureDetails(checks: readonly Check[]): string[] {
  return checks
    .filter(({ details, ok }) => !ok && details.length > 0)
    .flatMap(({ name, details }) => ['', `### ${name}`, '', ...details.map((detail) => `- ${detail}`)]);
}

/** Returns the command that makes the same run again, with each option that has an effect on it. */
function repeatCommand({ seed, secs, perSecond, workers, mongo, cardProcessor, topology }: ChaosResult): string {
  const processor = cardProcessor === undefined ? '' : ` --processor ${cardProcessor}`;
  const run = `--seed ${seed} --secs ${secs} --rate ${perSecond} --workers ${workers}${mongo ? ' --mongo' : ''}${processor}`;
  return `npm run chaos -- ${run}${topologyOptions(topology)}`;
}

/** Renders the report in Markdown. `root`: folder that paths are relative to. */
export function renderReport(result: ChaosResult, root: string): string {
  const statuses = Object.entries(result.statuses).sort(([, one], [, other]) => other - one);
  return [
    `# Chaos run, seed ${result.seed}: ${result.ok ? 'passed' : 'FAILED'}`,
    '',
    `${new Date(result.startedAt).toISOString()}, ${seconds(result.loadMs)} s of load, drained in ${seconds(result.drainMs)} s: ` +
      `${result.payments} payments by ${result.requests} requests, ${result.callbacks} callbacks. ` +
      `Repeat it with \`${repeatCommand(result)}\`.`,
    '',
    `It ran on: ${describeTopology(result.topology)}.`,
    '',
    '## Verdict',
    '',
    verdict(result.checks),
    ...failureDetails(result.checks),
    '',
    '## What was broken',
    '',
    renderFaults(result.faults, result.startedAt),
    '',
    '## Over time',
    '',
    renderCurves(result.samples),
    '',
    '## How the payments ended',
    '',
    table(['status', 'payments'], statuses),
    '',
    `Logs, answers, callbacks, dumps and the processor's books: \`${relative(root, result.folder)}\`.`,
    '',
  ].join('\n');
}
