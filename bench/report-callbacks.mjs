/** Renders the lines that `npm run callbacks` prints. Pure. */
import { median, pairedRatio } from './measure/statistics.mjs';

/** @typedef {import('./callback-round.mjs').Round} Round */

/** Processes of an installation that a callback costs time. The receivers are external. */
const OURS = ['worker', 'mongodb', 'redis'];

const percent = (/** @type {number} */ share) => `${Math.round(share * 100)} %`;
const sum = (/** @type {readonly number[]} */ values) => values.reduce((total, value) => total + value, 0);

/** Sums the processor time per callback of the gateway and its servers (µs). @param {Round['cpuUs']} cpuUs */
const ourUs = (cpuUs) => sum(OURS.map((name) => cpuUs[name] ?? 0));

/** @param {Round['cpuUs']} cpuUs */
function renderCpu(cpuUs) {
  const parts = Object.entries(cpuUs).map(([name, us]) => `${name} ${Math.round(us)} µs`);
  const share = ourUs(cpuUs) / Math.max(1, sum(Object.values(cpuUs)));
  return `CPU per callback: ${parts.join(', ')} (${percent(share)} of it ours)`;
}

/** @param {Round} round */
export const renderRound = ({ rate, cpuUs, foreignShare, idleShare, hostMax, clientMax }) =>
  `${rate}/s, ${renderCpu(cpuUs)}; at most ${hostMax} at a host, ${clientMax} of a client; ` +
  `idle ${percent(idleShare)}, foreign ${percent(foreignShare)}`;

/** Returns the median of each value by its name. @param {readonly Record<string, number>[]} records */
const medians = (records) =>
  Object.fromEntries(
    Object.keys(records[0] ?? {}).map((name) => [name, median(records.map((record) => record[name] ?? 0))]),
  );

/** @param {string} name @param {readonly Round[]} rounds @param {number} hosts */
export function renderMedians(name, rounds, hosts) {
  const rate = Math.round(median(rounds.map((round) => round.rate)));
  const work = medians(rounds.map((round) => round.work));
  const each = (/** @type {string} */ counter) => (work[counter] ?? 0).toFixed(2);
  return [
    `${name}: ${rate} callbacks/s over ${hosts} hosts (median of ${rounds.length})`,
    `  ${renderCpu(medians(rounds.map(({ cpuUs }) => cpuUs)))}`,
    `  MongoDB per callback: ${each('mongodb commands')} commands, ${each('mongodb documents written')} documents written, ` +
      `${each('mongodb journal syncs')} journal syncs, ${Math.round(work['mongodb journal bytes'] ?? 0)} bytes of journal`,
  ].join('\n');
}

/** Renders how a dead host slows the others down. @param {string} how @param {readonly Round[]} without @param {readonly Round[]} beside */
export function renderDead(how, without, beside) {
  const p99 = (/** @type {readonly Round[]} */ rounds) => Math.round(median(rounds.map(({ p99Ms }) => p99Ms)));
  const ratio = pairedRatio(
    beside.map(({ p99Ms }) => p99Ms),
    without.map(({ p99Ms }) => p99Ms),
  );
  return (
    `  with one more host, which ${how}: p99 of the others ${p99(beside)} ms from the first arrival, without it ${p99(without)} ms; ` +
    `ratio ${ratio.toFixed(2)} (median of pairs)`
  );
}

/** @param {readonly Round[]} here @param {string} name @param {readonly Round[]} beside */
export function renderRatio(here, name, beside) {
  const ratio = (/** @type {(round: Round) => number} */ pick) =>
    pairedRatio(here.map(pick), beside.map(pick)).toFixed(2);
  return (
    `here / ${name}, median of pairs: rate ${ratio(({ rate }) => rate)}, our CPU ${ratio(({ cpuUs }) => ourUs(cpuUs))}, ` +
    `CPU of the worker ${ratio(({ cpuUs }) => cpuUs.worker ?? 0)}, of MongoDB ${ratio(({ cpuUs }) => cpuUs.mongodb ?? 0)}`
  );
}
