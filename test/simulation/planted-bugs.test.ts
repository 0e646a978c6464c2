/** Proves that the simulation can fail: each planted bug violates one sentence of docs/reliability.md, and is found. */
import { bySeed, singles, textOf } from './explore.js';
import { type Planted, plantedBugs } from './planted-bugs.js';

/** Number of random stories, for bugs that no single fault reveals. */
const SEEDS = 100;

/** Finds the first story in which the bug causes its known violation. */
async function hunt({ bugs, breaks, scenarios }: Planted): Promise<string> {
  for (const scenario of scenarios) {
    for await (const made of singles(scenario, bugs)) {
      const violations = made.outcome.violations.join('; ');
      if (breaks.test(violations)) return `${textOf(made)}: ${violations}`;
    }
  }
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    for (const scenario of scenarios) {
      const violations = (await bySeed(scenario, seed, bugs)).violations.join('; ');
      if (breaks.test(violations)) return `seed ${seed}: ${violations}`;
    }
  }
  return 'nothing was found';
}

test.each(Object.entries(plantedBugs))('%s', async (_name, planted) => {
  expect(await hunt(planted)).toMatch(planted.breaks);
});
