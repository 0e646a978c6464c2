/** Runs `npm run bench`: starts everything, warms it up, measures in turns, looks for lost payments, judges. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freePort } from '../scripts/setup/ports.mjs';
import { audit } from './audit.mjs';
import { createMeasurer } from './cells.mjs';
import { startChild } from './child.mjs';
import { runCommandWithCleanup, takeLock } from './cleanup.mjs';
import { createFindingsReader } from './collect-findings.mjs';
import { clearFolders, folders, prepareEnvironment } from './environment.mjs';
import { slowDown, startGateway, traceFile } from './gateway.mjs';
import { exceededLimits, limitsOf, maximaOf, renderMemory } from './measure/memory.mjs';
import { openServerWork } from './measure/server-work.mjs';
import { readOptions } from './options.mjs';
import { FLOOR_CONC, nameOf, planRepetition } from './plan.mjs';
import { renderCell, renderSlow, renderTable, renderWork, summarize } from './report.mjs';
import { fill } from './stored/fill.mjs';
import { readTrace, renderTrace } from './trace/read-trace.mjs';
import { judge } from './verdict.mjs';
import { warmUp } from './warm-up.mjs';

/** Limits of the warm-up. Every process answers until payments stop getting cheaper: until then its code is still being compiled. */
const WARM_UP_MS = { gateway: 75_000, beside: 20_000, floor: 4_000 };
/** Noisy cells are measured again until this time after the first start, so that the whole run ends within 5 minutes. */
const REMEASURE_WITHIN_MS = 240_000;
/** For the same reason no further repetition begins after this time. */
const REPEAT_WITHIN_MS = 240_000;
const SLOW_PROFILE = { processorMs: 300, conc: 256, declineEvery: 20, callbackUrl: 'http://127.0.0.1:40009/callback' };

/** @typedef {import('./cells.mjs').MeasuredCell} Measured */
/** @typedef {import('./options.mjs').Options} Options */
/** @typedef {import('./load/load-client.mjs').LoadReport} LoadReport */

const baseline = JSON.parse(readFileSync(new URL('baseline.json', import.meta.url), 'utf8'));

/**
 * Starts the load client and the floors, each as a separate process.
 * @param {import('./gateway.mjs').Gateway} gateway
 * @param {import('./cleanup.mjs').Cleanup} cleanup
 */
async function startChildren(gateway, cleanup) {
  const ports = { F2: await freePort(), F2p: await freePort(), F4: await freePort() };
  const { clientId, apiKey } = gateway.client;
  const start = async (/** @type {URL} */ module, /** @type {NodeJS.ProcessEnv} */ more = {}, source = false) => {
    const log = join(folders.logs, `${basename(module.pathname, '.mjs')}.log`);
    const env = { ...gateway.env, FLOOR_CLIENT_ID: clientId, FLOOR_API_KEY: apiKey, ...more };
    const child = await startChild(module, { env, log, source });
    cleanup.children.push(child);
    return child;
  };
  const [load, F1, F2, F2p, F3, F4] = await Promise.all([
    start(new URL('./load/load-client.mjs', import.meta.url)),
    start(new URL('./floors/driver.mjs', import.meta.url)),
    start(new URL('./floors/monolith.mjs', import.meta.url), { FLOOR_PORT: String(ports.F2) }),
    start(new URL('./floors/monolith.mjs', import.meta.url), {
      FLOOR_PORT: String(ports.F2p),
      FLOOR_PROCESSOR_URL: gateway.simulatorUrl,
    }),
    start(new URL('./floors/queue.mjs', import.meta.url)),
    start(new URL('./floors/express-stack.ts', import.meta.url), { FLOOR_PORT: String(ports.F4) }, true),
  ]);
  return { load, F1, F2, F2p, F3, F4, ports };
}

/**
 * Returns a function that puts a subject under load. It counts the gateway's answers for the audit.
 * @param {import('./gateway.mjs').Gateway} gateway
 * @param {Awaited<ReturnType<typeof startChildren>>} children
 */
