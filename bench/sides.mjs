/** Measures two gateways in turns, each with a separate database, and looks for lost payments in both. */
import { join } from 'node:path';
import { audit } from './audit.mjs';
import { createMeasurer } from './cells.mjs';
import { startChild } from './child.mjs';
import { createFindingsReader } from './collect-findings.mjs';
import { folders } from './environment.mjs';
import { openServerWork } from './measure/server-work.mjs';
import { renderCell } from './report.mjs';
import { warmUp } from './warm-up.mjs';

/** Maximum warm-up of one side, in measurements. */
const WARM_UP_CELLS = 6;
/** Noisy cells are measured again until the run takes this many times as long as its pairs. */
const REMEASURE_FACTOR = 5;

/**
 * @typedef {object} Side
 * @property {string} name
 * @property {import('./environment.mjs').Environment} environment
 * @property {import('./gateway.mjs').Gateway} gateway
 * @property {Record<string, number>} answers for the audit
 */

/** Pids of all processes: those of the side under their names, those of the other side so that they do not count as foreign. */
function pidsFor(
  /** @type {Side} */ side,
  /** @type {readonly Side[]} */ sides,
  /** @type {Record<string, number>} */ more,
) {
  const all = (/** @type {Side} */ { environment, gateway }) => ({ ...environment.pids, ...gateway.pids });
  const own = all(side);
  const others = sides
    .filter((one) => one !== side)
    .flatMap((one) => Object.entries(all(one)).map(([name, pid]) => [`${one.name} ${name}`, pid]))
    // Servers that both sides use are counted once.
    .filter(([, pid]) => !Object.values(own).includes(Number(pid)));
  return { ...own, ...Object.fromEntries(others), ...more };
}

/**
 * Makes payments at each side in turn. The order within pairs alternates.
 * @param {readonly [Side, Side]} sides
 * @param {{ secs: number, reps: number, conc: number }} options `secs`: length of one measurement; `conc`: calls in flight
 * @param {import('../scripts/setup/progress.mjs').Progress} progress
 * @param {import('./cleanup.mjs').Cleanup} cleanup
 * @returns {Promise<{ pairs: import('./pairs.mjs').Pair[], violations: string[] }>}
 */
export async function measureSides(sides, { secs, reps, conc }, progress, cleanup) {
  const load = await startChild(new URL('load/load-client.mjs', import.meta.url), {
    env: sides[0].gateway.env,
    log: join(folders.logs, 'load-client.log'),
  });
  cleanup.children.push(load);
  const startedAt = performance.now();
  const subjects = [];
  for (const side of sides) {
    const { port, authorization, pids } = side.gateway;
    const { simulator: _notOurs, ...gateway } = pids;
    let runs = 0;
    const pay = async (/** @type {object} */ order) => {
      runs += 1;
      const report = await load.run({ conc, port, authorization, run: `${side.name}${runs}`, ...order });
      for (const [status, count] of Object.entries(report.answers)) {
        side.answers[status] = (side.answers[status] ?? 0) + Number(count);
      }
      return report;
    };
    await progress.step(`Warming up: ${side.name}`, () =>
      warmUp({ pids: { api: pids.api ?? 0, worker: pids.worker ?? 0 }, ms: WARM_UP_CELLS * secs * 1_000, run: pay }),
    );
    const work = await openServerWork(side.environment);
    const measure = createMeasurer({
      pids: pidsFor(side, sides, { bench: process.pid, load: load.pid }),
      gateway,
      load: (_subject, order) => pay(order),
      readWork: work.read,
      ms: secs * 1_000,
      giveUpAt: startedAt + REMEASURE_FACTOR * reps * secs * 1_000,
    });
    subjects.push({ name: side.name, measure, close: work.close });
  }

  /** @type {import('./pairs.mjs').Pair[]} */
  const pairs = [];
  for (let repetition = 0; repetition < reps; repetition += 1) {
    const measured = [];
    const order = repetition % 2 === 0 ? subjects : subjects.toReversed();
    for (const { name, measure } of order) {
      const cell = await measure({ subject: 'gateway', conc }, repetition);
      measured.push(cell);
      progress.print(`  ${renderCell(cell, name)}`);
    }
    pairs.push(/** @type {[any, any]} */ (repetition % 2 === 0 ? measured : measured.toReversed()));
  }
  await Promise.all(subjects.map(({ close }) => close()));
  const violations = [];
  for (const { name, environment, gateway, answers } of sides) {
    const readFindings = createFindingsReader(environment, gateway, answers);
    const sideViolations = await progress.step(`Looking for lost payments: ${name}`, () => audit(readFindings));
    violations.push(...sideViolations.map((text) => `${name}: ${text}`));
  }
  return { pairs, violations };
}
