/**
 * Invariants I1 to I10 (docs/reliability.md) under crashes, sleeps, lost and doubled nudges, lost acknowledgements and an
 * unreliable acquirer. `SIMULATION_SEEDS` sets the seeds of each scenario, `SIMULATION_SEED` repeats one of them.
 */
import { scenarioNames, simulate } from './simulate.js';

const SEEDS = Number(process.env.SIMULATION_SEEDS ?? '300');
const ONLY = process.env.SIMULATION_SEED;
const first = ONLY === undefined ? 1 : Number(ONLY);
const last = ONLY === undefined ? SEEDS : first;

test.each(scenarioNames)(
  '%s',
  async (name) => {
    for (let seed = first; seed <= last; seed += 1) {
      const { violations, trace } = await simulate(seed, name);
      if (violations.length > 0) throw new Error(`seed ${seed}: ${violations.join('; ')}\n${trace.join('\n')}`);
    }
  },
  600_000,
);

test('a seed tells the same story again', async () => {
  const untold = (trace: readonly string[]) => trace.join('\n').replaceAll(/txn_[\w-]+|pay_[\w-]+/g, 'id');
  for (const name of scenarioNames) {
    const [one, two] = [await simulate(7, name), await simulate(7, name)];
    expect(untold(two.trace)).toBe(untold(one.trace));
    expect(one.trace.length).toBeGreaterThan(1);
  }
});