function createLoadBySubject(gateway, children) {
  /** @type {Record<string, number>} */
  const answers = {};
  let runs = 0;
  const { authorization } = gateway;
  const overHttp = (/** @type {number} */ port) => (/** @type {object} */ order) =>
    children.load.run({ ...order, port, authorization });
  const bySubject = {
    gateway: async (/** @type {object} */ order) => {
      const report = await overHttp(gateway.port)(order);
      for (const [status, count] of Object.entries(report.answers)) answers[status] = (answers[status] ?? 0) + count;
      return report;
    },
    F1: children.F1.run,
    F2: overHttp(children.ports.F2),
    F2p: overHttp(children.ports.F2p),
    F3: children.F3.run,
    F4: overHttp(children.ports.F4),
  };
  /** @type {(subject: keyof typeof bySubject, order: object) => Promise<LoadReport>} */
  const load = (subject, order) => {
    runs += 1;
    return bySubject[subject]({ ...order, run: `run${runs}` });
  };
  return { load, answers };
}

/**
 * @param {Options} options
 * @param {import('../scripts/setup/progress.mjs').Progress} progress
 * @param {import('./cleanup.mjs').Cleanup} cleanup
 * @param {AbortSignal} signal
 */
async function runMeasurements(options, progress, cleanup, signal) {
  takeLock('npm run bench');
  await clearFolders(folders);
  const environment = await prepareEnvironment(progress, signal, cleanup.servers);
  cleanup.environment = environment;
  const startedAt = performance.now();
  const { profile, trace } = options;
  const started = { signal, profile, trace, running: cleanup.gateway };
  const gateway = await progress.step('Starting the gateway', () => startGateway(environment, started));
  const children = await progress.step('Starting load client and floors', () => startChildren(gateway, cleanup));
  const { load, answers } = createLoadBySubject(gateway, children);

  const floors = {
    F1: children.F1.pid,
    F2: children.F2.pid,
    F2p: children.F2p.pid,
    F3: children.F3.pid,
    F4: children.F4.pid,
  };
  await progress.step('Warming up', async () => {
    const { api = 0, worker = 0 } = gateway.pids;
    const subjects = { F1: { floor: floors.F1 }, F3: { floor: floors.F3 }, F4: { floor: floors.F4 } };
    const beside = { F2: { floor: floors.F2 }, F2p: { floor: floors.F2p } };
    for (const [name, pids] of Object.entries({ ...subjects, ...beside, gateway: { api, worker } })) {
      const subject = /** @type {import('./plan.mjs').Cell['subject']} */ (name);
      const ms = WARM_UP_MS[name in beside ? 'beside' : name === 'gateway' ? 'gateway' : 'floor'];
      const run = (/** @type {object} */ order) => load(subject, { conc: FLOOR_CONC, ...order });
      const { rounds, settled } = await warmUp({ pids, ms, run });
      if (!settled) progress.print(`  ${subject} was not settled after ${rounds} rounds`);
    }
  });
  if (options.stored > 0) {
    await progress.step(`Filling the database with ${options.stored} payments`, () =>
      fill(environment.mongodbUri, options.stored),
    );
  }

  const helpers = { bench: process.pid, load: children.load.pid };
  const pids = { ...environment.pids, ...gateway.pids, ...helpers, ...floors };
  const work = await openServerWork(environment);
  const { simulator: _shared, ...ownPids } = gateway.pids;
  const measure = createMeasurer({
    pids,
    gateway: ownPids,
    load,
    readWork: work.read,
    ms: options.secs * 1_000,
    giveUpAt: startedAt + REMEASURE_WITHIN_MS,
  });
  /** @type {Measured[]} */
  const cells = [];
  for (let repetition = 0; repetition < options.reps; repetition += 1) {
    if (repetition > 0 && performance.now() > startedAt + REPEAT_WITHIN_MS) {
      progress.print(`The machine is slow or busy: ${repetition} of ${options.reps} repetitions have to do`);
      break;
    }
    progress.print(`Repetition ${repetition + 1} of ${options.reps}`);
    for (const cell of planRepetition(options.conc, repetition)) {
      const measured = await measure(cell, repetition);
      cells.push(measured);
      progress.print(`  ${renderCell(measured, nameOf(cell))}`);
    }
  }
  const slow = await measureSlow(options, progress, gateway, measure);
  await work.close();
  const readFindings = createFindingsReader(environment, gateway, answers);
  const violations = await progress.step('Looking for lost payments', () => audit(readFindings));
  return { cells, slow, violations, traces: options.trace ? readTraces({ '': cells, ', slow processor': slow }) : [] };
}

