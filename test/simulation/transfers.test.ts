/** Bank transfers under crashes, sleeps, lost nudges and a bank that is silent: `SIMULATION_SEEDS`, `SIMULATION_SEED` as beside. */
import { simulateTransfer } from './simulate-transfer.js';

const SEEDS = Number(process.env.SIMULATION_SEEDS ?? '300');
const ONLY = process.env.SIMULATION_SEED;
const first = ONLY === undefined ? 1 : Number(ONLY);
const last = ONLY === undefined ? SEEDS : first;

test('paid, paid late, paid twice, rejected, cancelled or left: one end each, and no money out of sight', async () => {
  for (let seed = first; seed <= last; seed += 1) {
    const { violations, trace } = await simulateTransfer(seed);
    if (violations.length > 0) throw new Error(`seed ${seed}: ${violations.join('; ')}\n${trace.join('\n')}`);
  }
}, 600_000);

test('a write that does not look at the version is found out', async () => {
  let found = 0;
  for (let seed = 1; seed <= 400 && found === 0; seed += 1) {
    found = (await simulateTransfer(seed, { blindSave: true })).violations.length;
  }
  expect(found).toBeGreaterThan(0);
}, 600_000);
