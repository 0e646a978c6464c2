/**
 * Checks invariants I1 to I10 (docs/reliability.md) in the product's own code, with every single fault at every point of every scenario,
 * and with a sample of all pairs. `npm run simulation` runs all of them.
 */
import { runCampaign } from './campaign.js';
import { runScenario } from './explore.js';
import { seededFaults } from './faults.js';
import { type ScenarioName, scenarioNames } from './scenarios.js';
import { simulate } from './simulate.js';

/** Single faults per scenario. Fewer than all when a run has to be short (`npm run mutants`). */
const SINGLES: number | 'all' = Number(process.env.SIMULATION_SINGLES ?? '0') || 'all';
/** Pairs and seeds per scenario. `SEED` is the seed of the sample, and of the first random story. */
const PAIRS = Number(process.env.SIMULATION_PAIRS ?? '8');
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? '4');
const SEED = Number(process.env.SIMULATION_SEED ?? '1');

const exercised = { transitions: new Set<string>(), workKinds: new Set<string>() };
let missing = { transitions: [] as readonly string[], workKinds: [] as readonly string[] };

test.each(scenarioNames)('%s', async (name) => {
  const plan = { scenarios: [name], singles: SINGLES, pairs: PAIRS, seeds: SEEDS, firstSeed: SEED };
  const { scenarios: reports, transitions, workKinds } = await runCampaign(plan);
  const [report] = reports;
  expect(report?.findings).toEqual([]);
  expect(report?.singles).toBeGreaterThan(SINGLES === 'all' ? 20 : 0);
  for (const one of transitions.exercised) exercised.transitions.add(one);
  for (const one of workKinds.exercised) exercised.workKinds.add(one);
  missing = { transitions: transitions.missing, workKinds: workKinds.missing };
});

if (SINGLES === 'all')
  test('every move of the table and every kind of work was exercised', () => {
    expect(missing.transitions.filter((one) => !exercised.transitions.has(one))).toEqual([]);
    expect(missing.workKinds.filter((one) => !exercised.workKinds.has(one))).toEqual([]);
  });

/** Removes ids from a trace, because they differ in each run. */
const withoutIds = (trace: readonly string[]) =>
  trace.join('\n').replaceAll(/(txn|pay|ses|evt)_[\w-]+|[\w-]{36}/g, 'id');

test.each(['purchase', '3DS, approved', 'checkout, declined then approved'] satisfies ScenarioName[])(
  '%s: a seed gives the same story each time',
  async (name) => {
    const runStory = () => simulate(name, seededFaults(7), {}, { tracing: true });
    const [one, two] = [await runStory(), await runStory()];
    expect(withoutIds(two.trace)).toBe(withoutIds(one.trace));
    expect(one.trace.length).toBeGreaterThan(5);
  },
);

test('a fault happens only at its planned point', async () => {
  const { outcome } = await runScenario('purchase', []);
  const { at } = outcome.points.find(({ label }) => label.startsWith('authorize at')) ?? { at: -1 };
  const withFault = await runScenario('purchase', [{ at, fault: 'dies-after' }]);
  expect(withFault.outcome.points[at]).toEqual(outcome.points[at]);
  expect(withFault.outcome.points.length).toBeGreaterThan(outcome.points.length);
  expect(withFault.outcome.finalStatuses).toEqual(['approved']);
});