/** Shows where the time of a payment went in the gateway's cells. @param {Record<string, readonly Measured[]>} cells by their title */
function readTraces(cells) {
  const marks = readFileSync(traceFile, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [/** @type {import('./trace/read-trace.mjs').Mark} */ (JSON.parse(line))]));
  return Object.entries(cells).flatMap(([name, measured]) =>
    measured
      .filter(({ subject }) => subject === 'gateway')
      .map(({ conc, startedAt, endedAt }) => ({
        title: `a payment, c=${conc}${name}`,
        steps: readTrace(marks, { from: startedAt, to: endedAt }),
      })),
  );
}

/**
 * Measures the second profile: latency is the limit, some payments are declined, and every payment has a callback address.
 * @param {Options} options
 * @param {import('../scripts/setup/progress.mjs').Progress} progress
 * @param {import('./gateway.mjs').Gateway} gateway
 * @param {ReturnType<typeof createMeasurer>} measure
 */
async function measureSlow(options, progress, gateway, measure) {
  const { processorMs, conc, declineEvery, callbackUrl } = SLOW_PROFILE;
  const more = { declineEvery, callbackUrl, rampMs: 2 * processorMs, ms: options.secs * 1_000 + 2 * processorMs };
  await slowDown(gateway, processorMs);
  /** @type {Measured[]} */
  const cells = [];
  for (let repetition = 0; repetition < options.reps; repetition += 1) {
    const measured = await measure({ subject: 'gateway', conc }, repetition, more);
    cells.push(measured);
    progress.print(`  ${renderCell(measured, 'slow processor c=256')}`);
  }
  await slowDown(gateway, 0);
  return cells;
}

/** @param {Options} options @param {Awaited<ReturnType<typeof runMeasurements>>} result @returns {number} exit code */
function reportResult({ json, profile, trace }, { cells, slow, violations, traces }) {
  const rows = summarize(cells);
  const { gate, rateToF2: baselineRates } = baseline;
  const memoryMb = limitsOf(baseline.memoryMb);
  const maxima = maximaOf([...cells, ...slow].map(({ rssMb }) => rssMb));
  const ratio = rows.find((row) => row.subject === 'gateway' && row.conc === gate.conc)?.rateToF2;
  // A profiled or traced process uses more memory than usual.
  const memory = profile || trace ? [] : exceededLimits(maxima, memoryMb);
  const verdict = judge({ cells: [...cells, ...slow], violations, gate, ratio, memory });
  console.log(`\n${renderTable(rows, baselineRates)}\n`);
  console.log(`${renderWork(rows)}\n`);
  for (const { title, steps } of traces) console.log(`${renderTrace(steps, title)}\n`);
  console.log(renderSlow(slow, SLOW_PROFILE.conc / (SLOW_PROFILE.processorMs / 1_000)));
  console.log(renderMemory(maxima, memoryMb));
  console.log(
    violations.length === 0 ? 'every payment is accounted for' : violations.map((one) => `  - ${one}`).join('\n'),
  );
  console.log(verdict.text);
  if (json) writeFileSync(json, `${JSON.stringify({ verdict, violations, rows, slow, cells, traces }, null, 2)}\n`);
  return verdict.exitCode;
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export const runBenchmark = (args) =>
  runCommandWithCleanup(async ({ progress, cleanup, signal }) => {
    const options = readOptions(args);
    return reportResult(options, await runMeasurements(options, progress, cleanup, signal));
  });
