/** Proves that the simulation can fail: each planted bug violates one sentence of docs/reliability.md, and is found. */
import { describeFaults, runSeed, runSingleFaults } from './explore.js';
import { type BugCase, plantedBugs } from './planted-bugs.js';

/** Number of random stories, for bugs that no single fault reveals. */
const SEEDS = 100;

/** Finds the first story in which the bug causes its known violation. */
async function findViolation({ bugs, expectedViolation, scenarios }: BugCase): Promise<string> {
  for (const scenario of scenarios) {
    for await (const played of runSingleFaults(scenario, bugs)) {
      const violations = played.outcome.violations.join('; ');
      if (expectedViolation.test(violations)) return `${describeFaults(played)}: ${violations}`;
    }
  }
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    for (const scenario of scenarios) {
      const violations = (await runSeed(scenario, seed, bugs)).violations.join('; ');
      if (expectedViolation.test(violations)) return `seed ${seed}: ${violations}`;
    }
  }
  return 'nothing was found';
}

test.each(Object.entries(plantedBugs))('%s', async (_name, planted) => {
  expect(await findViolation(planted)).toMatch(planted.expectedViolation);
});
