/** T2 and T6 of docs/verification.md at small size: real processes are killed under load, and the processor's books decide. */
import { runChaos } from './harness/run-chaos.js';
import { isLong, sized } from './harness/scale.js';

const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

test(
  'after any kill no payer is charged twice, nothing is lost and nothing leaks',
  async () => {
    const log: string[] = [];
    const result = await runChaos({
      seed,
      secs: sized(28, 300),
      perSecond: sized(26, 34),
      workers: sized(2, 3),
      mongo: isLong,
      // The longest wait: the run ends as soon as all is settled. A reversal at a forgetful acquirer is tried for most of a minute.
      drain: { withinMs: sized(90_000, 120_000) },
      // The small run shares the machine with other suites, and often both workers are down at once.
      patience: sized(4, 1),
      log: (text) => log.push(text),
    });
    const failed = result.checks.filter(({ ok }) => !ok);
    // The seed and the log are needed to repeat the run.
    if (failed.length > 0)
      console.error([JSON.stringify(failed, null, 2), ...log, `artefacts: ${result.folder}`].join('\n'));
    expect(failed).toEqual([]);
    expect(result.payments).toBeGreaterThan(300);
  },
  sized(180_000, 600_000),
);
