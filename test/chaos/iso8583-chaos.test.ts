/** The run of chaos.test.ts with `iso8583` and an acquirer on jPOS: its lines break too, and its books decide. */
import { describeWithJpos } from '../support/jpos/acquirer.js';
import { runChaos } from './harness/run-chaos.js';
import { isLong, sized } from './harness/scale.js';

const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

describeWithJpos('chaos with iso8583', () => {
  test(
    'after any kill or broken line the books of acquirer and gateway agree to the minor unit',
    async () => {
      const log: string[] = [];
      const result = await runChaos({
        seed,
        secs: sized(24, 300),
        perSecond: sized(16, 34),
        workers: sized(2, 3),
        mongo: isLong,
        cardProcessor: 'iso8583',
        // An operation that the acquirer does not know is given up a minute after its time-out.
        drain: { withinMs: 240_000 },
        patience: sized(4, 1),
        log: (text) => log.push(text),
      });
      const failed = result.checks.filter(({ ok }) => !ok);
      if (failed.length > 0)
        console.error([JSON.stringify(failed, null, 2), ...log, `artefacts: ${result.folder}`].join('\n'));
      expect(failed).toEqual([]);
      expect(result.payments).toBeGreaterThan(150);
      expect(result.faults.filter(({ kind }) => kind === 'break-lines').length).toBeGreaterThan(2);
    },
    sized(420_000, 900_000),
  );
});
